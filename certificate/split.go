package certificate

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/verdict"
)

// Split yields the certificates of a JSON array, of JSON lines or other values that follow one another, or of a single object, each
// as its JSON text in a slice of its own. It reads r as it goes and holds one certificate at a time. It finds where a
// certificate ends and checks nothing else: that is for [Decode].
//
// The sequence ends at the end of the input or behind the first error. An error of the text is an [*Error] whose place is the number of
// the certificate, counted from 0; among them, of class verdict.ErrLimit, are a certificate of more than
// 4 MiB and more than 2²⁰ of them. An error of r is returned as it is. Input without any
// certificate yields nothing.
func Split(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		s := certio.NewScanner(r)
		for {
			raw, _, err := s.Next()
			if err == io.EOF || errors.Is(err, certio.ErrEmpty) {
				return
			}
			if err != nil {
				if verdict.Class(err) != nil {
					err = at(fmt.Sprintf("[%d]", s.Count()), err)
				}
				yield(nil, err)
				return
			}
			if !yield(raw, nil) {
				return
			}
		}
	}
}
