package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/benches/stat"
)

// rowResult is a measured row: medians of the time of one iteration, and how
// many times longer the others take than ours batched, with intervals from the
// ratios of samples taken next to each other.
type rowResult struct {
	Name              string        `json:"name"`
	Batched           stat.Interval `json:"batched_ns"`
	Single            stat.Interval `json:"one_by_one_ns"`
	Reference         stat.Interval `json:"reference_ns"`
	ReferenceToBatch  stat.Interval `json:"reference_to_batched"`
	ReferenceToSingle stat.Interval `json:"reference_to_one_by_one"`
	PairingsBatched   float64       `json:"pairings_batched"`
	PairingsSingle    float64       `json:"pairings_one_by_one"`
	Rounds            int           `json:"rounds"`
	// Samples of ours batched, ours one by one and the reference.
	Samples []benches.Samples `json:"samples"`
}

func newRowResult(r row, samples []benches.Samples, pairings [2]float64, c benches.Config) (*rowResult, error) {
	x := &rowResult{Name: r.name, PairingsBatched: pairings[0], PairingsSingle: pairings[1], Rounds: len(samples[0].Nanoseconds), Samples: samples}
	re := stat.Resampling{Resamples: c.Resamples, Confidence: c.Confidence, Seed: c.Seed}
	var per [3][]float64
	for i := range samples {
		per[i] = samples[i].PerIteration()
	}
	for i, dst := range []*stat.Interval{&x.Batched, &x.Single, &x.Reference} {
		u, err := stat.Bootstrap(per[i], re)
		if err != nil {
			return nil, err
		}
		*dst = u.Median
	}
	for i, dst := range []*stat.Interval{&x.ReferenceToBatch, &x.ReferenceToSingle} {
		cmp, err := stat.ComparePaired(per[i], per[2], re)
		if err != nil {
			return nil, err
		}
		m := cmp.Median
		*dst = stat.Interval{Lower: 1 + m.Lower, Point: 1 + m.Point, Upper: 1 + m.Upper, StdErr: m.StdErr}
	}
	return x, nil
}

func (x *rowResult) line() string {
	return fmt.Sprintf("  ours batched %s, one by one %s, reference %s, ratio %s (%d rounds)",
		benches.Duration(x.Batched.Point), benches.Duration(x.Single.Point), benches.Duration(x.Reference.Point), ratio(x.ReferenceToBatch), x.Rounds)
}

func ratio(i stat.Interval) string {
	return fmt.Sprintf("%.2f [%.2f, %.2f]", i.Point, i.Lower, i.Upper)
}

type results struct {
	machine benches.Machine
	date    time.Time
	command string
	rows    []*rowResult
}

// markdown is the table with what is needed to repeat it.
func (r *results) markdown() string {
	var b strings.Builder
	b.WriteString("| inputs | ours, batched, 2 cores | ours, one by one, 1 core | reference | reference ÷ batched | reference ÷ one by one |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|\n")
	for _, x := range r.rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", x.Name, short(x.Batched.Point), short(x.Single.Point), short(x.Reference.Point),
			ratio(x.ReferenceToBatch), ratio(x.ReferenceToSingle))
	}
	m := r.machine
	fmt.Fprintf(&b, "\nMedians, and ratios with 95 %% intervals from samples taken in turn in one run. %s, %d cores, %s/%s, %s, %s; %s.\n",
		m.CPU, m.Cores, m.OS, m.Arch, m.Go, m.Backend, r.date.Format("2 January 2006"))
	b.WriteString("Reference: mithril-stm 0.13.0 and mithril-common 0.8.3 from crates.io, release build; STM and MultiSig rows call its batch functions, chain rows its chain verifier, JSON decoding included.\n")
	fmt.Fprintf(&b, "Load average at the start %.1f. Command: `%s`.\n", math.Max(0, m.LoadBefore), r.command)
	return b.String()
}

// short formats a duration with three significant digits.
func short(ns float64) string {
	for _, u := range []struct {
		ns   float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.ns {
			v := ns / u.ns
			return fmt.Sprintf("%.*f %s", max(0, 2-int(math.Log10(v))), v, u.name)
		}
	}
	return fmt.Sprintf("%.0f ns", ns)
}

// The marks between which a file has the table.
const (
	markBegin = "<!-- bench:begin -->"
	markEnd   = "<!-- bench:end -->"
)

// replaceMarked puts the table between the marks of a file.
func replaceMarked(path, table string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(old, []byte(markBegin))
	_, after, ok2 := bytes.Cut(rest, []byte(markEnd))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no %s … %s", path, markBegin, markEnd)
	}
	updated := fmt.Sprintf("%s%s\n%s%s%s", before, markBegin, table, markEnd, after)
	return os.WriteFile(path, []byte(updated), 0o644)
}

// resultsSchema names the JSON form of the results and its version.
const resultsSchema = "stmverify/side-by-side/v1"

func (r *results) writeJSON(path string) error {
	b, err := json.MarshalIndent(struct {
		Schema  string          `json:"schema"`
		Date    time.Time       `json:"date"`
		Command string          `json:"command"`
		Machine benches.Machine `json:"machine"`
		Rows    []*rowResult    `json:"rows"`
	}{resultsSchema, r.date, r.command, r.machine, r.rows}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o644)
}
