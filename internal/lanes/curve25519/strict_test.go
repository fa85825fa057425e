//go:build amd64 && !purego && !nolanes

package curve25519

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"
)

// vector is one entry of the rule-set vectors.
type vector struct {
	Set, ID       string
	Pub, Msg, Sig string
	Strict        bool
	StdLib        bool
	ZIP215        bool `json:"zip215"`
}

// loadVectors reads the vectors of the shared directory beside the module, or
// skips the test.
func loadVectors(t *testing.T) ([]vector, []Item) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "..", "shared", "vectors", "ed25519", "expected_modes.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("no shared vectors: %v", err)
	}
	var vectors []vector
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	var kept []vector
	var items []Item
	for _, v := range vectors {
		key, sig := decodeHex(t, v.Pub), decodeHex(t, v.Sig)
		if len(key) != 32 || len(sig) != 64 {
			if v.Strict {
				t.Errorf("%s %s: accepted with wrong lengths", v.Set, v.ID)
			}
			continue
		}
		kept = append(kept, v)
		items = append(items, Item{(*[32]byte)(key), (*[64]byte)(sig), decodeHex(t, v.Msg)})
	}
	return kept, items
}

func decodeHex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestStrictVectors puts every vector into every lane: the list is verified
// eight times, each time moved by one.
func TestStrictVectors(t *testing.T) {
	needLanes(t)
	vectors, items := loadVectors(t)
	t.Logf("%d vectors", len(items))
	for shift := range 8 {
		moved := append(append([]Item(nil), items[shift:]...), items[:shift]...)
		strict, stdlib := make([]bool, len(moved)), make([]bool, len(moved))
		new(Workspace).VerifyStrict(strict, moved)
		new(Workspace).VerifyCofactorless(stdlib, moved)
		for i := range moved {
			v := vectors[(i+shift)%len(vectors)]
			if strict[i] != v.Strict {
				t.Errorf("strict, lane %d: %s %s: got %v, want %v", i%8, v.Set, v.ID, strict[i], v.Strict)
			}
			if stdlib[i] != v.StdLib {
				t.Errorf("stdlib, lane %d: %s %s: got %v, want %v", i%8, v.Set, v.ID, stdlib[i], v.StdLib)
			}
		}
	}
}

// signed returns n valid signatures of messages of the given length.
func signed(t testing.TB, n, length int) []Item {
	t.Helper()
	r := source(9)
	items := make([]Item, n)
	for i := range items {
		seed, message := make([]byte, 32), make([]byte, length)
		r.Read(seed)
		r.Read(message)
		private := ed25519.NewKeyFromSeed(seed)
		items[i] = Item{
			Key:       (*[32]byte)(private.Public().(ed25519.PublicKey)),
			Signature: (*[64]byte)(ed25519.Sign(private, message)),
			Message:   message,
		}
	}
	return items
}

func TestStrictSizes(t *testing.T) {
	needLanes(t)
	items := signed(t, 200, 77)
	for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 72, 127, 128, 200} {
		ok := make([]bool, n)
		new(Workspace).VerifyStrict(ok, items[:n])
		for i, valid := range ok {
			if !valid {
				t.Errorf("n %d: item %d refused", n, i)
			}
		}
	}
}

// TestStrictIsolation spoils one item in every position of two groups in
// several ways: its verdict changes, no other does.
func TestStrictIsolation(t *testing.T) {
	needLanes(t)
	items := signed(t, 16, 40)
	spoil := map[string]func(*Item){
		"message":      func(i *Item) { i.Message = append([]byte{1}, i.Message...) },
		"R":            func(i *Item) { s := *i.Signature; s[3] ^= 4; i.Signature = &s },
		"S":            func(i *Item) { s := *i.Signature; s[35] ^= 4; i.Signature = &s },
		"S too large":  func(i *Item) { s := *i.Signature; s[63] |= 0xf0; i.Signature = &s },
		"S plus order": func(i *Item) { s := addOrder(*i.Signature); i.Signature = &s },
		"no point":     func(i *Item) { i.Key = &[32]byte{2} },
		"small order":  func(i *Item) { i.Key = &[32]byte{1} },
		"another key": func(i *Item) {
			i.Key = (*[32]byte)(ed25519.NewKeyFromSeed(make([]byte, 32)).Public().(ed25519.PublicKey))
		},
	}
	for name, f := range spoil {
		for bad := range items {
			changed := append([]Item(nil), items...)
			f(&changed[bad])
			ok := make([]bool, len(changed))
			new(Workspace).VerifyStrict(ok, changed)
			for i, valid := range ok {
				if valid == (i == bad) {
					t.Errorf("%s: item %d spoiled: item %d is %v", name, bad, i, valid)
				}
			}
		}
	}
}

