package conformance

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/stmverify/stmverify/ed25519"
)

// ed25519Case has one input and its verdict under each rule set.
type ed25519Case struct {
	Set              string   `json:"set"`
	ID               any      `json:"id"`
	Public           hexBytes `json:"pub"`
	Message          hexBytes `json:"msg"`
	Signature        hexBytes `json:"sig"`
	Strict           bool     `json:"strict"`
	ZIP215           bool     `json:"zip215"`
	CofactoredStrict bool     `json:"cofactored_strict"`
	StdLib           bool     `json:"stdlib"`
}

func runEd25519(_ context.Context, path string, r *Report) error {
	cases, err := decodeFile[[]ed25519Case](path)
	if err != nil {
		return err
	}
	for i := range cases {
		c := &cases[i]
		for mode, valid := range map[ed25519.Mode]bool{
			ed25519.Strict:           c.Strict,
			ed25519.ZIP215:           c.ZIP215,
			ed25519.CofactoredStrict: c.CofactoredStrict,
			ed25519.StdLib:           c.StdLib,
		} {
			err := ed25519.Verify(mode, c.Public, c.Message, c.Signature)
			r.check(fmt.Sprintf("%s %v, %v", c.Set, c.ID, mode), verdictOf(err, valid))
		}
	}
	return nil
}

// hexBytes is a JSON string of hexadecimal characters.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}
