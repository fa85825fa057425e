// Package fakeaggregator serves a chain of certificates over HTTP the way an aggregator does, and misbehaves on demand.
//
// It answers the three routes a light client uses (SPEC section 1): /certificate/{hash}, /certificate/genesis and
// /certificates, under any path prefix. Certificates are served byte for byte as they were given: nothing is verified,
// so that a test can serve what no aggregator should.
//
// A [Fault] changes what a matching request gets: a delay, a status, a broken connection, a body that lies, ends too
// early, never ends or arrives a byte at a time. Faults count the requests they matched, so that a test can let the
// first three fail and the fourth pass.
package fakeaggregator
