// Command curve25519 writes the AVX-512 assembly of package curve25519: field
// and point operations in eight lanes. README.md of that package has the
// representation and the bounds that the comments here refer to.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"

	"github.com/stmverify/stmverify/internal/lanes/gen/output"
)

func main() {
	dir := flag.String("dir", ".", "directory of package curve25519")
	flag.Parse()
	if err := generate(*dir); err != nil {
		log.Fatal(err)
	}
}

// generate writes the files of package curve25519 into dir.
func generate(dir string) error {
	files := map[string]func(*build.Context){"field": fieldFile, "point": pointFile, "bucket": bucketFile, "lanes": lanesFile, "quad": quadFile}
	for name, gen := range files {
		if err := output.Write(dir, "curve25519", name, gen); err != nil {
			return err
		}
	}
	return nil
}
