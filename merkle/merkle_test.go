package merkle

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/blake2b"
	"pgregory.net/rapid"

	"github.com/stmverify/stmverify/verdict"
)

// set is one registration of testdata/stm_sets.json, made by the reference, with its aggregate signatures.
type set struct {
	Name    string
	Parties []struct {
		VK    string
		Stake uint64
	}
	Order    []string `json:"registration_order_vk"`
	AVK      string   `json:"avk_json"`
	Messages []struct {
		Aggregate string `json:"aggregate_json"`
	}
}

func unhex(t testing.TB, s string, size int) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != size {
		t.Fatalf("not %d bytes of hex: %q", size, s)
	}
	return b
}

func TestReference(t *testing.T) {
	data, err := os.ReadFile("../testdata/stm_sets.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets []set
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	paths := 0
	for _, set := range sets {
		t.Run(set.Name, func(t *testing.T) {
			leaves := set.leaves(t)
			tree, err := NewTree(leaves)
			if err != nil {
				t.Fatal(err)
			}
			var avk struct {
				Commitment struct{ Root Hash } `json:"mt_commitment"`
			}
			unmarshal(t, set.AVK, &avk)
			root := avk.Commitment.Root
			if got := tree.Root(); got != root {
				t.Fatalf("root: got %x, want %x", got, root)
			}
			for _, m := range set.Messages {
				if m.Aggregate == "" {
					continue // the reference refused to aggregate
				}
				var aggregate struct {
					Path BatchPath `json:"batch_proof"`
				}
				unmarshal(t, m.Aggregate, &aggregate)
				path := &aggregate.Path
				got, err := tree.Path(path.Indices)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(path, got); diff != "" {
					t.Errorf("path of %v (-reference +ours):\n%s", path.Indices, diff)
				}
				if err := path.Verify(&root, uint64(len(leaves)), pick(leaves, path.Indices)); err != nil {
					t.Error(err)
				}
				paths++
			}
		})
	}
	if paths != 16 {
		t.Errorf("got %d paths, want 16", paths)
	}
}

// leaves returns the leaves in registration order.
func (s *set) leaves(t *testing.T) []Hash {
	t.Helper()
	var leaves []Hash
	for _, vk := range s.Order {
		for _, p := range s.Parties {
			if p.VK == vk {
				leaves = append(leaves, LeafHash((*[96]byte)(unhex(t, vk, 96)), p.Stake))
			}
		}
	}
	return leaves
}

func unmarshal(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}

func pick(leaves []Hash, indices []uint64) []Hash {
	picked := make([]Hash, len(indices))
	for i, index := range indices {
		picked[i] = leaves[index]
	}
	return picked
}

// makeLeaves returns n distinct leaves.
func makeLeaves(n int) []Hash {
	leaves := make([]Hash, n)
	for i := range leaves {
		leaves[i] = blake2b.Sum256([]byte{1, byte(i), byte(i >> 8), byte(i >> 16)})
	}
	return leaves
}

// recursiveRoot is the root by another route: the perfect tree whose missing leaves are H(0x00).
func recursiveRoot(leaves []Hash, size int) Hash {
	if size == 1 {
		if len(leaves) == 0 {
			return blake2b.Sum256([]byte{0})
		}
		return leaves[0]
	}
	half := min(size/2, len(leaves))
	left, right := recursiveRoot(leaves[:half], size/2), recursiveRoot(leaves[half:], size/2)
	return blake2b.Sum256(slices.Concat(left[:], right[:]))
}

func TestRootIsThatOfThePaddedTree(t *testing.T) {
	for n := 1; n <= 130; n++ {
		leaves := makeLeaves(n)
		size := 1
		for size < n {
			size *= 2
		}
		tree, err := NewTree(leaves)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tree.Root(), recursiveRoot(leaves, size); got != want {
			t.Errorf("%d leaves: got %x, want %x", n, got, want)
		}
		if tree.Len() != n {
			t.Errorf("Len: got %d, want %d", tree.Len(), n)
		}
	}
}

// drawIndices draws a non-empty, strictly increasing list of indices below n.
func drawIndices(t *rapid.T, n int) []uint64 {
	indices := rapid.SliceOfNDistinct(rapid.Uint64Range(0, uint64(n-1)), 1, n, rapid.ID).Draw(t, "indices")
	slices.Sort(indices)
	return indices
}

func TestPathVerifiesAndEveryChangeIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(t, "n")
		all := makeLeaves(n)
		tree, err := NewTree(all)
		if err != nil {
			t.Fatal(err)
		}
		root, nr := tree.Root(), uint64(n)
		path, err := tree.Path(drawIndices(t, n))
		if err != nil {
			t.Fatal(err)
		}
		leaves := pick(all, path.Indices)
		kept := slices.Clone(leaves)
		if err := path.Verify(&root, nr, leaves); err != nil {
			t.Fatalf("honest path: %v", err)
		}
		if !slices.Equal(leaves, kept) {
			t.Fatal("Verify changed the leaves of its caller")
		}
		refuse := func(what string, p BatchPath, leaves []Hash, root Hash, want error) {
			t.Helper()
			err := p.Verify(&root, nr, leaves)
			if !errors.Is(err, want) || !errors.Is(err, verdict.ErrInvalid) {
				t.Fatalf("%s: got %v, want %v", what, err, want)
			}
		}
		at := rapid.IntRange(0, len(leaves)-1).Draw(t, "leaf")
		bit := rapid.IntRange(0, 255).Draw(t, "bit")
		flip := func(hs []Hash, i int) []Hash {
			hs = slices.Clone(hs)
			hs[i][bit/8] ^= 1 << (bit % 8)
			return hs
		}
		refuse("leaf changed", *path, flip(leaves, at), root, ErrRootMismatch)
		refuse("root changed", *path, leaves, flip([]Hash{root}, 0)[0], ErrRootMismatch)
		refuse("leaf missing", *path, leaves[1:], root, ErrLeafCount)
		refuse("leaf added", *path, append(slices.Clone(leaves), leaves[0]), root, ErrLeafCount)
		refuse("value added", BatchPath{append(slices.Clone(path.Values), root), path.Indices}, leaves, root, ErrValueUnused)
		if m := len(path.Values); m > 0 {
			v := rapid.IntRange(0, m-1).Draw(t, "value")
			refuse("value changed", BatchPath{flip(path.Values, v), path.Indices}, leaves, root, ErrRootMismatch)
			refuse("value missing", BatchPath{path.Values[:m-1], path.Indices}, leaves, root, ErrValueMissing)
		}
		if len(leaves) > 1 {
			swapped := slices.Clone(leaves)
			swapped[0], swapped[1] = swapped[1], swapped[0]
			refuse("leaves swapped", *path, swapped, root, ErrRootMismatch)
		}
	})
}

