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
	// CPURatio is like ReferenceToBatch, in processor time of all threads. It
	// is nil where the system does not tell.
	CPURatio        *stat.Interval `json:"reference_to_batched_cpu,omitempty"`
	CPURatioSingle  *stat.Interval `json:"reference_to_one_by_one_cpu,omitempty"`
	PairingsBatched float64        `json:"pairings_batched"`
	PairingsSingle  float64        `json:"pairings_one_by_one"`
	Rounds          int            `json:"rounds"`
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
		in, err := pairedRatio(per[i], per[2], re)
		if err != nil {
			return nil, err
		}
		*dst = *in
	}
	for i, dst := range []**stat.Interval{&x.CPURatio, &x.CPURatioSingle} {
		ours, theirs := cpuPerIteration(&samples[i]), cpuPerIteration(&samples[2])
		if len(ours) != x.Rounds || len(theirs) != x.Rounds {
			continue
		}
		in, err := pairedRatio(ours, theirs, re)
		if err != nil {
			return nil, err
		}
		*dst = in
	}
	return x, nil
}

// pairedRatio is the median of theirs ÷ ours over the rounds.
func pairedRatio(ours, theirs []float64, re stat.Resampling) (*stat.Interval, error) {
	c, err := stat.ComparePaired(ours, theirs, re)
	if err != nil {
		return nil, err
	}
	m := c.Median
	return &stat.Interval{Lower: 1 + m.Lower, Point: 1 + m.Point, Upper: 1 + m.Upper, StdErr: m.StdErr}, nil
}

func cpuPerIteration(s *benches.Samples) []float64 {
	if len(s.CPU) != len(s.Iterations) {
		return nil
	}
	out := make([]float64, len(s.CPU))
	for i, ns := range s.CPU {
		out[i] = ns / s.Iterations[i]
	}
	return out
}

func (x *rowResult) line() string {
	return fmt.Sprintf("  ours batched %s, one by one %s, reference %s, ratio %s, in processor time %s (%d rounds)",
		benches.Duration(x.Batched.Point), benches.Duration(x.Single.Point), benches.Duration(x.Reference.Point), ratio(x.ReferenceToBatch), optionalRatio(x.CPURatio), x.Rounds)
}

func ratio(i stat.Interval) string {
	return fmt.Sprintf("%.2f [%.2f, %.2f]", i.Point, i.Lower, i.Upper)
}

func optionalRatio(i *stat.Interval) string {
	if i == nil {
		return "–"
	}
	return ratio(*i)
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
	b.WriteString("| inputs | ours, batched, 2 cores | ours, one by one, 1 core | reference | reference ÷ batched | the same in processor time | reference ÷ one by one, in processor time |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---:|\n")
	for _, x := range r.rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", x.Name, short(x.Batched.Point), short(x.Single.Point), short(x.Reference.Point),
			ratio(x.ReferenceToBatch), optionalRatio(x.CPURatio), optionalRatio(x.CPURatioSingle))
	}
	m := r.machine
	fmt.Fprintf(&b, "\nMedians, and ratios with 95 %% intervals from samples taken in turn in one run. %s, %d cores, %s/%s, %s, %s; %s.\n",
		m.CPU, m.Cores, m.OS, m.Arch, m.Go, m.Backend, r.date.Format("2 January 2006"))
	b.WriteString("Reference: mithril-stm 0.13.0 and mithril-common 0.8.3 from crates.io, release build; STM and MultiSig rows call its batch functions, chain rows its chain verifier, JSON decoding included.\n")
	fmt.Fprintf(&b, "Load average at the start %.1f: when others use the machine, times are longer than they need be, and the ratio in processor time, which does not count the time of others, is the steadier one. Command: `%s`.\n", math.Max(0, m.LoadBefore), r.command)
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
