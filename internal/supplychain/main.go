// Command supplychain lists the modules that the command is built from, with their licences.
//
//	go run ./internal/supplychain licences  # of every package and every test; fails on one that is not known or not allowed
//	go run ./internal/supplychain sbom      # of the command, as CycloneDX JSON
//
// The licence is recognised by the text of the file that comes with the module. The output depends on go.mod and on the sources alone.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "supplychain:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("want one argument: licences or sbom")
	}
	switch args[0] {
	case "licences":
		modules, err := list("-test", "./...")
		if err != nil {
			return err
		}
		return licences(out, modules)
	case "sbom":
		modules, err := list("./cmd/stmverify")
		if err != nil {
			return err
		}
		return bom(out, modules)
	}
	return fmt.Errorf("unknown argument %q", args[0])
}

// module is a module that packages come from.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// list returns the modules of packages and of all that they import, in order.
func list(args ...string) ([]module, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Module"}, args...)...)
	// The same modules wherever this runs: those of the build with a C compiler.
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	found := map[string]module{}
	d := json.NewDecoder(pipe)
	for {
		var p struct{ Module *module }
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if p.Module != nil && !p.Module.Main {
			found[p.Module.Path] = *p.Module
		}
	}
	if err := cmd.Wait(); err != nil {
		return nil, err
	}
	var modules []module
	for _, m := range found {
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	return modules, nil
}
