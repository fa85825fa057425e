package merkle

import (
	"errors"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
)

// TestMostLeaves makes a tree of as many leaves as there may be, proves its last leaf, and does neither with one leaf more.
func TestMostLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes two million times")
	}
	leaves := make([]Hash, limits.MaxLeaves+1)
	tree, err := NewTree(leaves[:limits.MaxLeaves])
	if err != nil {
		t.Fatal(err)
	}
	root := tree.Root()
	path, err := tree.Path([]uint64{limits.MaxLeaves - 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := path.Verify(&root, limits.MaxLeaves, leaves[:1]); err != nil {
		t.Errorf("%d leaves: %v", limits.MaxLeaves, err)
	}
	if err := path.Verify(&root, limits.MaxLeaves+1, leaves[:1]); !errors.Is(err, ErrTooManyLeaves) {
		t.Errorf("%d leaves: got %v", limits.MaxLeaves+1, err)
	}
	if _, err := NewTree(leaves); !errors.Is(err, ErrTooManyLeaves) {
		t.Errorf("tree of %d leaves: got %v", len(leaves), err)
	}
}
