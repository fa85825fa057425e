package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// report writes the results. A survivor without an explanation is an error.
func report(dir string, packages []string, sites []*site) error {
	explained := map[string]string{}
	b, err := os.ReadFile(filepath.Join(dir, "explained.json"))
	if err == nil {
		err = json.Unmarshal(b, &explained)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var survivors []*site
	open := 0
	for _, s := range sites {
		if s.Outcome != "caught" && s.Outcome != "" {
			survivors = append(survivors, s)
			if explained[s.key()] == "" {
				open++
			}
		}
	}
	b, err = json.MarshalIndent(survivors, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "survivors.json"), append(b, '\n'), 0o600); err != nil {
		return err
	}
	text := markdown(packages, sites, survivors, explained)
	if err := os.WriteFile(filepath.Join(dir, "RESULTS.md"), []byte(text), 0o600); err != nil {
		return err
	}
	fmt.Print(text)
	if open > 0 {
		return fmt.Errorf("%d survivors without an explanation", open)
	}
	return nil
}

// markdown renders the tally and the survivors.
func markdown(packages []string, sites, survivors []*site, explained map[string]string) string {
	var b strings.Builder
	b.WriteString("# Mutation run\n\nWritten by `go run ./fuzz/mutation`: every check of these packages taken away, one at a time, and the tests that reach it run.\n\n")
	b.WriteString("| package | checks | operands | bounds | errors | caught | of | share |\n|---|---|---|---|---|---|---|---|\n")
	total, totalCaught, left := 0, 0, 0
	for _, p := range packages {
		kinds, n, caught := map[string]int{}, 0, 0
		for _, s := range sites {
			if s.Package != p {
				continue
			}
			if s.Outcome == "" {
				left++
				continue
			}
			n++
			kinds[s.Kind]++
			if s.Outcome == "caught" {
				caught++
			}
		}
		total, totalCaught = total+n, totalCaught+caught
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %.1f %% |\n", p, kinds["check"], kinds["operand"], kinds["bound"], kinds["error"], caught, n, share(caught, n))
	}
	fmt.Fprintf(&b, "| all | | | | | %d | %d | %.1f %% |\n", totalCaught, total, share(totalCaught, total))
	if left > 0 {
		fmt.Fprintf(&b, "\nThe run was ended early: %d mutations were not tried.\n", left)
	}
	b.WriteString("\n## Survivors\n\n| place | mutation | why it is no gap |\n|---|---|---|\n")
	for _, s := range survivors {
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
