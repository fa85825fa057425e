package testkit

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// Fault is one thing wrong with a chain: the rule that names it, or a detail of the multi-signature rule, and the
// certificate, counted from the newest.
type Fault struct {
	Name     string
	Position int
}

// ParseFault reads name@position, or name alone for the newest certificate that can have the fault.
func ParseFault(text string) (*Fault, error) {
	name, position, given := strings.Cut(text, "@")
	f := &Fault{Name: name}
	if !known(name) {
		return nil, fmt.Errorf("testkit: unknown fault %q, want one of %s", name, strings.Join(FaultNames(), ", "))
	}
	if given {
		n, err := strconv.Atoi(position)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("testkit: fault %s: position %q is not a number", name, position)
		}
		f.Position = n
	}
	return f, nil
}

// FaultNames lists the names of faults.
func FaultNames() []string {
	names := slices.Collect(maps.Keys(faults))
	return slices.Sorted(slices.Values(append(names, buildFaults...)))
}

func known(name string) bool { return faults[name] != nil || slices.Contains(buildFaults, name) }

func (f *Fault) String() string { return fmt.Sprintf("%s@%d", f.Name, f.Position) }

func (f *Fault) check(s *Spec) error {
	if f == nil {
		return nil
	}
	if !known(f.Name) {
		return fmt.Errorf("testkit: unknown fault %q", f.Name)
	}
	if f.Position < 0 || f.Position >= s.Certificates {
		return fmt.Errorf("testkit: fault %v: there are %d certificates", f, s.Certificates)
	}
	return nil
}

// errNoPlace says that the certificate cannot have the fault: it is the genesis certificate, or it is not, or the walk from
// the newest does not come to it, or the chain is too short.
var errNoPlace = errors.New("this certificate cannot have this fault")

// surgery is a chain under the knife: the certificates in walk order, where the fault goes and what may follow from it.
type surgery struct {
	ctx     context.Context
	builder *builder
	certs   []*certificate.Certificate // the newest first
	at      int
	raw     map[int][]byte // what replaces the encoding of a certificate
	gone    int            // the certificate to leave out, or -1
}

// insert puts the fault into the chain.
func (f *Fault) insert(ctx context.Context, b *builder, chain *Chain) error {
	if faults[f.Name] == nil {
		if !b.faulty {
			return fmt.Errorf("%w: %v", errNoPlace, f)
		}
		return nil // It was built in.
	}
	s := &surgery{ctx: ctx, builder: b, at: f.Position, raw: map[int][]byte{}, gone: -1}
	for _, raw := range chain.Certificates {
		c, err := certificate.Decode(raw)
		if err != nil {
			return err
		}
		s.certs = append(s.certs, c)
	}
	if !s.onWalk(s.certs[f.Position]) {
		return fmt.Errorf("%w: it is not on the walk from the newest: %v", errNoPlace, f)
	}
	if err := faults[f.Name](s, s.certs[f.Position]); err != nil {
		return fmt.Errorf("%w: %v", err, f)
	}
	chain.Certificates = chain.Certificates[:0]
	for i, c := range s.certs {
		if i == s.gone {
			continue
		}
		raw := s.raw[i]
		if raw == nil {
			var err error
			if raw, err = c.AppendJSON(nil); err != nil {
				return err
			}
		}
		chain.Certificates = append(chain.Certificates, raw)
	}
	return nil
}

// reseal computes the hash of a certificate anew and links its children to the new one, and so on up to the newest.
func (s *surgery) reseal(c *certificate.Certificate) error {
	before := c.Hash
	if err := seal(c); err != nil {
		return err
	}
	return s.relink(before, c.Hash)
}

// relink points the children of a certificate to its new hash.
func (s *surgery) relink(before, after certificate.Hash) error {
	if before == after {
		return nil
	}
	for _, child := range s.certs {
		if child.PreviousHash == before && !child.IsGenesis() {
			child.PreviousHash = after
			if err := s.reseal(child); err != nil {
				return err
			}
		}
	}
	return nil
}

// onWalk reports whether the walk from the newest certificate comes to c.
func (s *surgery) onWalk(c *certificate.Certificate) bool {
	for w := s.certs[0]; w != nil; w = s.parent(w) {
		if w == c {
			return true
		}
		if w.IsGenesis() {
			break
		}
	}
	return false
}

// parent returns the parent of c.
func (s *surgery) parent(c *certificate.Certificate) *certificate.Certificate {
	for _, p := range s.certs {
		if p.Hash == c.PreviousHash {
			return p
		}
	}
	return nil
}

// edit replaces a text in the encoding of a certificate.
func (s *surgery) edit(c *certificate.Certificate, old, new string) error {
	raw, err := c.AppendJSON(nil)
	if err != nil {
		return err
	}
	edited := bytes.Replace(raw, []byte(old), []byte(new), 1)
	if bytes.Equal(edited, raw) {
		return errNoPlace
	}
	s.raw[s.at] = edited
	return nil
}

