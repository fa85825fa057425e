package verdict_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/verdict"
)

// Decide by the class of an error what to do, and by the rule what to tell.
func Example() {
	nothing := func(func(*certificate.Certificate, error) bool) {}
	_, err := chain.Verify(context.Background(), nothing, chain.Trust{})

	switch verdict.Class(err) {
	case nil:
		fmt.Println("verified, or not a matter of the data")
	case verdict.ErrUnavailable:
		fmt.Println("ask again")
	default:
		fmt.Println("refused")
	}
	if e, ok := errors.AsType[*chain.Error](err); ok {
		fmt.Println(e.Rule == verdict.RuleCertificateNotFound)
	}
	// Output:
	// refused
	// true
}
