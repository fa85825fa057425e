package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/stmverify/stmverify/benches"
)

// Warnings says in a sentence each what shared the machine with a run.
func Warnings(run *benches.Run) []string {
	var out []string
	if run.Machine.Busy() {
		out = append(out, fmt.Sprintf("The load average was %.1f when the run began: other work shared the machine.", run.Machine.LoadBefore))
	}
	busy := 0
	for _, r := range run.Results {
		if r.Busy() {
			busy++
		}
	}
	if busy > 0 {
		out = append(out, fmt.Sprintf("%d of %d benchmarks were measured while others used more than a quarter of a core.", busy, len(run.Results)))
	}
	return out
}

func machineFacts(run *benches.Run) []fact {
	m := run.Machine
	facts := []fact{
		{"measured", run.Started.Format(time.DateTime) + " UTC"},
		{"command", run.Command},
		{"processor", m.CPU},
		{"cores", fmt.Sprintf("%d, GOMAXPROCS %d", m.Cores, m.GoMaxProcs)},
		{"system", strings.TrimSpace(m.OS + " " + m.Arch)},
		{"Go", m.Go},
		{"curve library", m.Backend},
		{"frequency governor", m.Governor},
		{"turbo", m.Turbo},
		{"commit", commit(m)},
		{"sampling", fmt.Sprintf("%d samples in %v after %v of warm-up", run.Config.SampleSize, run.Config.Measurement, run.Config.WarmUp)},
		{"bootstrap", fmt.Sprintf("%d resamples, seed %d, %.0f %% confidence", run.Config.Resamples, run.Config.Seed, 100*run.Config.Confidence)},
	}
	kept := facts[:0]
	for _, f := range facts {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

func commit(m benches.Machine) string {
	c := m.Commit
	if len(c) > 12 {
		c = c[:12]
	}
	if c != "" && m.Dirty {
		c += " with changes"
	}
	return c
}