// editProof replaces a text in the JSON of the multi-signature.
func (s *surgery) editProof(c *certificate.Certificate, change func(text string) string) error {
	if c.MultiSignature == nil {
		return errNoPlace
	}
	before := string(c.MultiSignature.AppendJSON(nil))
	after := change(before)
	if after == before {
		return errNoPlace
	}
	proof, err := stm.ParseAggregateSignatureJSON([]byte(after), nil)
	if err != nil {
		return err
	}
	c.MultiSignature = proof
	return s.reseal(c)
}

// proofJSON is the canonical JSON form of a proof.
type proofJSON struct {
	Signatures [][2]json.RawMessage `json:"signatures"`
	BatchProof json.RawMessage      `json:"batch_proof"`
}

type singleJSON struct {
	Sigma       []int    `json:"sigma"`
	Indexes     []uint64 `json:"indexes"`
	SignerIndex uint64   `json:"signer_index"`
}

// editSingle changes the first single signature of the proof.
func (s *surgery) editSingle(c *certificate.Certificate, change func(*singleJSON)) error {
	var failed error
	err := s.editProof(c, func(text string) string {
		var p proofJSON
		var single singleJSON
		if failed = json.Unmarshal([]byte(text), &p); failed != nil {
			return text
		}
		if failed = json.Unmarshal(p.Signatures[0][0], &single); failed != nil {
			return text
		}
		change(&single)
		p.Signatures[0][0], _ = json.Marshal(single) // It has only numbers.
		out, _ := json.Marshal(p)
		return string(out)
	})
	return errors.Join(failed, err)
}

// standardOnly refuses the genesis certificate.
func standardOnly(f func(s *surgery, c *certificate.Certificate) error) func(s *surgery, c *certificate.Certificate) error {
	return func(s *surgery, c *certificate.Certificate) error {
		if c.IsGenesis() {
			return errNoPlace
		}
		return f(s, c)
	}
}

// faults maps the name of a rule, or of a detail of the multi-signature rule, to what breaks it and nothing before it.
var faults = map[string]func(s *surgery, c *certificate.Certificate) error{
	string(verdict.RuleCertificateHashMismatch): func(s *surgery, c *certificate.Certificate) error {
		c.Metadata.SealedAt = c.Metadata.SealedAt.Add(1)
		return nil
	},
	string(verdict.RulePreviousHashMismatch): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		before := c.PreviousHash
		c.PreviousHash[31] ^= 1
		if before == c.PreviousHash {
			return errNoPlace
		}
		return s.reseal(c)
	}),
	string(verdict.RuleCertificateNotFound): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		s.gone = slices.Index(s.certs, s.parent(c))
		return nil
	}),
	string(verdict.RuleChainLoop): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		c.PreviousHash = c.Hash
		return nil
	}),
	string(verdict.RuleSignedMessageMismatch): func(s *surgery, c *certificate.Certificate) error {
		next, _ := c.ProtocolMessage.Part(certificate.NextProtocolParameters)
		c.ProtocolMessage.SetPart(certificate.NextProtocolParameters, flipHex(next))
		return s.reseal(c)
	},
	string(verdict.RuleEpochMismatch): func(s *surgery, c *certificate.Certificate) error {
		c.Epoch--
		return s.reseal(c)
	},
	string(verdict.RuleGenesisSignatureInvalid): func(s *surgery, c *certificate.Certificate) error {
		genesis := s.certs[len(s.certs)-1]
		genesis.GenesisSignature[0] ^= 1
		return s.reseal(genesis)
	},
	string(verdict.RuleProtocolParametersMismatch): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		if c.Metadata.Parameters.K == 1 {
			return errNoPlace
		}
		c.Metadata.Parameters.K--
		return s.reseal(c)
	}),
	string(verdict.RuleMultiSignatureInvalid): standardOnly(exchangeSigma),
	string(verdict.DetailAggregateInvalid):    standardOnly(exchangeSigma),
	string(verdict.DetailIndexOutOfRange): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		m := c.Metadata.Parameters.M
		return s.editSingle(c, func(single *singleJSON) { single.Indexes[0] = m + 1 })
	}),
	string(verdict.DetailIndexNotUnique): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		return s.editSingle(c, func(single *singleJSON) { single.Indexes = append(single.Indexes, single.Indexes[0]) })
	}),
	string(verdict.DetailLotteryLost): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		lost, ok := lostIndex(c)
		if !ok {
			return errNoPlace
		}
		return s.editSingle(c, func(single *singleJSON) { single.Indexes = append(single.Indexes, lost) })
	}),
	string(verdict.DetailQuorumNotReached): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		spare := uint64(c.MultiSignature.NrIndexes()) - c.Metadata.Parameters.K
		if spare >= uint64(len(c.MultiSignature.Indexes(0))) {
			return errNoPlace
		}
		return s.editSingle(c, func(single *singleJSON) { single.Indexes = single.Indexes[spare+1:] })
	}),
	string(verdict.DetailMerklePathInvalid): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		key := *c.AVK
		key.Root[0] ^= 1
		c.AVK = &key
		return s.reseal(c)
	}),
	string(verdict.DetailStakeOutOfRange): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		key := *c.AVK
		key.TotalStake = 1
		c.AVK = &key
		return s.reseal(c)
	}),
	string(verdict.RuleMalformed): func(s *surgery, c *certificate.Certificate) error {
		return s.edit(c, `"multi_signature":"7b`, `"multi_signature":"7`)
	},
	string(verdict.RuleLimitExceeded): func(s *surgery, c *certificate.Certificate) error {
		return s.edit(c, `"version":"`, `"version":"`+strings.Repeat("9", 1<<20))
	},
	string(verdict.RuleUnsupported): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		text := string(c.MultiSignature.AppendJSONHex(nil))
		return s.edit(c, text, hex.EncodeToString([]byte(`{"Snark":{"proof":[]}}`)))
	}),
	string(verdict.RuleParametersOutOfRange): standardOnly(func(s *surgery, c *certificate.Certificate) error {
		return s.edit(c, fmt.Sprintf(`"k":%d`, c.Metadata.Parameters.K), `"k":0`)
	}),
	string(verdict.RuleDateOutOfRange): func(s *surgery, c *certificate.Certificate) error {
		text := `"sealed_at":"` + strconv.Itoa(c.Metadata.SealedAt.Year())
		return s.edit(c, text, `"sealed_at":"9999`)
	},
	string(verdict.RuleNetworkMismatch): func(s *surgery, c *certificate.Certificate) error {
		c.Metadata.Network += "-other"
		return s.reseal(c)
	},
}