// addOrder adds L to the second half of a signature.
func addOrder(sig [64]byte) [64]byte {
	s := new(scalar)
	s.setBytes(sig[32:])
	v := s.big()
	v.Add(v, order.big())
	v.FillBytes(sig[32:])
	for i := range 16 {
		sig[32+i], sig[63-i] = sig[63-i], sig[32+i]
	}
	return sig
}

func (s *scalar) big() *big.Int {
	v := new(big.Int)
	for i := 3; i >= 0; i-- {
		v.Lsh(v, 64).Add(v, new(big.Int).SetUint64(s[i]))
	}
	return v
}

// TestMatchesStandardLibrary compares the verdicts on signatures with random
// bit flips.
func TestMatchesStandardLibrary(t *testing.T) {
	needLanes(t)
	r := source(10)
	items := signed(t, 256, 33)
	for i := range items {
		if r.Uint64()%2 == 0 {
			continue
		}
		bit := r.Uint64() % (96 * 8)
		key, sig := *items[i].Key, *items[i].Signature
		if bit < 256 {
			key[bit/8] ^= 1 << (bit % 8)
		} else {
			sig[(bit-256)/8] ^= 1 << (bit % 8)
		}
		items[i].Key, items[i].Signature = &key, &sig
	}
	ok := make([]bool, len(items))
	new(Workspace).VerifyCofactorless(ok, items)
	for i, item := range items {
		if want := ed25519.Verify(item.Key[:], item.Message, item.Signature[:]); ok[i] != want {
			t.Errorf("item %d: got %v, want %v", i, ok[i], want)
		}
	}
}

func TestScalarWide(t *testing.T) {
	r := source(11)
	l := order.big()
	for i := range 20000 {
		var b [64]byte
		r.Read(b[:])
		switch i % 4 {
		case 1:
			for j := range b {
				b[j] = 0xff
			}
			b[r.Uint64()%64] = byte(r.Uint64())
		case 2:
			clear(b[r.Uint64()%64:])
		}
		var s scalar
		s.setWide(&b)
		v := new(big.Int)
		for j := 63; j >= 0; j-- {
			v.Lsh(v, 8).Add(v, big.NewInt(int64(b[j])))
		}
		if v.Mod(v, l); s.big().Cmp(v) != 0 {
			t.Fatalf("%x: got %x, want %x", b, s.big(), v)
		}
		checkDigits(t, &s)
	}
}

// checkDigits fails unless the signed digits of s add up to s.
func checkDigits(t *testing.T, s *scalar) {
	t.Helper()
	for _, width := range []uint{4, 8} {
		half := int64(1) << (width - 1)
		pattern := uint64(0x8888888888888888)
		if width == 8 {
			pattern = 0x8080808080808080
		}
		b := s.biased(pattern)
		v, shifted := new(big.Int), b.big()
		for i := uint(0); i < 256; i += width {
			digit := new(big.Int).Rsh(shifted, i)
			digit.And(digit, big.NewInt(2*half-1)).Sub(digit, big.NewInt(half))
			v.Add(v, digit.Lsh(digit, i))
		}
		if want := s.big(); v.Cmp(want) != 0 {
			t.Fatalf("digits of %x: %x", want, v)
		}
	}
}

func BenchmarkStrict(b *testing.B) {
	needLanes(b)
	for _, n := range []int{1, 8, 64, 1024} {
		items := signed(b, n, 128)
		ok := make([]bool, n)
		w := new(Workspace)
		b.Run("n="+big.NewInt(int64(n)).String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.VerifyStrict(ok, items)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/signature")
		})
	}
}

// TestNoAllocation: the working memory is the caller's.
func TestNoAllocation(t *testing.T) {
	needLanes(t)
	items := signed(t, 20, 30)
	ok := make([]bool, len(items))
	w := new(Workspace)
	points, encodings := make([]*Point, len(items)), make([]*[32]byte, len(items))
	for i := range items {
		points[i], encodings[i] = new(Point), items[i].Key
	}
	base()
	for name, f := range map[string]func(){
		"VerifyStrict": func() { w.VerifyStrict(ok, items) },
		"VerifyOne":    func() { VerifyOne(&items[0], true) },
		"Decode":       func() { w.Decode(points, ok, encodings) },
	} {
		if n := testing.AllocsPerRun(5, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
