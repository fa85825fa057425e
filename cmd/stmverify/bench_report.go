package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/report"
)

// benchReport is the report command.
type benchReport struct {
	*bench
	against, as, out string
}

func newBenchReportCommand(b *bench) *cobra.Command {
	r := &benchReport{bench: b}
	cmd := &cobra.Command{
		Use:   "report [run]",
		Short: "Write a saved run as HTML, Markdown, benchstat's text, CSV or JSON",
		Long: `Write a report of a run: the name of a baseline, a file, or the last run without an argument. Saved baselines are its
history.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.finish(cmd.Flags()); err != nil {
				return usageError(cmd, err)
			}
			name := lastRun
			if len(args) == 1 {
				name = args[0]
			}
			return r.write(name)
		},
	}
	f := cmd.Flags()
	r.judgeFlags(f)
	f.StringVar(&r.cacheDir, "cache-dir", "", "`directory` of the last run (default in the user's cache)")
	f.StringVar(&r.against, "baseline", "", "compare with the run saved under this `name`")
	f.StringVar(&r.as, "format", "html", "html, markdown, benchfmt, csv or json")
	f.StringVarP(&r.out, "output", "o", "-", "`file` to write, - is standard output")
	return cmd
}

func (r *benchReport) write(name string) error {
	run, err := r.load(name)
	if errors.Is(err, benches.ErrNoBaseline) && name == lastRun {
		return errNoRun
	}
	if err != nil {
		return err
	}
	in := report.Input{Run: run}
	if r.against != "" {
		if in.Base, err = r.load(r.against); err != nil {
			return err
		}
		if _, err := benches.Compare(run, in.Base); err != nil {
			return err
		}
	}
	if in.History, err = r.store().All(); err != nil {
		return err
	}
	var write func(io.Writer) error
	switch r.as {
	case "html":
		write = func(w io.Writer) error { return report.HTML(w, in) }
	case "markdown":
		write = func(w io.Writer) error { return report.Markdown(w, in) }
	case "benchfmt":
		write = func(w io.Writer) error { return report.Benchfmt(w, run) }
	case "csv":
		write = func(w io.Writer) error { return report.CSV(w, run) }
	case "json":
		write = run.WriteJSON
	default:
		return fmt.Errorf("--format: got %q, want html, markdown, benchfmt, csv or json", r.as)
	}
	if r.out == "-" {
		return write(r.stdout)
	}
	return writeFile(r.out, write)
}
