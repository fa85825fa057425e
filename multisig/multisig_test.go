package multisig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/bls12381/backend"
	"github.com/stmverify/stmverify/verdict"
)

// signers returns n keys made from a seed.
func signers(t testing.TB, seed uint64, n int) []*SigningKey {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	keys := make([]*SigningKey, n)
	for i := range keys {
		ikm := make([]byte, 32)
		for j := range ikm {
			ikm[j] = byte(rng.Uint32())
		}
		key, err := GenerateSigningKey(ikm)
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = key
	}
	return keys
}

// aggregate is a valid aggregate of the keys on msg.
func aggregate(keys []*SigningKey, msg []byte) Aggregate {
	a := Aggregate{Message: msg}
	for _, k := range keys {
		a.Keys = append(a.Keys, k.VerificationKey())
		a.Signatures = append(a.Signatures, *k.Sign(msg))
	}
	return a
}

func (a *Aggregate) claim(t testing.TB) Claim {
	t.Helper()
	c, err := NewClaim(a.Message, a.Keys, a.Signatures)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDecodingRefuses(t *testing.T) {
	key := signers(t, 1, 1)[0]
	sig, vk, pop := key.Sign([]byte("m")).Bytes(), key.VerificationKey().Bytes(), key.ProvePossession().Bytes()
	infinity := func(n int) []byte { return append([]byte{0xc0}, make([]byte, n-1)...) }
	onCurveOnly := append([]byte{0x80}, make([]byte, SignatureSize-1)...) // (0, ±2), of order 3
	uncompressed := bytes.Clone(sig[:])
	uncompressed[0] &^= 0x80
	for name, test := range map[string]struct {
		decode func([]byte) error
		input  []byte
		want   error
	}{
		"signature, empty":               {decodeSignature, nil, ErrLength},
		"signature, short":               {decodeSignature, sig[:47], ErrLength},
		"signature, trailing byte":       {decodeSignature, append(sig[:], 0), ErrLength},
		"signature, infinity":            {decodeSignature, infinity(48), ErrInfinity},
		"signature, without flag":        {decodeSignature, uncompressed, ErrNotCanonical},
		"signature, coordinate of 2^381": {decodeSignature, bytes.Repeat([]byte{0xbf}, 48), ErrNotCanonical},
		"signature, order three":         {decodeSignature, onCurveOnly, ErrNotInSubgroup},
		"signature, off the curve":       {decodeSignature, append(bytes.Clone(onCurveOnly[:47]), 1), ErrNotOnCurve},
		"key, short":                     {decodeKey, vk[:95], ErrLength},
		"key, a signature":               {decodeKey, sig[:], ErrLength},
		"key, infinity":                  {decodeKey, infinity(96), ErrInfinity},
		"key, infinity and more":         {decodeKey, append(infinity(95), 1), ErrNotCanonical},
		"possession, short":              {decodePossession, pop[:95], ErrLength},
		"possession, k1 infinity":        {decodePossession, append(infinity(48), pop[48:]...), ErrInfinity},
		"possession, k2 of order three":  {decodePossession, append(bytes.Clone(pop[:48]), onCurveOnly...), ErrNotInSubgroup},
		"possession, k1 of order three":  {decodePossession, append(bytes.Clone(onCurveOnly), pop[48:]...), ErrNotInSubgroup},
		"possession, k2 infinity":        {decodePossession, append(bytes.Clone(pop[:48]), infinity(48)...), ErrInfinity},
		"secret key, short":              {decodeSecret, make([]byte, 31), ErrLength},
		"secret key, zero":               {decodeSecret, make([]byte, 32), ErrSecretKey},
		"secret key, above r":            {decodeSecret, bytes.Repeat([]byte{0xff}, 32), ErrSecretKey},
		"key material, short":            {decodeMaterial, make([]byte, 31), ErrLength},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.decode(test.input)
			if !errors.Is(err, test.want) || !errors.Is(err, verdict.ErrInvalid) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
	for name, test := range map[string]struct {
		decode func([]byte) error
		input  []byte
	}{"signature": {decodeSignature, sig[:]}, "key": {decodeKey, vk[:]}, "possession": {decodePossession, pop[:]}} {
		if err := test.decode(test.input); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func decodeSignature(b []byte) error  { _, err := SignatureFromBytes(b); return err }
func decodeKey(b []byte) error        { _, err := VerificationKeyFromBytes(b); return err }
func decodePossession(b []byte) error { _, err := ProofOfPossessionFromBytes(b); return err }
func decodeSecret(b []byte) error     { _, err := SigningKeyFromBytes(b); return err }
func decodeMaterial(b []byte) error   { _, err := GenerateSigningKey(b); return err }

func TestDecodeManyNamesTheFirstRefused(t *testing.T) {
	keys := signers(t, 2, 5)
	var sigs, vks []byte
	for _, k := range keys {
		sigs = k.Sign([]byte("m")).AppendTo(sigs)
		vks = k.VerificationKey().AppendTo(vks)
	}
	for position := range keys {
		badSigs, badKeys := bytes.Clone(sigs), bytes.Clone(vks)
		badSigs[position*SignatureSize] = 0xc0
		badKeys[position*VerificationKeySize] = 0
		var e *PointError
		if err := DecodeSignatures(make([]Signature, 5), badSigs); !errors.As(err, &e) || e.Position != position {
			t.Errorf("signature %d: got %v", position, err)
		}
		cache := NewKeyCache(8)
		if err := DecodeVerificationKeys(make([]*VerificationKey, 5), badKeys, cache); !errors.As(err, &e) || e.Position != position {
			t.Errorf("key %d: got %v", position, err)
		}
		if hits, decoded := cache.Counts(); hits != 0 || decoded != 0 {
			t.Errorf("a refused group of keys counts as %d hits, %d decoded", hits, decoded)
		}
	}
	if err := DecodeSignatures(make([]Signature, 5), sigs[:len(sigs)-1]); !errors.Is(err, ErrLength) {
		t.Errorf("short: %v", err)
	}
	if err := DecodeVerificationKeys(make([]*VerificationKey, 4), vks, nil); !errors.Is(err, ErrLength) {
		t.Errorf("long: %v", err)
	}
}

func TestKeyCacheIsBoundedAndShares(t *testing.T) {
	keys := signers(t, 3, 7)
	var all []byte
	for _, k := range keys {
		all = k.VerificationKey().AppendTo(all)
	}
	cache := NewKeyCache(3)
	first, second := make([]*VerificationKey, 7), make([]*VerificationKey, 7)
	for _, dst := range [][]*VerificationKey{first, second} {
		if err := DecodeVerificationKeys(dst, all, cache); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(cache.young) + len(cache.old); n > 6 {
		t.Errorf("holds %d keys, want at most 6", n)
	}
	if first[6] != second[6] {
		t.Error("the newest key was decoded twice")
	}
	if hits, decoded := cache.Counts(); hits+decoded != 14 || hits == 0 {
		t.Errorf("got %d hits, %d decoded", hits, decoded)
	}
}

func TestClaimRefuses(t *testing.T) {
	a := aggregate(signers(t, 4, 3), []byte("m"))
	for name, test := range map[string]struct {
		keys []*VerificationKey
		sigs []Signature
		want error
	}{
		"empty":          {nil, nil, ErrEmpty},
		"fewer keys":     {a.Keys[:2], a.Signatures, ErrLength},
		"more keys":      {a.Keys, a.Signatures[:2], ErrLength},
		"nil key":        {[]*VerificationKey{nil}, a.Signatures[:1], ErrZeroValue},
		"zero key":       {[]*VerificationKey{{}}, a.Signatures[:1], ErrZeroValue},
		"zero signature": {a.Keys[:1], []Signature{{}}, ErrZeroValue},
	} {
		if _, err := NewClaim(a.Message, test.keys, test.sigs); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
	var zero Claim
	if err := zero.Verify(); !errors.Is(err, ErrEmpty) {
		t.Errorf("zero value: got %v", err)
	}
	if err := BatchVerifyAggregates(context.Background(), nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty batch: got %v", err)
	}
}

// TestBatchIsTheConjunctionOfSingles plants culprits of several kinds at random and compares the batch with every
// signature verified by itself.
func TestBatchIsTheConjunctionOfSingles(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	keys := signers(t, 5, 12)
	for round := range 24 {
		n := 1 + rng.IntN(16)
		if round == 0 {
			n = 64
		}
		var aggregates []Aggregate
		for i := range n {
			a := aggregate(keys[:1+rng.IntN(5)], fmt.Appendf(nil, "message %d", i%7))
			if rng.IntN(3) == 0 {
				corrupt(rng, &a, keys)
			}
			aggregates = append(aggregates, a)
		}
		compareWithSingles(t, aggregates)
	}
}

func corrupt(rng *rand.Rand, a *Aggregate, keys []*SigningKey) {
	i := rng.IntN(len(a.Signatures))
	switch rng.IntN(4) {
	case 0: // Another message.
		a.Signatures[i] = *keys[i].Sign([]byte("another message"))
	case 1: // Another key.
		a.Keys[i] = keys[len(keys)-1].VerificationKey()
	case 2: // Swapped within the claim; with one signature nothing changes.
		j := rng.IntN(len(a.Signatures))
		a.Signatures[i], a.Signatures[j] = a.Signatures[j], a.Signatures[i]
	case 3: // All wrong.
		a.Message = append(bytes.Clone(a.Message), '!')
	}
}

func compareWithSingles(t *testing.T, aggregates []Aggregate) {
	t.Helper()
	var want []string
	for slot, a := range aggregates {
		var bad []int
		for i := range a.Signatures {
			if err := a.Signatures[i].Verify(a.Message, a.Keys[i]); err != nil {
				bad = append(bad, i)
			}
		}
		if bad != nil {
			want = append(want, fmt.Sprint(slot, bad))
		}
		claim := a.claim(t)
		if err := claim.Verify(); (err == nil) != (bad == nil) {
			t.Errorf("claim %d: got %v, want bad signatures %v", slot, err, bad)
		}
	}
	var got []string
	err := BatchVerifyAggregates(context.Background(), aggregates)
	var e *BatchError
	if errors.As(err, &e) {
		for _, c := range e.Claims {
			got = append(got, fmt.Sprint(c.Slot, c.Signatures))
		}
	} else if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("batch names %v, want %v", got, want)
	}
}

// TestCoefficientsProtect shows what the coefficients are for: two signatures shifted by opposite points pass when every
// coefficient is one, within a claim and across claims, and are both named when the coefficients are random.
func TestCoefficientsProtect(t *testing.T) {
	keys := signers(t, 6, 2)
	msg := []byte("m")
	shift := keys[0].Sign([]byte("shift"))
	within := aggregate(keys, msg)
	within.Signatures[0] = shifted(t, &within.Signatures[0], shift, false)
	within.Signatures[1] = shifted(t, &within.Signatures[1], shift, true)
	left, right := aggregate(keys[:1], msg), aggregate(keys[1:], msg)
	left.Signatures[0], right.Signatures[0] = within.Signatures[0], within.Signatures[1]

	for name, aggregates := range map[string][]Aggregate{"within": {within}, "across": {left, right}} {
		t.Run(name, func(t *testing.T) {
			var ones []*Prepared
			for _, a := range aggregates {
				claim := a.claim(t)
				p, err := claim.PrepareInsecurely(&repeating{pattern: append([]byte{1}, make([]byte, 15)...)}, nil)
				if err != nil {
					t.Fatal(err)
				}
				ones = append(ones, p)
			}
			if err := VerifyPrepared(context.Background(), ones, 1); err != nil {
				t.Errorf("with coefficients of one: %v", err)
			}
			compareWithSingles(t, aggregates)
		})
	}
}

// shifted returns s + d or s - d.
func shifted(t *testing.T, s, d *Signature, negative bool) Signature {
	t.Helper()
	p, q := s.point, d.point
	if negative {
		q.Neg(&q)
	}
	p.Add(&p, &q)
	enc := p.Bytes()
	out, err := SignatureFromBytes(enc[:])
	if err != nil {
		t.Fatal(err)
	}
	return *out
}

// repeating is a source of randomness that is none.
type repeating struct {
	pattern []byte
	next    int
}

func (r *repeating) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = r.pattern[r.next]
		r.next = (r.next + 1) % len(r.pattern)
	}
	return len(b), nil
}

func TestCoefficientsAreNeverZero(t *testing.T) {
	pattern := append(make([]byte, 16), 1)
	k, err := drawCoefficients(&repeating{pattern: append(pattern, make([]byte, 15)...)}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range k {
		if k[i].A0 == 0 && k[i].A1 == 0 {
			t.Errorf("coefficient %d is zero", i)
		}
	}
	if _, err := drawCoefficients(&repeating{pattern: []byte{0}}, 1); err == nil {
		t.Error("a source of zeros is accepted")
	}
	if _, err := drawCoefficients(strings.NewReader("short"), 1); err == nil {
		t.Error("a source that ends is accepted")
	}
}

func TestOperationCounts(t *testing.T) {
	keys := signers(t, 7, 9)
	for _, jobs := range []int{1, 2, 5} {
		for _, n := range []int{1, 2, 17} {
			counters := new(Counters)
			var prepared []*Prepared
			terms, many := 0, 0
			for i := range n {
				a := aggregate(keys[:1+i%9], fmt.Append(nil, i))
				claim := a.claim(t)
				p, err := claim.Prepare(counters)
				if err != nil {
					t.Fatal(err)
				}
				prepared = append(prepared, p)
				terms += claim.Len()
				if claim.Len() > 1 {
					many += claim.Len()
				}
			}
			if err := VerifyPrepared(context.Background(), prepared, jobs); err != nil {
				t.Fatal(err)
			}
			got := counters.Counts()
			if got.MillerLoops != uint64(n+1) || got.FinalExponentiations != 1 || got.HashesToCurve != uint64(n) {
				t.Errorf("n=%d jobs=%d: got %+v", n, jobs, got)
			}
			singles := n - int(got.G2Multiplications)
			if n == 1 && backend.Lanes() { // Not prepared yet, one signature alone needs no coefficient.
				terms, singles = 0, 0
			}
			if got.G2Terms != uint64(many) || got.G1Terms != uint64(terms+singles) {
				t.Errorf("n=%d jobs=%d: got %+v, want %d terms in G2, %d in G1", n, jobs, got, many, terms+singles)
			}
		}
	}
}

// TestCulpritsCostLogarithmically bounds the equations that k culprits among n cost.
func TestCulpritsCostLogarithmically(t *testing.T) {
	keys := signers(t, 8, 2)
	const n = 64
	for _, culprits := range [][]int{{0}, {63}, {31, 32}, {5, 20, 40}} {
		counters := new(Counters)
		var prepared []*Prepared
		for i := range n {
			a := aggregate(keys[:1], fmt.Append(nil, i))
			if slices.Contains(culprits, i) {
				a.Signatures[0] = *keys[1].Sign(a.Message)
			}
			claim := a.claim(t)
			p, err := claim.Prepare(counters)
			if err != nil {
				t.Fatal(err)
			}
			prepared = append(prepared, p)
		}
		var e *BatchError
		if err := VerifyPrepared(context.Background(), prepared, 1); !errors.As(err, &e) || len(e.Claims) != len(culprits) {
			t.Fatalf("got %v, want %d culprits", err, len(culprits))
		}
		for i, c := range e.Claims {
			if c.Slot != culprits[i] {
				t.Errorf("names %d, want %d", c.Slot, culprits[i])
			}
		}
		if got, most := counters.Counts().FinalExponentiations, uint64(1+2*6*len(culprits)); got > most {
			t.Errorf("%d culprits cost %d final exponentiations, want at most %d", len(culprits), got, most)
		}
	}
}

func TestCancelledContextGivesNoVerdict(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a := aggregate(signers(t, 9, 1), []byte("m"))
	if err := BatchVerifyAggregates(ctx, []Aggregate{a}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPossession(t *testing.T) {
	keys := signers(t, 10, 20)
	var vks []*VerificationKey
	var proofs []*ProofOfPossession
	for _, k := range keys {
		vks, proofs = append(vks, k.VerificationKey()), append(proofs, k.ProvePossession())
	}
	if err := VerifyPossessions(context.Background(), vks, proofs); err != nil {
		t.Fatal(err)
	}
	mixed := func(k1, k2 int) *ProofOfPossession {
		b := append(bytes.Clone(proofs[k1].enc[:48]), proofs[k2].enc[48:]...)
		p, err := ProofOfPossessionFromBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, test := range map[string]struct {
		change func(v []*VerificationKey, p []*ProofOfPossession)
		want   []int
	}{
		"of another key":   {func(_ []*VerificationKey, p []*ProofOfPossession) { p[3] = proofs[4] }, []int{3}},
		"k1 of another":    {func(_ []*VerificationKey, p []*ProofOfPossession) { p[7] = mixed(8, 7) }, []int{7}},
		"k2 of another":    {func(_ []*VerificationKey, p []*ProofOfPossession) { p[7] = mixed(7, 8) }, []int{7}},
		"exchanged":        {func(_ []*VerificationKey, p []*ProofOfPossession) { p[0], p[19] = p[19], p[0] }, []int{0, 19}},
		"k1s exchanged":    {func(_ []*VerificationKey, p []*ProofOfPossession) { p[1], p[2] = mixed(2, 1), mixed(1, 2) }, []int{1, 2}},
		"k1, k2 exchanged": {func(_ []*VerificationKey, p []*ProofOfPossession) { p[5] = swapHalves(t, proofs[5]) }, []int{5}},
	} {
		t.Run(name, func(t *testing.T) {
			v, p := slices.Clone(vks), slices.Clone(proofs)
			test.change(v, p)
			var e *PossessionError
			if err := VerifyPossessions(context.Background(), v, p); !errors.As(err, &e) || !slices.Equal(e.Positions, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			for i := range v {
				if err := p[i].Verify(v[i]); (err != nil) != slices.Contains(test.want, i) {
					t.Errorf("%d alone: %v", i, err)
				}
			}
		})
	}
	for name, err := range map[string]error{
		"empty":      VerifyPossessions(context.Background(), nil, nil),
		"fewer keys": VerifyPossessions(context.Background(), vks[:1], proofs),
		"nil proof":  VerifyPossessions(context.Background(), vks[:1], []*ProofOfPossession{nil}),
		"zero proof": VerifyPossessions(context.Background(), vks[:1], []*ProofOfPossession{{}}),
		"nil key":    VerifyPossessions(context.Background(), []*VerificationKey{nil}, proofs[:1]),
	} {
		if !errors.Is(err, verdict.ErrInvalid) || errors.Is(err, ErrPossession) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func swapHalves(t *testing.T, p *ProofOfPossession) *ProofOfPossession {
	t.Helper()
	out, err := ProofOfPossessionFromBytes(append(bytes.Clone(p.enc[48:]), p.enc[:48]...))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSigningKeyKeepsItsSecret(t *testing.T) {
	key := signers(t, 11, 1)[0]
	secret := key.SecretBytes()
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d", "%q"} {
		for _, value := range []any{key, *key, struct{ K *SigningKey }{key}, []SigningKey{*key}} {
			text := fmt.Sprintf(format, value)
			if strings.Contains(text, fmt.Sprintf("%x", secret[:4])) || strings.Contains(text, fmt.Sprint(secret[:4])[1:12]) {
				t.Errorf("%s prints the secret", format)
			}
		}
	}
	if b, err := json.Marshal(key); err == nil {
		t.Errorf("marshalled to %s", b)
	}
	again, err := SigningKeyFromBytes(secret[:])
	if err != nil {
		t.Fatal(err)
	}
	if !again.Sign([]byte("m")).Equal(key.Sign([]byte("m"))) {
		t.Error("the decoded key signs differently")
	}
	key.Destroy()
	if key.SecretBytes() != [SigningKeySize]byte{} {
		t.Error("destroyed key still holds its secret")
	}
}

func BenchmarkVerify(b *testing.B) {
	keys := signers(b, 12, 60)
	for _, n := range []int{1, 3, 60} {
		a := aggregate(keys[:n], []byte("message"))
		claim := a.claim(b)
		b.Run(fmt.Sprintf("signatures=%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := claim.Verify(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
