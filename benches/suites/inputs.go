package suites

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/stm"
)

// inputsVersion names the cache directory: raise it when generators change.
const inputsVersion = "v2"

// line is one input as it is cached and as peers in other languages read it.
// Byte strings are hexadecimal, objects canonical JSON text.
type line struct {
	Parameters *parameters `json:"parameters,omitempty"`
	Message    string      `json:"msg"`
	AVK        string      `json:"avk_json,omitempty"`
	Proof      string      `json:"sig_json,omitempty"`
	Key        string      `json:"vk,omitempty"`
	Signature  string      `json:"sig,omitempty"`
}

type parameters struct {
	K    uint64  `json:"k"`
	M    uint64  `json:"m"`
	PhiF float64 `json:"phi_f"`
}

// cached returns n lines of a data set. Lines already in the cache are read;
// missing ones are made and the file is written anew, so that asking for fewer
// later costs nothing. Without a cache directory every call makes them.
func cached(env *benches.Env, name string, n int, make func(have, want int) ([]line, error)) ([]line, error) {
	return benches.Shared(env, fmt.Sprintf("lines/%s/%d", name, n), func() ([]line, error) {
		var have []line
		path := CachePath(env.Cache, name)
		if env.Cache != "" {
			var err error
			if have, err = readLines(path, n); err != nil {
				return nil, err
			}
		}
		if len(have) >= n {
			return have[:n], nil
		}
		made, err := make(len(have), n)
		if err != nil {
			return nil, fmt.Errorf("suites: making %s: %w", name, err)
		}
		have = append(have, made...)
		if env.Cache == "" {
			return have, nil
		}
		return have, writeLines(path, have)
	})
}

// CachePath returns where a data set is cached.
func CachePath(dir, name string) string {
	return filepath.Join(dir, inputsVersion, name+".jsonl")
}

func readLines(path string, n int) ([]line, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []line
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for len(out) < n && dec.More() {
		var l line
		if err := dec.Decode(&l); err != nil {
			return nil, fmt.Errorf("suites: cache %s: %w", path, err)
		}
		out = append(out, l)
	}
	return out, nil
}

func writeLines(path string, lines []line) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".making-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriterSize(f, 1<<20)
	enc := json.NewEncoder(w)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// proof is a decoded STM proof with what it is verified against.
type proof struct {
	parameters stm.Parameters
	message    []byte
	avk        *stm.AggregateVerificationKey
	signature  *stm.AggregateSignature
}

func (l *line) proof() (*proof, error) {
	msg, err := hex.DecodeString(l.Message)
	if err != nil {
		return nil, err
	}
	avk, err := stm.ParseAggregateVerificationKeyJSON([]byte(l.AVK))
	if err != nil {
		return nil, err
	}
	sig, err := stm.ParseAggregateSignatureJSON([]byte(l.Proof), nil)
	if err != nil {
		return nil, err
	}
	p := stm.Parameters{K: l.Parameters.K, M: l.Parameters.M, PhiF: l.Parameters.PhiF}
	return &proof{p, msg, avk, sig}, nil
}
