package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"golang.org/x/term"
)

// result is what a command found. It marshals to the JSON document, whose first member is "schema".
type result interface {
	text(w *writer)
}

// print prints a result on standard output: as JSON with --json, as text otherwise, and not at all with --quiet alone.
func (a *app) print(r result) error {
	if a.json {
		return a.printJSON(r)
	}
	if a.quiet {
		return nil
	}
	w := &writer{Writer: tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0), colour: a.coloured(a.stdout)}
	r.text(w)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

func (a *app) printJSON(document any) error {
	a.printed = true
	encoder := json.NewEncoder(a.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// warn prints a warning on standard error.
func (a *app) warn(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, "stmverify: warning: "+format+"\n", args...)
	}
}

// writer aligns the columns of text output, which tabs separate.
type writer struct {
	*tabwriter.Writer
	colour bool
}

// field prints one line of a name and a value.
func (w *writer) field(name string, value any) {
	if value == "" {
		value = `""`
	}
	fmt.Fprintf(w, "  %s\t%s\n", name, printable(fmt.Sprint(value)))
}

// printable returns text with everything escaped that could move the cursor or end the line: much of what is printed was
// written by strangers.
func printable(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// optional prints a field unless the value is empty.
func (w *writer) optional(name, value string) {
	if value != "" {
		w.field(name, value)
	}
}

// verdict prints the first line of a result: the verdict and what it is about.
func (w *writer) verdict(ok bool, word, about string) {
	if w.colour {
		// Outside of any column, so that the escape sequences do not count as width.
		colour := "\x1b[31m"
		if ok {
			colour = "\x1b[32m"
		}
		word = colour + word + "\x1b[0m"
	}
	fmt.Fprintf(w, "%s: %s\n", word, about)
}

// coloured reports whether to colour what goes to w: a terminal, and NO_COLOR is not set (https://no-color.org).
func (a *app) coloured(w io.Writer) bool {
	return isTerminal(w) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
