// Package testkit makes synthetic certificate chains, deterministically from a seed: registrations, signatures, aggregates,
// every kind of signed entity, a genesis certificate, and single faults on demand.
//
// The chains are what an aggregator of a test network would serve: one master certificate an epoch, the others of the epoch
// linked to it, fresh keys in every epoch. The secret keys follow from the seed, so that nothing made here protects
// anything.
package testkit
