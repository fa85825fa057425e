package doccheck

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFuzzTargetsHaveCorpora asks for inputs in testdata/fuzz, and a line in fuzz/README.md, for every fuzz target.
func TestFuzzTargetsHaveCorpora(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "fuzz", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	targets := 0
	for dir, p := range readModule(t) {
		for name := range functions(p.tests) {
			if !strings.HasPrefix(name, "Fuzz") {
				continue
			}
			targets++
			inputs, err := os.ReadDir(filepath.Join(root, dir, "testdata", "fuzz", name))
			if err != nil || len(inputs) < 2 {
				t.Errorf("%s: %s has %d inputs in testdata/fuzz: %v", dir, name, len(inputs), err)
			}
			if !strings.Contains(string(readme), name) || !strings.Contains(string(readme), "`"+dir+"`") {
				t.Errorf("fuzz/README.md does not name %s of %s", name, dir)
			}
		}
	}
	if targets < 25 {
		t.Errorf("found %d fuzz targets", targets)
	}
}