func TestRefusals(t *testing.T) {
	all := makeLeaves(12)
	tree, err := NewTree(all)
	if err != nil {
		t.Fatal(err)
	}
	root := tree.Root()
	path, err := tree.Path([]uint64{2, 3, 7})
	if err != nil {
		t.Fatal(err)
	}
	leaves := pick(all, path.Indices)
	for _, c := range []struct {
		name     string
		indices  []uint64
		nrLeaves uint64
		want     error
		class    error
		position int
		text     string
	}{
		{"no indices", nil, 12, ErrNoIndices, verdict.ErrInvalid, -1, "merkle: path without indices"},
		{"repeated index", []uint64{2, 2, 7}, 12, ErrIndexOrder, verdict.ErrInvalid, 1,
			"merkle: index 1: indices do not strictly increase: got 2 after 2"},
		{"falling index", []uint64{2, 7, 3}, 12, ErrIndexOrder, verdict.ErrInvalid, 2,
			"merkle: index 2: indices do not strictly increase: got 3 after 7"},
		{"index is the number of leaves", []uint64{2, 3, 12}, 12, ErrIndexRange, verdict.ErrInvalid, 2,
			"merkle: index 2: index beyond the leaves: got 12, want less than 12"},
		{"index wraps", []uint64{2, 3, 1<<64 - 1}, 12, ErrIndexRange, verdict.ErrInvalid, 2,
			"merkle: index 2: index beyond the leaves: got 18446744073709551615, want less than 12"},
		{"no leaves", path.Indices, 0, ErrNoLeaves, verdict.ErrInvalid, -1, "merkle: tree without leaves"},
		{"one leaf too many", path.Indices, MaxLeaves + 1, ErrTooManyLeaves, verdict.ErrLimit, -1,
			"merkle: too many leaves in the tree: got 1048577, want at most 1048576"},
		{"2^64-1 leaves", path.Indices, 1<<64 - 1, ErrTooManyLeaves, verdict.ErrLimit, -1,
			"merkle: too many leaves in the tree: got 18446744073709551615, want at most 1048576"},
		{"largest tree", path.Indices, MaxLeaves, ErrValueMissing, verdict.ErrInvalid, 4, "merkle: value 4: too few values"},
		{"smaller tree", path.Indices, 8, ErrValueUnused, verdict.ErrInvalid, 3, "merkle: value 3: value left over"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := BatchPath{Values: path.Values, Indices: c.indices}
			err := p.Verify(&root, c.nrLeaves, leaves[:min(len(leaves), len(c.indices))])
			if !errors.Is(err, c.want) || !errors.Is(err, c.class) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			pathErr, ok := errors.AsType[*PathError](err)
			if !ok {
				t.Fatalf("got a %T", err)
			}
			if pathErr.Position != c.position {
				t.Errorf("position: got %d, want %d", pathErr.Position, c.position)
			}
			if err.Error() != c.text {
				t.Errorf("text: got %q, want %q", err, c.text)
			}
		})
	}
}

