package merkle

import "slices"

// BatchPath proves that some leaves stand at some positions of a tree.
type BatchPath struct {
	// Values are the nodes that cannot be computed from the leaves, from the leaves' level to the root's, in each level
	// from left to right.
	Values []Hash
	// Indices are the positions of the leaves, strictly increasing.
	Indices []uint64
}

// Verify checks that leaves[i] is the leaf at position p.Indices[i], for every i, of the tree with the given root and
// number of leaves.
//
// It refuses whatever [Tree.Path] does not write (SPEC 4.2 and 11.3): an empty list of indices, indices that do not
// strictly increase or are not smaller than nrLeaves, a value too few or too many, and nrLeaves outside 1 …
// [MaxLeaves]. Errors are [*PathError] or [*RootMismatchError].
//
// The cost is one hash for each node above a leaf, at most len(leaves) times 20, and two allocations.
func (p *BatchPath) Verify(root *Hash, nrLeaves uint64, leaves []Hash) error {
	got, err := p.root(nrLeaves, leaves)
	if err != nil {
		return err
	}
	if got != *root {
		return &RootMismatchError{Got: got, Want: *root}
	}
	return nil
}

// root returns the root to which the path leads from the leaves.
func (p *BatchPath) root(nrLeaves uint64, leaves []Hash) (Hash, error) {
	if err := checkLeafCount(nrLeaves); err != nil {
		return Hash{}, err
	}
	if err := checkIndices(p.Indices, nrLeaves); err != nil {
		return Hash{}, err
	}
	if len(leaves) != len(p.Indices) {
		return Hash{}, &PathError{Err: ErrLeafCount, Position: -1, Got: uint64(len(leaves)), Want: uint64(len(p.Indices))}
	}
	level := level{values: p.Values, hashes: slices.Clone(leaves), nodes: slices.Clone(p.Indices), absent: absent()}
	first := firstLeaf(nrLeaves)
	for i := range level.nodes {
		level.nodes[i] += first
	}
	for level.nodes[0] > 0 {
		if !level.up(first + nrLeaves) {
			return Hash{}, &PathError{Err: ErrValueMissing, Position: len(p.Values)}
		}
	}
	if unused := len(level.values); unused != 0 {
		return Hash{}, &PathError{Err: ErrValueUnused, Position: len(p.Values) - unused}
	}
	return level.hashes[0], nil
}

// level is the state of a verification: the known nodes of one level and the values not consumed yet.
type level struct {
	values []Hash
	hashes []Hash
	nodes  []uint64 // heap positions, strictly increasing, all of one level
	absent Hash
}

// up replaces the nodes by their parents, in place, in a tree of nrNodes heap positions. It reports whether there were
// enough values.
func (l *level) up(nrNodes uint64) bool {
	out := 0
	for i := 0; i < len(l.nodes); i++ {
		node := l.nodes[i]
		left, right := &l.hashes[i], &l.absent
		switch {
		case isRight(node):
			// The left sibling is not among the nodes, or it would have taken this one along.
			if len(l.values) == 0 {
				return false
			}
			left, right = &l.values[0], left
			l.values = l.values[1:]
		case i+1 < len(l.nodes) && l.nodes[i+1] == node+1:
			i++
			right = &l.hashes[i]
		case node+1 < nrNodes:
			if len(l.values) == 0 {
				return false
			}
			right = &l.values[0]
			l.values = l.values[1:]
		}
		l.hashes[out] = nodeHash(left, right)
		l.nodes[out] = parent(node)
		out++
	}
	l.hashes, l.nodes = l.hashes[:out], l.nodes[:out]
	return true
}
