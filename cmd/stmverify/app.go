package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// app is what the commands share: streams, the environment, the flags that each command has, and the way a result is printed.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) string

	json    bool          // print one JSON document instead of text
	quiet   bool          // print nothing but the JSON document and errors
	jobs    int           // goroutines that verify
	timeout time.Duration // 0 is none

	printed bool // a JSON document was printed
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv}
}

// grace is how long a command may take to return after its context has ended. A read of standard input, for example,
// cannot be interrupted.
const grace = time.Second

// run executes one command line and returns its exit code.
func (a *app) run(ctx context.Context, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	root := newRootCommand(a, cancel)
	root.SetArgs(args)
	a.json = slices.Contains(args, "--json") // Even where an argument before it is wrong.
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		return a.report(causeOf(ctx, err))
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return a.report(causeOf(ctx, err))
	case <-time.After(grace):
		return a.report(context.Cause(ctx))
	}
}

// causeOf replaces the error of a cancelled context by what cancelled it.
func causeOf(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// report prints an error, if there is one, and returns the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return exitOK
	}
	f := newFailure(err)
	if a.json && !a.printed {
		a.printJSON(failureDocument{Schema: "stmverify/error/v1", Error: f})
	}
	fmt.Fprintf(a.stderr, "stmverify: error: %s\n", printable(f.Message))
	if f.Provider != "" && f.Hash != "" && !strings.Contains(f.Message, "certificate "+f.Hash) {
		// A refused sync prints no result, and the message shortens the hash. JSON has it in a member.
		fmt.Fprintf(a.stderr, "stmverify: hint: certificate %s\n", f.Hash)
	}
	for _, hint := range f.Hints {
		fmt.Fprintf(a.stderr, "stmverify: hint: %s\n", hint)
	}
	return f.ExitCode
}

func newRootCommand(a *app, cancel context.CancelCauseFunc) *cobra.Command {
	var versionWanted bool
	root := &cobra.Command{
		Use:               "stmverify",
		Short:             "Verify Mithril certificate chains",
		Long:              rootLong,
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if versionWanted {
				return a.print(newVersion())
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.start(cmd, cancel) },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmd, err) })
	root.Flags().BoolVar(&versionWanted, "version", false, "print what 'stmverify version' prints")
	flags := root.PersistentFlags()
	flags.BoolVar(&a.json, "json", false, "print the result as one JSON document")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print no result as text, no progress and no warnings")
	flags.IntVarP(&a.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "how many `goroutines` verify")
	flags.DurationVar(&a.timeout, "timeout", 0, "give up after this `duration`, such as 30s; 0 is never")
	for _, command := range commands(a) {
		root.AddCommand(command)
	}
	wrapUsageErrors(root)
	return root
}

const rootLong = `stmverify verifies Mithril certificate chains: STM multi-signatures over BLS12-381, the links between
certificates, and the Ed25519 signature of the genesis certificate.

Exit codes: 0 valid, 1 usage or input/output, 2 refused, 3 provider unavailable, 4 not supported, 5 limit or timeout.`

// commands returns the top-level commands. Each has a constructor in a file of its own.
func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newChainCommand(a),
		newCertificateCommand(a),
		newGenesisCommand(a),
		newGenerateCommand(a),
		newKeyregCommand(a),
		newConformanceCommand(a),
		newBenchCommand(a),
		newEd25519Command(a),
		newNetworksCommand(a),
		newCheckpointCommand(a),
		newServeFakeCommand(a),
		newStoreCommand(a),
		newSyncCommand(a),
		newVersionCommand(a),
	}
}

// start checks the shared flags and starts the clock.
func (a *app) start(cmd *cobra.Command, cancel context.CancelCauseFunc) error {
	if a.jobs < 1 {
		return usageError(cmd, fmt.Errorf("--jobs: got %d, want at least 1", a.jobs))
	}
	if a.timeout < 0 {
		return usageError(cmd, fmt.Errorf("--timeout: got %v, want 0 or more", a.timeout))
	}
	if a.timeout > 0 {
		time.AfterFunc(a.timeout, func() { cancel(&timeoutError{a.timeout}) })
	}
	return nil
}

// timeoutError says that --timeout has passed.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("no verdict within --timeout %v", e.after) }
func (e *timeoutError) Unwrap() error { return context.DeadlineExceeded }

// usage is an error in the command line.
type usage struct {
	command string
	err     error
}

func (u *usage) Error() string { return u.err.Error() }
func (u *usage) Unwrap() error { return u.err }

func usageError(cmd *cobra.Command, err error) error {
	var u *usage
	if errors.As(err, &u) {
		return err
	}
	return &usage{cmd.CommandPath(), err}
}

// wrapUsageErrors marks the errors of argument checks as usage errors. A command that only groups others takes no argument, so
// that a misspelled subcommand is an error and not a help text.
func wrapUsageErrors(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError(cmd, err)
			}
			return nil
		}
	}
	for _, child := range cmd.Commands() {
		wrapUsageErrors(child)
	}
}

// group returns a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(children...)
	return cmd
}