// TestNumberOfLeavesIsBound checks that a path does not verify for another number of leaves where the shapes differ.
func TestNumberOfLeavesIsBound(t *testing.T) {
	all := makeLeaves(9)
	tree, err := NewTree(all)
	if err != nil {
		t.Fatal(err)
	}
	root := tree.Root()
	path, err := tree.Path([]uint64{8})
	if err != nil {
		t.Fatal(err)
	}
	if err := path.Verify(&root, 9, all[8:]); err != nil {
		t.Fatal(err)
	}
	if err := path.Verify(&root, 10, all[8:]); !errors.Is(err, ErrValueMissing) {
		t.Errorf("10 leaves: got %v, want %v", err, ErrValueMissing)
	}
}

func TestTreeRefusals(t *testing.T) {
	if _, err := NewTree(nil); !errors.Is(err, ErrNoLeaves) {
		t.Errorf("no leaves: got %v", err)
	}
	if _, err := NewTree(make([]Hash, MaxLeaves+1)); !errors.Is(err, ErrTooManyLeaves) {
		t.Errorf("too many leaves: got %v", err)
	}
	tree, err := NewTree(makeLeaves(5))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		indices []uint64
		want    error
	}{{nil, ErrNoIndices}, {[]uint64{5}, ErrIndexRange}, {[]uint64{1, 1}, ErrIndexOrder}, {[]uint64{3, 1}, ErrIndexOrder}} {
		if _, err := tree.Path(c.indices); !errors.Is(err, c.want) {
			t.Errorf("path of %v: got %v, want %v", c.indices, err, c.want)
		}
	}
}

// FuzzBatchPath checks that, over a fixed tree, the only path that verifies is the one that Tree.Path writes.
func FuzzBatchPath(f *testing.F) {
	all := makeLeaves(11)
	tree, err := NewTree(all)
	if err != nil {
		f.Fatal(err)
	}
	root := tree.Root()
	honest, err := tree.Path([]uint64{1, 4, 5, 10})
	if err != nil {
		f.Fatal(err)
	}
	var flat []byte
	for _, v := range honest.Values {
		flat = append(flat, v[:]...)
	}
	f.Add([]byte{1, 4, 5, 10}, flat, uint64(11))
	f.Add([]byte{10, 5, 4, 1}, flat, uint64(11))
	f.Add([]byte{0}, []byte{}, uint64(1))
	f.Add([]byte{}, []byte{}, uint64(1)<<63)
	f.Fuzz(func(t *testing.T, indices, values []byte, nrLeaves uint64) {
		path := &BatchPath{Values: []Hash{}, Indices: []uint64{}}
		for _, i := range indices {
			path.Indices = append(path.Indices, uint64(i))
		}
		for c := range slices.Chunk(values, HashSize) {
			var h Hash
			copy(h[:], c)
			path.Values = append(path.Values, h)
		}
		leaves := make([]Hash, len(path.Indices))
		for i, index := range path.Indices {
			leaves[i] = all[index%11]
		}
		if path.Verify(&root, nrLeaves, leaves) != nil {
			return
		}
		want, err := tree.Path(path.Indices)
		if err != nil {
			t.Fatalf("accepted %v, for which there is no path: %v", path.Indices, err)
		}
		if diff := cmp.Diff(want, path); diff != "" {
			t.Errorf("accepted another path (-ours +accepted):\n%s", diff)
		}
	})
}

func TestVerifyAllocations(t *testing.T) {
	tree, err := NewTree(makeLeaves(300))
	if err != nil {
		t.Fatal(err)
	}
	root, path, leaves := sixtyOf(t, tree)
	if n := testing.AllocsPerRun(20, func() { _ = path.Verify(&root, 300, leaves) }); n > 2 {
		t.Errorf("got %v allocations for 60 leaves, want at most 2", n)
	}
}

// sixtyOf returns what is needed to verify a path for 60 leaves of a tree of 300: every second one of the first 20 and
// the last 50, the large stakes.
func sixtyOf(t testing.TB, tree *Tree) (Hash, *BatchPath, []Hash) {
	t.Helper()
	var indices []uint64
	for i := range uint64(10) {
		indices = append(indices, 2*i)
	}
	for i := range uint64(50) {
		indices = append(indices, 250+i)
	}
	path, err := tree.Path(indices)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Root(), path, pick(makeLeaves(300), indices)
}

func BenchmarkVerify(b *testing.B) {
	b.Run("leaves=300/signers=60", func(b *testing.B) {
		tree, err := NewTree(makeLeaves(300))
		if err != nil {
			b.Fatal(err)
		}
		root, path, leaves := sixtyOf(b, tree)
		b.ReportAllocs()
		for b.Loop() {
			if err := path.Verify(&root, 300, leaves); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("leaves=5/signers=2", func(b *testing.B) {
		all := makeLeaves(5)
		tree, err := NewTree(all)
		if err != nil {
			b.Fatal(err)
		}
		root := tree.Root()
		path, err := tree.Path([]uint64{1, 4})
		if err != nil {
			b.Fatal(err)
		}
		leaves := pick(all, path.Indices)
		b.ReportAllocs()
		for b.Loop() {
			if err := path.Verify(&root, 5, leaves); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNewTree(b *testing.B) {
	leaves := makeLeaves(300)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewTree(leaves); err != nil {
			b.Fatal(err)
		}
	}
}
