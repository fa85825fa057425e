// Package conformance runs vector files: data with the verdicts of the reference implementation. It finds them by name in a
// folder and its subfolders, runs every case through the public packages, and reports which did not end as the file says.
//
// A file is trusted to say what is right, and not trusted to be well formed.
package conformance

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Report says how the cases of one file ended.
type Report struct {
	File     string // relative to the folder, with slashes
	Kind     string // what a case of this file is, in the plural
	Passed   int
	Failures []Failure
	NotRun   int    // cases that nothing here can run
	Note     string // why, or what else a reader of the report should know
}

// Failure is a case that did not end as its file says.
type Failure struct {
	Case string
	Err  error
}

// ErrNoFiles says that a folder holds no file of vectors.
var ErrNoFiles = errors.New("no vector file that this program recognises")

// check records how a case ended; err is nil when it ended as its file says.
func (r *Report) check(name string, err error) {
	if err == nil {
		r.Passed++
		return
	}
	r.Failures = append(r.Failures, Failure{name, err})
}

// runner runs the files with one name. names has no .gz; kind is for the report.
type runner struct {
	names []string
	kind  string
	run   func(ctx context.Context, path string, r *Report) error
}

var runners = [...]runner{
	{[]string{"certificates.json"}, "chains", runChain},
	{[]string{"all.json"}, "walks to genesis", runEveryWalk},
	{[]string{"certificate.json"}, "certificates without parent", runCertificate},
	{[]string{"chain_cases.jsonl"}, "chains", runChainCases},
	{[]string{"stm_sets.json"}, "registrations and proofs", runSTMSets},
	{[]string{"lottery.json"}, "lottery decisions", runLottery},
	{[]string{"attacks_single.jsonl"}, "proofs", runAttacksSingle},
	{[]string{"attacks_batch.jsonl"}, "batches", runAttacksBatch},
	{[]string{"mithril-stake-distributions.json"}, "registrations", runRegistrations},
	{[]string{"expected_modes.json"}, "Ed25519 verdicts", runEd25519},
}

// Run runs every vector file below folder, in the order of their paths, and calls each with the report on each. It returns an
// error where a file cannot be read or is not what its name says; a case that fails is not an error.
func Run(ctx context.Context, folder string, each func(*Report)) error {
	found := false
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		r := find(entry.Name())
		if r == nil {
			return nil
		}
		found = true
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		report := &Report{File: filepath.ToSlash(relative), Kind: r.kind}
		if err := r.run(ctx, path, report); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		each(report)
		return ctx.Err()
	})
	if err == nil && !found {
		err = fmt.Errorf("%s: %w", folder, ErrNoFiles)
	}
	return err
}

func find(name string) *runner {
	name = strings.TrimSuffix(name, ".gz")
	for i := range runners {
		for _, known := range runners[i].names {
			if name == known {
				return &runners[i]
			}
		}
	}
	return nil
}

// maxFile bounds a vector file after decompression.
const maxFile = 256 << 20

// read returns what a file holds, decompressed when its name ends in .gz.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("more than %d bytes", maxFile)
	}
	return data, err
}

// decodeFile reads a file of one JSON value.
func decodeFile[T any](path string) (value T, err error) {
	data, err := read(path)
	if err != nil {
		return value, err
	}
	err = json.Unmarshal(data, &value)
	return value, err
}

// decodeLines calls each with every JSON value of a file of them.
func decodeLines[T any](path string, each func(T) error) error {
	data, err := read(path)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	for {
		var value T
		if err := decoder.Decode(&value); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := each(value); err != nil {
			return err
		}
	}
}

// verdictOf returns an error unless the verdict is the expected one.
func verdictOf(err error, valid bool) error {
	switch {
	case valid && err != nil:
		return fmt.Errorf("refused, want valid: %w", err)
	case !valid && err == nil:
		return errors.New("accepted, want a refusal")
	}
	return nil
}

// parseVerdict reads the word "valid" or "invalid".
func parseVerdict(word string) (valid bool, err error) {
	switch word {
	case "valid":
		return true, nil
	case "invalid":
		return false, nil
	}
	return false, fmt.Errorf("got the verdict %q, want valid or invalid", word)
}
