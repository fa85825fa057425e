package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// results is what survivors.json holds: the last run of every package, not necessarily of the same time.
type results struct {
	Packages  map[string]*tally `json:"packages"`
	Survivors []*site           `json:"survivors"`
}

// tally counts the mutations of one package.
type tally struct {
	Kinds    map[string]int `json:"kinds"` // tried, of each kind
	Caught   int            `json:"caught"`
	NotTried int            `json:"not_tried,omitempty"` // the run was ended early
}

func (t *tally) tried() int {
	n := 0
	for _, k := range t.Kinds {
		n += k
	}
	return n
}

// report puts the packages of this run into the results of those before and writes them. A survivor of this run without an
// explanation is an error.
func report(dir string, packages []string, sites []*site) error {
	explained := map[string]string{}
	if err := readJSON(filepath.Join(dir, "explained.json"), &explained); err != nil {
		return err
	}
	all := results{Packages: map[string]*tally{}}
	path := filepath.Join(dir, "survivors.json")
	if err := readJSON(path, &all); err != nil {
		return err
	}
	all.Survivors = slices.DeleteFunc(all.Survivors, func(s *site) bool { return slices.Contains(packages, s.Package) })
	for _, p := range packages {
		all.Packages[p] = &tally{Kinds: map[string]int{}}
	}
	open := 0
	for _, s := range sites {
		t := all.Packages[s.Package]
		if s.Outcome == "" {
			t.NotTried++
			continue
		}
		t.Kinds[s.Kind]++
		if s.Outcome == "caught" {
			t.Caught++
			continue
		}
		all.Survivors = append(all.Survivors, s)
		if explained[s.key()] == "" {
			open++
		}
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(b, '\n'), 0o600); err != nil {
		return err
	}
	text := markdown(&all, explained)
	if err := os.WriteFile(filepath.Join(dir, "RESULTS.md"), []byte(text), 0o600); err != nil {
		return err
	}
	fmt.Print(text)
	if open > 0 {
		return fmt.Errorf("%d survivors without an explanation", open)
	}
	return nil
}

// readJSON reads a file into v and leaves v alone if there is none.
func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// markdown renders the tally and the survivors.
func markdown(all *results, explained map[string]string) string {
	var b strings.Builder
	b.WriteString("# Mutation run\n\nWritten by `go run ./fuzz/mutation`: every check of these packages taken away, one at a time, and the tests that reach it run, with and\nwithout AVX-512 lanes.\n\n")
	b.WriteString("| package | checks | operands | bounds | errors | caught | share | explained | open |\n|---|---|---|---|---|---|---|---|---|\n")
	var tried, caught, known, open, left int
	for _, p := range slices.Sorted(maps.Keys(all.Packages)) {
		t := all.Packages[p]
		reasons, without := 0, 0
		for _, s := range all.Survivors {
			switch {
			case s.Package != p:
			case explained[s.key()] == "":
				without++
			default:
				reasons++
			}
		}
		n := t.tried()
		tried, caught, known, open, left = tried+n, caught+t.Caught, known+reasons, open+without, left+t.NotTried
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d of %d | %.1f %% | %d | %d |\n", p, t.Kinds["check"], t.Kinds["operand"], t.Kinds["bound"], t.Kinds["error"],
			t.Caught, n, share(t.Caught, n), reasons, without)
	}
	fmt.Fprintf(&b, "| all | | | | | %d of %d | %.1f %% | %d | %d |\n", caught, tried, share(caught, tried), known, open)
	if left > 0 {
		fmt.Fprintf(&b, "\nA run was ended early: %d mutations were not tried.\n", left)
	}
	b.WriteString("\n## Survivors\n\n| place | mutation | why it is no gap |\n|---|---|---|\n")
	for _, s := range all.Survivors {
		why := explained[s.key()]
		if why == "" {
			why = "**open** (" + s.Outcome + ")"
		}
		text := strings.ReplaceAll(s.Text, "|", "\\|")
		if len(text) > 100 {
			text = text[:100] + "…"
		}
		fmt.Fprintf(&b, "| `%s/%s` %s | %s `%s` | %s |\n", s.Package, s.File, s.Function, s.Kind, text, why)
	}
	return b.String()
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}
