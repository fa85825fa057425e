package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// judge returns our verdict. As the reference's oracle does, it decodes every certificate before the walk from the first one. The
// walk is verified in four ways, whose verdicts must agree.
func judge(certs []json.RawMessage, genesisKey [32]byte, keys *multisig.KeyCache, allWays bool) error {
	known := map[certificate.Hash]*certificate.Certificate{}
	raws := map[certificate.Hash][]byte{}
	var first *certificate.Certificate
	decoder := certificate.Decoder{Keys: keys}
	for _, raw := range certs {
		c, err := decoder.Decode(raw)
		if first != nil && misnamed(err) {
			continue // No link leads to it, and the reference looks at the hash only then.
		}
		if err != nil {
			return err
		}
		if first == nil {
			first = c
		}
		known[c.Hash], raws[c.Hash] = c, raw
	}
	trust := chain.Trust{GenesisKey: genesisKey}
	walk := func() iter.Seq2[*certificate.Certificate, error] {
		i := 0
		return chain.Walk(first.Hash, func(h certificate.Hash) (*certificate.Certificate, error) {
			if i++; i == 1 {
				return first, nil // even when a later one claims the same hash
			}
			return known[h], nil
		})
	}
	_, err := chain.Verify(context.Background(), walk(), trust, chain.WithJobs(1), chain.WithKeyCache(keys))
	if !allWays {
		return err
	}
	encoded := func(yield func([]byte, error) bool) {
		for c, err := range walk() {
			var raw []byte
			if err == nil {
				raw = raws[c.Hash]
				if c == first {
					raw = certs[0]
				}
			}
			if !yield(raw, err) {
				return
			}
		}
	}
	_, parallel := chain.VerifyEncoded(context.Background(), encoded, trust, chain.WithJobs(2), chain.WithWindow(1))
	_, single := chain.Verify(context.Background(), walk(), trust, chain.WithJobs(1), chain.WithoutBatch())
	for name, other := range map[string]error{"VerifyEncoded": parallel, "WithoutBatch": single} {
		if fmt.Sprint(other) != fmt.Sprint(err) {
			return fmt.Errorf("%w: Verify says %v, %s says %v", errWays, err, name, other)
		}
	}
	return err
}

// misnamed reports whether a certificate is refused for the shape of its hash.
func misnamed(err error) bool {
	var c *certificate.Error
	return errors.As(err, &c) && c.Place == "hash"
}

// errWays says that two ways of verifying disagree.
var errWays = errors.New("two ways, two verdicts")

// stricter are the reasons to refuse a chain that the reference accepts, each with its place in SPEC 11.
var stricter = map[string]string{
	string(verdict.RuleEpochDecreases):       "11.3: a parent may not be newer than its child",
	string(verdict.RuleParametersOutOfRange): "11.3: k >= 1, m >= k, 0 < phi_f <= 1",
	string(verdict.RuleMessagePartMalformed): "11.3: a message part has the shape of its kind",
	string(verdict.RuleDateOutOfRange):       "11.3: dates whose nanoseconds do not fit in i64",
	string(verdict.RuleGenesisChildUnpinned): "11.3: a same-epoch child of a genesis certificate",
	string(verdict.RuleChainTooLong):         "11.3: chain length and epochs are bounded",
	string(verdict.RuleLimitExceeded):        "11.3: sizes are bounded",
	string(verdict.DetailStakeOutOfRange):    "11.3: sizes are bounded (9.1): 0 < stake <= total stake",
	"path-value-unused":                      "11.3: every batch-path value is consumed",
	"point-length":                           "11.3: sizes are bounded (9.1): a key has exactly 96 bytes, in CBOR too",
	"path-no-leaves":                         "11.3: sizes are bounded (9.1): 1 <= nr_leaves <= 2^20",
	"path-index-order":                       "11.3: indices strictly increase",
	"path-index-range":                       "11.3: indices are < nr_leaves",
	"previous-hash-shape":                    "11.3: previous_hash is 64 lowercase hex, or empty on genesis only",
	"32-bytes":                               "11.3: values and root are 32 bytes",
}

// looser is the reason to accept what the reference refuses.
const looser = "11.4: CardanoImmutableFilesFull stays supported"

// reason returns the key into stricter that allows the refusal, or "".
func reason(certs []json.RawMessage, err error) string {
	var c *certificate.Error
	var e *chain.Error
	rule := ""
	switch {
	case errors.As(err, &e) && e.Detail != "":
		rule = string(e.Detail)
	case errors.As(err, &e):
		rule = string(e.Rule)
	case errors.As(err, &c):
		rule = string(c.Rule)
	}
	switch {
	case errors.Is(err, merkle.ErrValueUnused):
		return "path-value-unused"
	case errors.Is(err, merkle.ErrNoLeaves), errors.Is(err, merkle.ErrTooManyLeaves):
		return "path-no-leaves"
	case errors.Is(err, merkle.ErrIndexOrder):
		return "path-index-order"
	case errors.Is(err, merkle.ErrIndexRange):
		return "path-index-range"
	case errors.As(err, &c) && c.Place == "previous_hash":
		return "previous-hash-shape"
	case errors.As(err, &c) && c.Place == "multi_signature" && strings.HasSuffix(err.Error(), "bytes, want 96"):
		return "point-length"
	case errors.As(err, &c) && strings.Contains(err.Error(), "32 bytes"), errors.As(err, &c) && strings.Contains(err.Error(), "want 32"):
		return "32-bytes"
	case errors.As(err, &c) && c.Place == "aggregate_verification_key" && legacyKeys(certs):
		return "32-bytes"
	case stricter[rule] != "":
		return rule
	}
	return ""
}

// legacyKeys reports whether a key passes for the legacy form with a root of another length than 32 bytes. The reference tries that form
// last, so that it takes nearly any bytes for a key: 8 of leaves, any number of root, 8 of stake.
func legacyKeys(certs []json.RawMessage) bool {
	for _, raw := range certs {
		var c struct {
			Key string `json:"aggregate_verification_key"`
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			continue
		}
		if b, err := hex.DecodeString(c.Key); err == nil && len(b) >= 16 && len(b) != 48 {
			if _, _, err := stm.ParseAggregateVerificationKey([]byte(c.Key)); err != nil {
				return true
			}
		}
	}
	return false
}

// outcome compares our verdict with the reference's. It returns the allowed reason for a difference, or a description of a
// difference that nothing allows.
func outcome(certs []json.RawMessage, ours error, theirs string) (allowed, difference string) {
	switch valid := theirs == "VALID"; {
	case errors.Is(ours, errWays):
		return "", ours.Error()
	case (ours == nil) == valid:
		return "", ""
	case ours == nil:
		if discontinued(certs) && strings.Contains(theirs, "ignedEntityType") || discontinued(certs) && strings.Contains(theirs, "Discontinued") {
			return looser, ""
		}
		return "", fmt.Sprintf("valid for us, for the reference %s", theirs)
	}
	if r := reason(certs, ours); r != "" {
		return r, ""
	}
	return "", fmt.Sprintf("valid for the reference, for us %v", ours)
}

// discontinued reports whether a certificate is about CardanoImmutableFilesFull.
func discontinued(certs []json.RawMessage) bool {
	for _, raw := range certs {
		if c, err := certificate.Inspect(raw); err == nil && c.SignedEntityType.Kind == certificate.CardanoImmutableFilesFull {
			return true
		}
	}
	return false
}
