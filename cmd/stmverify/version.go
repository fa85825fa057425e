package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/multisig"
)

// version is the version of this program where the build does not know one: a checkout that is no release.
const version = "0.1.0-dev"

// referenceVersion names the implementation whose verdicts this program is checked against.
const referenceVersion = "mithril-common 0.8.3, mithril-stm 0.13.0"

type versionResult struct {
	Schema    string `json:"schema"`
	Version   string `json:"version"`
	Commit    string `json:"commit,omitempty"`
	Modified  bool   `json:"modified,omitempty"` // the tree had changes beyond the commit
	Backend   string `json:"backend"`
	Go        string `json:"go"`
	Platform  string `json:"platform"`
	Reference string `json:"reference"`
}

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the BLS12-381 backend and the Go version",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.print(newVersion()) },
	}
}

func newVersion() versionResult {
	r := versionResult{
		Schema:    "stmverify/version/v1",
		Version:   version,
		Backend:   multisig.Backend(),
		Go:        runtime.Version(),
		Platform:  runtime.GOOS + "/" + runtime.GOARCH,
		Reference: referenceVersion,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return r
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		r.Version = v
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			r.Commit = setting.Value
		case "vcs.modified":
			r.Modified = setting.Value == "true"
		}
	}
	return r
}

func (r versionResult) text(w *writer) {
	fmt.Fprintf(w, "stmverify %s\n", r.Version)
	if r.Modified {
		r.Commit += " (modified)"
	}
	w.optional("commit", r.Commit)
	w.field("backend", r.Backend)
	w.field("go", r.Go+" "+r.Platform)
	w.field("checked against", r.Reference)
}
