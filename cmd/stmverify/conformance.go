package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/internal/conformance"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// conformanceResult says how the vector files of a folder came out.
type conformanceResult struct {
	Schema  string            `json:"schema"`
	Folder  string            `json:"folder"`
	Backend string            `json:"backend"`
	Passed  int               `json:"passed"`
	Failed  int               `json:"failed"`
	NotRun  int               `json:"not_run"`
	Files   []conformanceFile `json:"files"`
}

type conformanceFile struct {
	File     string               `json:"file"`
	Kind     string               `json:"kind"`
	Passed   int                  `json:"passed"`
	Failed   int                  `json:"failed"`
	NotRun   int                  `json:"not_run,omitempty"`
	Note     string               `json:"note,omitempty"`
	Failures []conformanceFailure `json:"failures,omitempty"`
}

type conformanceFailure struct {
	Case  string `json:"case"`
	Error string `json:"error"`
}

var errConformance = verdict.Sentinel(verdict.ErrInvalid, "vectors did not come out as they say")

func newConformanceCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "conformance <folder>",
		Short: "Run every vector file in a folder and its subfolders",
		Long: `Run every vector file that is recognised by its name, in a folder and its subfolders: chains, chains with the rule that
each breaks, registrations and proofs, lottery decisions, attacks, Ed25519 cases. The exit code is 0 only if all cases pass.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := &conformanceResult{Schema: "stmverify/conformance/v1", Folder: args[0], Backend: multisig.Backend()}
			if err := conformance.Run(cmd.Context(), args[0], r.add); err != nil {
				return err
			}
			if err := a.print(r); err != nil {
				return err
			}
			if r.Failed > 0 {
				return fmt.Errorf("%d of %d cases: %w", r.Failed, r.Passed+r.Failed, errConformance)
			}
			return nil
		},
	}
}

func (r *conformanceResult) add(report *conformance.Report) {
	f := conformanceFile{
		File: report.File, Kind: report.Kind, Passed: report.Passed, Failed: len(report.Failures), NotRun: report.NotRun, Note: report.Note,
	}
	for _, failure := range report.Failures {
		f.Failures = append(f.Failures, conformanceFailure{failure.Case, failure.Err.Error()})
	}
	r.Passed += f.Passed
	r.Failed += f.Failed
	r.NotRun += f.NotRun
	r.Files = append(r.Files, f)
}

func (r *conformanceResult) text(w *writer) {
	fmt.Fprintln(w, "FILE\tPASSED\tFAILED\tWHAT")
	for _, f := range r.Files {
		about := f.Kind
		if f.Note != "" {
			about += "; " + f.Note
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", f.File, f.Passed, f.Failed, about)
	}
	fmt.Fprintf(w, "total\t%d\t%d\twith %s\n", r.Passed, r.Failed, r.Backend)
	for _, f := range r.Files {
		for _, failure := range f.Failures {
			fmt.Fprintf(w, "\nfailed: %s: %s: %s\n", f.File, failure.Case, failure.Error)
		}
	}
}
