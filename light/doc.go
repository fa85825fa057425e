// Package light keeps a verified, up-to-date chain of certificates.
//
// A [Client] has a provider to ask, a store to fill, a trust to start from, and any number of witnesses, other providers
// to compare with. [Client.Sync] walks from the newest certificate of the provider down to one that the store already
// holds, or to a genesis certificate or checkpoint, verifies the walk with package chain, compares it with the witnesses,
// and only then stores it, all of it in one transaction. [Client.Watch] does so again and again.
//
// What comes out of a client are records of verified certificates. Their signed values are the message parts and the
// epoch; what no signature covers is in a field named Unsigned.
//
// # What is not checked
//
// That the chain is the newest: a provider, and all witnesses with it, can keep certificates back. That it is the chain
// of a network by that name: see the genesis pin and the checkpoint of chain.Trust. That the store's file is as it was
// written on purpose: see light/store/bolt.
//
// # Concurrency
//
// A client may be used by several goroutines; syncs wait for one another. No goroutine outlives the call that started it.
package light