// flipHex changes the last digit.
func flipHex(text string) string {
	last := byte('0')
	if text[len(text)-1] == '0' {
		last = '1'
	}
	return text[:len(text)-1] + string(last)
}

// exchangeSigma gives the first single signature one that its signer made for another message, with the indices that this
// one happens to win, so that everything but the pairing is in order.
func exchangeSigma(s *surgery, c *certificate.Certificate) error {
	epoch, err := s.builder.spec.NewEpoch(s.ctx, c.Epoch, 0)
	if err != nil {
		return err
	}
	_, stake, index := c.MultiSignature.Party(0)
	key := epoch.keyAt(index)
	if key == nil {
		return errNoPlace
	}
	threshold, err := stm.NewThreshold(c.Metadata.Parameters.PhiF, stake, c.AVK.TotalStake)
	if err != nil {
		return err
	}
	others := map[uint64]bool{}
	for i := 1; i < c.MultiSignature.Len(); i++ {
		for _, index := range c.MultiSignature.Indexes(i) {
			others[index] = true
		}
	}
	signed := c.AVK.SignedMessage([]byte(c.SignedMessage))
	const tries = 10_000
	for try := range tries {
		sigma := key.Sign(fmt.Appendf(nil, "another message %d", try))
		var won []uint64
		for index := range c.Metadata.Parameters.M {
			if ev := stm.Evaluate(signed, sigma, index); !others[index] && threshold.Wins(&ev) {
				won = append(won, index)
			}
		}
		if len(won) > 0 && uint64(len(others)+len(won)) >= c.Metadata.Parameters.K {
			return s.editSingle(c, func(single *singleJSON) {
				single.Indexes = won
				for i, b := range sigma.Bytes() {
					single.Sigma[i] = int(b)
				}
			})
		}
	}
	return errNoPlace
}

// lostIndex returns an index that the first signer lost and nobody claims.
func lostIndex(c *certificate.Certificate) (uint64, bool) {
	claimed := map[uint64]bool{}
	for i := range c.MultiSignature.Len() {
		for _, index := range c.MultiSignature.Indexes(i) {
			claimed[index] = true
		}
	}
	_, stake, _ := c.MultiSignature.Party(0)
	threshold, err := stm.NewThreshold(c.Metadata.Parameters.PhiF, stake, c.AVK.TotalStake)
	if err != nil {
		return 0, false
	}
	signed := c.AVK.SignedMessage([]byte(c.SignedMessage))
	sigma := c.MultiSignature.Signature(0)
	for index := range c.Metadata.Parameters.M {
		if ev := stm.Evaluate(signed, sigma, index); !claimed[index] && !threshold.Wins(&ev) {
			return index, true
		}
	}
	return 0, false
}

// keyAt returns the signing key of the party at a position of the registration order.
func (e *Epoch) keyAt(index uint64) *multisig.SigningKey {
	party, err := e.Closed.Entry(index)
	if err != nil {
		return nil
	}
	for _, key := range e.Keys {
		if key.VerificationKey().Equal(party.Key) {
			return key
		}
	}
	return nil
}
