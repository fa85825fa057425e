package forge

import (
	"bytes"
	"iter"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
)

func each(links ...*Link) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, link := range links {
			if !yield(link.Text, nil) {
				return
			}
		}
	}
}

func TestChainsVerify(t *testing.T) {
	f := New("a", "forged")
	trust := chain.Trust{GenesisKey: f.GenesisKey(), Network: "forged"}
	links := f.Chain(10, 5)
	transactions := Spec{
		Entity: certificate.SignedEntityType{Kind: certificate.CardanoTransactions, BlockNumber: 7},
		Parts:  map[certificate.PartKey]string{certificate.LatestBlockNumber: "7", certificate.CardanoTransactionsMerkleRoot: links[0].Hash.String()},
	}
	other := f.Next(links[1], false, Spec{Signer: "somebody else"})
	walks := map[string][]*Link{
		"one an epoch":         links,
		"a leaf in its epoch":  append([]*Link{f.Next(links[0], true, transactions)}, links...),
		"a fork":               append([]*Link{f.Next(other, false, Spec{}), other}, links[1:]...),
		"a second genesis":     {f.Genesis(11, Spec{})},
		"another next signers": append([]*Link{other}, links[1:]...),
	}
	for name, walk := range walks {
		if _, err := chain.VerifyEncoded(t.Context(), each(walk...), trust); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if other.Hash == links[0].Hash {
		t.Error("the fork is the same certificate")
	}
	trust.GenesisKey = New("b", "forged").GenesisKey()
	if _, err := chain.VerifyEncoded(t.Context(), each(links...), trust); err == nil {
		t.Error("accepted under the key of another forge")
	}
	if !bytes.Equal(links[0].Text, New("a", "forged").Chain(10, 5)[0].Text) {
		t.Error("the same calls make another chain")
	}
}
