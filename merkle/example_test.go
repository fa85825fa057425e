package merkle_test

import (
	"fmt"

	"github.com/stmverify/stmverify/merkle"
)

func ExampleBatchPath_Verify() {
	var leaves []merkle.Hash
	for i := range byte(5) {
		leaves = append(leaves, merkle.LeafHash(&[96]byte{i}, 100))
	}
	tree, err := merkle.NewTree(leaves)
	if err != nil {
		fmt.Println(err)
		return
	}
	path, err := tree.Path([]uint64{1, 4})
	if err != nil {
		fmt.Println(err)
		return
	}

	root := tree.Root()
	fmt.Println(path.Verify(&root, 5, []merkle.Hash{leaves[1], leaves[4]}))
	path.Indices[0] = 4
	fmt.Println(path.Verify(&root, 5, []merkle.Hash{leaves[1], leaves[4]}))
	// Output:
	// <nil>
	// merkle: index 1: indices do not strictly increase: got 4 after 4
}
