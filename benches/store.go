package benches

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Store is a directory of saved runs, one file a baseline.
type Store struct{ Dir string }

// ErrNoBaseline is returned for a baseline that was never saved.
var ErrNoBaseline = errors.New("benches: no such baseline")

// baselineName is what a baseline may be called: it becomes a file name.
var baselineName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Path returns the file of the baseline of that name, which may not exist.
func (s Store) Path(name string) (string, error) {
	if !baselineName.MatchString(name) {
		return "", fmt.Errorf("benches: baseline name %q: want letters, digits, '.', '_' and '-'", name)
	}
	return filepath.Join(s.Dir, name+".json"), nil
}

// Save writes the run as the baseline of that name, replacing one that exists.
// The file appears whole or not at all.
func (s Store) Save(name string, r *Run) error {
	path, err := s.Path(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return fmt.Errorf("benches: save baseline: %w", err)
	}
	f, err := os.CreateTemp(s.Dir, ".saving-*")
	if err != nil {
		return fmt.Errorf("benches: save baseline: %w", err)
	}
	defer os.Remove(f.Name())
	r.Name = name
	if err := errors.Join(r.WriteJSON(f), f.Chmod(0o644), f.Close()); err != nil {
		return fmt.Errorf("benches: save baseline: %w", err)
	}
	return os.Rename(f.Name(), path)
}

// Load reads the baseline of that name. It returns an error wrapping
// [ErrNoBaseline] when there is none.
func (s Store) Load(name string) (*Run, error) {
	path, err := s.Path(name)
	if err != nil {
		return nil, err
	}
	r, err := LoadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %q in %s", ErrNoBaseline, name, s.Dir)
	}
	if err != nil {
		return nil, err
	}
	r.Name = name
	return r, nil
}

// LoadFile reads a run from a file and names it after the file if it has no
// name.
func LoadFile(path string) (*Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := ReadRun(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Name == "" {
		r.Name = strings.TrimSuffix(filepath.Base(path), ".json")
	}
	return r, nil
}

// All reads every baseline, oldest first. A directory that does not exist has
// none.
func (s Store) All() ([]*Run, error) {
	paths, err := filepath.Glob(filepath.Join(s.Dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var runs []*Run
	for _, p := range paths {
		r, err := LoadFile(p)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b *Run) int { return a.Started.Compare(b.Started) })
	return runs, nil
}
