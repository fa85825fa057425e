package merkle

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"golang.org/x/crypto/blake2b"

	"github.com/stmverify/stmverify/internal/limits"
)

// HashSize is the size of a [Hash] in bytes.
const HashSize = blake2b.Size256

// MaxLeaves is the largest number of leaves of a tree, 2²⁰ (SPEC 9.1). It keeps the arithmetic of indices far from
// overflow and the memory of a [Tree] below 64 MiB.
const MaxLeaves = limits.MaxLeaves

// Hash is a Blake2b-256 digest: a leaf, an inner node or a root.
type Hash [HashSize]byte

// absent returns the hash of one zero byte, which stands at every leaf position without a party.
func absent() Hash { return blake2b.Sum256([]byte{0}) }

// LeafHash returns the leaf of a party: the hash of its compressed verification key and its stake, big-endian.
func LeafHash(vk *[96]byte, stake uint64) Hash {
	var preimage [104]byte
	copy(preimage[:], vk[:])
	binary.BigEndian.PutUint64(preimage[96:], stake)
	return blake2b.Sum256(preimage[:])
}

// nodeHash returns the parent of two nodes.
func nodeHash(left, right *Hash) Hash {
	var preimage [2 * HashSize]byte
	copy(preimage[:HashSize], left[:])
	copy(preimage[HashSize:], right[:])
	return blake2b.Sum256(preimage[:])
}

// firstLeaf returns the heap position of leaf 0 in a tree of n leaves, 1 <= n <= [MaxLeaves]: one less than the
// smallest power of two that is not below n. Node 0 is the root; the children of node i are 2i+1 and 2i+2.
func firstLeaf(n uint64) uint64 { return 1<<bits.Len64(n-1) - 1 }

func parent(i uint64) uint64 { return (i - 1) / 2 }

// isRight reports whether heap position i, which is not the root, is the right child of its parent.
func isRight(i uint64) bool { return i&1 == 0 }

// checkLeafCount refuses a number of leaves outside 1 … [MaxLeaves].
func checkLeafCount(n uint64) error {
	if n == 0 {
		return &PathError{Err: ErrNoLeaves, Position: -1}
	}
	if n > MaxLeaves {
		return &PathError{Err: ErrTooManyLeaves, Position: -1, Got: n, Want: MaxLeaves}
	}
	return nil
}

// checkIndices refuses index lists that are empty, not strictly increasing or that reach beyond n leaves.
func checkIndices(indices []uint64, n uint64) error {
	if len(indices) == 0 {
		return &PathError{Err: ErrNoIndices, Position: -1}
	}
	for i, index := range indices {
		if i > 0 && index <= indices[i-1] {
			return &PathError{Err: ErrIndexOrder, Position: i, Got: index, Want: indices[i-1]}
		}
		if index >= n {
			return &PathError{Err: ErrIndexRange, Position: i, Got: index, Want: n}
		}
	}
	return nil
}

// Tree holds every node of a tree. It is immutable.
type Tree struct {
	nodes []Hash // the heap, root first, ending with the last leaf that is present
	n     int
}

// NewTree builds the tree of 1 to [MaxLeaves] leaves, in registration order. It costs at most one hash for each leaf
// position of the next power of two. The leaves are copied. Errors are [*PathError].
func NewTree(leaves []Hash) (*Tree, error) {
	n := uint64(len(leaves))
	if err := checkLeafCount(n); err != nil {
		return nil, err
	}
	first := firstLeaf(n)
	t := &Tree{nodes: make([]Hash, first+n), n: len(leaves)}
	copy(t.nodes[first:], leaves)
	z := absent()
	for i := int(first) - 1; i >= 0; i-- {
		left, right := &z, &z
		if 2*i+1 < len(t.nodes) {
			left = &t.nodes[2*i+1]
		}
		if 2*i+2 < len(t.nodes) {
			right = &t.nodes[2*i+2]
		}
		t.nodes[i] = nodeHash(left, right)
	}
	return t, nil
}

// Root returns the root of the tree.
func (t *Tree) Root() Hash { return t.nodes[0] }

// Len returns the number of leaves.
func (t *Tree) Len() int { return t.n }

// Path returns the path for the leaves at the given indices, which must strictly increase and be smaller than
// [Tree.Len]. The values are in the order in which [BatchPath.Verify] consumes them, as the Rust reference writes them.
// Errors are [*PathError].
func (t *Tree) Path(indices []uint64) (*BatchPath, error) {
	if err := checkIndices(indices, uint64(t.n)); err != nil {
		return nil, err
	}
	p := &BatchPath{Values: []Hash{}, Indices: slices.Clone(indices)}
	level := slices.Clone(indices)
	first := firstLeaf(uint64(t.n))
	for i := range level {
		level[i] += first
	}
	for level[0] > 0 {
		up := level[:0] // written behind the position that is read
		for i := 0; i < len(level); i++ {
			node := level[i]
			switch {
			case isRight(node):
				p.Values = append(p.Values, t.nodes[node-1])
			case i+1 < len(level) && level[i+1] == node+1:
				i++
			case node+1 < uint64(len(t.nodes)):
				p.Values = append(p.Values, t.nodes[node+1])
			}
			up = append(up, parent(node))
		}
		level = up
	}
	return p, nil
}
