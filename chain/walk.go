package chain

import (
	"iter"

	"github.com/stmverify/stmverify/certificate"
)

// Walk yields the certificate with the hash leaf, then its parent, and so on to a genesis certificate, as lookup finds them.
// The walk ends after an error of lookup, which is yielded; a nil certificate without an error becomes
// [ErrCertificateNotFound]. It does not end by itself where certificates claim hashes that form a circle: [Verify] stops
// asking.
func Walk(leaf certificate.Hash, lookup func(certificate.Hash) (*certificate.Certificate, error)) iter.Seq2[*certificate.Certificate, error] {
	return func(yield func(*certificate.Certificate, error) bool) {
		for hash := leaf; ; {
			c, err := lookup(hash)
			if err == nil && c == nil {
				err = ErrCertificateNotFound
			}
			if !yield(c, err) || err != nil || c.IsGenesis() {
				return
			}
			hash = c.PreviousHash
		}
	}
}
