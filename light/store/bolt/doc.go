// Package bolt keeps a store of verified certificates in one file.
//
// # What is checked
//
// The file is a bbolt database. Everything in it is checked when it is opened, before anything is returned: the digest
// of each record and of each text, the digest of the contents as a whole, the links between the certificates, and the
// digest of the file, the seal. The seal covers every byte, used by the database or not, so that a byte that changed
// anywhere is found. It is cleared before a transaction and renewed after it: a file without a seal was being written
// when its process ended. Such a file is never shown to the database, which would follow a damaged page wherever it leads:
// its records are read by a reader of this package, and only when all their digests agree is a new file made from them.
//
// The checks find accidents. Whoever can write the file on purpose can also write its digests.
//
// # Cost
//
// Opening reads the file once and keeps its records in memory, without the texts: about 2 KiB a certificate. A commit
// writes one transaction, reads the file once for the seal, and syncs it three times.
//
// A file named like the store with ".lock" appended is locked while the store is open. A second process gets
// store.ErrLocked.
package bolt
