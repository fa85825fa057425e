package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/network"
	"github.com/stmverify/stmverify/verdict"
)

// genesisKeyBeside reads the genesis verification key of the chain in path.
func genesisKeyBeside(path string) (network.Key, error) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "genesis.vkey"))
	if err != nil {
		return network.Key{}, err
	}
	return network.ParseKey(string(text))
}

// runChain verifies a file of certificates from each tip to genesis.
func runChain(ctx context.Context, path string, r *Report) error {
	return runWalks(ctx, path, r, func(x *certio.Index) []certio.Hash { return x.Tips() })
}

// runEveryWalk verifies the walk to genesis of every certificate in the file.
func runEveryWalk(ctx context.Context, path string, r *Report) error {
	return runWalks(ctx, path, r, func(x *certio.Index) []certio.Hash { return x.All() })
}

func runWalks(ctx context.Context, path string, r *Report, starts func(*certio.Index) []certio.Hash) error {
	key, err := genesisKeyBeside(path)
	if err != nil {
		return err
	}
	in, err := certio.Open(path, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	x, err := in.Index(ctx)
	if err != nil {
		return err
	}
	from := starts(x)
	for _, tip := range from {
		_, err := chain.VerifyEncoded(ctx, x.Walk(ctx, tip), chain.Trust{GenesisKey: key})
		r.check("walk from "+tip.String(), err)
	}
	if n := x.Reachable(from...); n < x.Len() {
		r.check("every certificate on a walk", fmt.Errorf("%d certificates are on no walk", x.Len()-n))
	}
	r.Note = fmt.Sprintf("%d certificates", x.Len())
	return nil
}

// chainCase is a chain and the rule that it breaks.
type chainCase struct {
	Name         string            `json:"name"`
	Certificates []json.RawMessage `json:"certificates"` // the walk starts at the first
	GenesisKey   string            `json:"genesis_vkey"`
	Expect       string            `json:"expect"`
	Reason       string            `json:"reason"` // a rule, "any", or "valid"
}

func runChainCases(ctx context.Context, path string, r *Report) error {
	return decodeLines(path, func(c chainCase) error {
		valid, err := parseVerdict(c.Expect)
		if err == nil {
			r.check(c.Name, c.run(ctx, valid))
		}
		return err
	})
}

func (c *chainCase) run(ctx context.Context, valid bool) error {
	err := c.verify(ctx)
	if wrong := verdictOf(err, valid); wrong != nil {
		return wrong
	}
	if valid {
		return nil
	}
	if !errors.Is(err, verdict.ErrInvalid) && !errors.Is(err, verdict.ErrUnsupported) && !errors.Is(err, verdict.ErrLimit) {
		return fmt.Errorf("the refusal has no class: %w", err)
	}
	rule := ruleOf(err)
	if rule == "" {
		return fmt.Errorf("the refusal names no rule: %w", err)
	}
	if c.Reason != "any" && string(rule) != c.Reason {
		return fmt.Errorf("names the rule %s, want %s: %w", rule, c.Reason, err)
	}
	return nil
}

func ruleOf(err error) verdict.Rule {
	var link *chain.Error
	var place *certio.Error
	switch {
	case errors.As(err, &link):
		return link.Rule
	case errors.As(err, &place):
		return place.Rule
	}
	return ""
}

func (c *chainCase) verify(ctx context.Context) error {
	key, err := network.ParseKey(c.GenesisKey)
	if err != nil {
		return err
	}
	var certs bytes.Buffer // one after another, byte for byte as they stand in the case
	for _, raw := range c.Certificates {
		certs.Write(raw)
	}
	in, err := certio.Open(certio.Stdin, &certs)
	if err != nil {
		return err
	}
	defer in.Close()
	x, err := in.Index(ctx)
	if err != nil {
		return err
	}
	_, err = chain.VerifyEncoded(ctx, x.Walk(ctx, x.First()), chain.Trust{GenesisKey: key})
	return err
}

// runCertificate verifies one certificate without its parent.
func runCertificate(_ context.Context, path string, r *Report) error {
	key, err := genesisKeyBeside(path)
	if err != nil {
		return err
	}
	data, err := read(path)
	if err != nil {
		return err
	}
	c, err := certificate.Decode(data)
	if err == nil {
		err = chain.VerifyAlone(c, chain.Trust{GenesisKey: key})
	}
	r.check("all rules but the links to a parent", err)
	return nil
}
