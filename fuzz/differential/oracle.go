package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// noVerdict is what the oracle says when it panics or takes too long.
const noVerdict = "NONE"

// oracle is a running reference. It is not safe for concurrent use.
type oracle struct {
	path    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan string
	started int // how often
}

// patience is how long the reference may think about one chain.
const patience = 5 * time.Second

func (o *oracle) start() error {
	o.cmd = exec.Command(o.path, "verify-lines")
	o.cmd.Env = quiet()
	var err error
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := o.cmd.Start(); err != nil {
		return err
	}
	o.started++
	lines := make(chan string)
	o.lines = lines
	go func() {
		defer close(lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			lines <- strings.TrimSpace(line)
		}
	}()
	return nil
}

// quiet is the environment without backtraces, which cost the reference more than verdicts.
func quiet() []string { return append(os.Environ(), "RUST_BACKTRACE=0", "RUST_LIB_BACKTRACE=0") }

// stop ends the process.
func (o *oracle) stop() {
	if o.cmd == nil {
		return
	}
	_ = o.in.Close()
	_ = o.cmd.Process.Kill()
	for range o.lines { // until the reader sees the end
	}
	_ = o.cmd.Wait()
	o.cmd = nil
}

// chainLine is a line of the oracle's input.
type chainLine struct {
	Certificates []json.RawMessage `json:"certificates"`
	GenesisKey   string            `json:"genesis_vkey"`
}

// append writes the line. The certificates may be no JSON, which encoding/json would refuse.
func (l *chainLine) append(dst []byte) []byte {
	dst = append(dst, `{"certificates":[`...)
	dst = append(dst, bytes.Join(rawSlices(l.Certificates), []byte(","))...)
	return append(dst, `],"genesis_vkey":"`+l.GenesisKey+"\"}\n"...)
}

func rawSlices(in []json.RawMessage) [][]byte {
	out := make([][]byte, len(in))
	for i := range in {
		out[i] = in[i]
	}
	return out
}

// verify asks for one verdict: VALID, INVALID with a reason, or noVerdict.
func (o *oracle) verify(line *chainLine) (string, error) {
	if o.cmd == nil {
		if err := o.start(); err != nil {
			return "", err
		}
	}
	if _, err := o.in.Write(line.append(nil)); err != nil {
		o.stop()
		return noVerdict, nil
	}
	select {
	case answer, ok := <-o.lines:
		if !ok {
			o.stop()
			return noVerdict, nil
		}
		return answer, nil
	case <-time.After(patience):
		o.stop()
		return noVerdict, nil
	}
}

// verifyFile asks the other command of the oracle, which decodes the certificates from their text and not by way of a tree that
// forgets fields that occur twice and values that are ignored. It costs a process.
func (o *oracle) verifyFile(line *chainLine) (string, error) {
	dir, err := os.MkdirTemp("", "differential")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	certs := append(append([]byte("["), bytes.Join(rawSlices(line.Certificates), []byte(","))...), ']')
	if err := os.WriteFile(filepath.Join(dir, "certificates.json"), certs, 0o600); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "genesis.vkey"), []byte(line.GenesisKey), 0o600); err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	cmd := exec.Command(o.path, "verify-chain", dir)
	cmd.Env, cmd.Stderr = quiet(), &stderr
	out, err := cmd.Output()
	answer := strings.TrimSpace(string(out))
	switch {
	case strings.HasPrefix(answer, "VALID"):
		return "VALID", nil
	case answer != "":
		return answer, nil
	case strings.Contains(stderr.String(), "panicked"):
		return noVerdict, nil
	case err != nil:
		return "INVALID " + strings.ReplaceAll(strings.TrimSpace(stderr.String()), "\n", " "), nil
	}
	return noVerdict, nil
}

// errNoOracle says what is missing.
var errNoOracle = errors.New("no oracle")

// findOracle returns the path of the oracle: the one given, or one built from the shared sources in a temporary folder.
func findOracle(path, sources string) (found string, cleanup func(), err error) {
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", nil, fmt.Errorf("%w: %v", errNoOracle, err)
		}
		return path, func() {}, nil
	}
	if _, err := os.Stat(filepath.Join(sources, "Cargo.toml")); err != nil {
		return "", nil, fmt.Errorf("%w: its sources are not in %s, and neither -oracle nor ORACLE names a binary", errNoOracle, sources)
	}
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", nil, fmt.Errorf("%w: cargo is needed to build it from %s", errNoOracle, sources)
	}
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return "", nil, err
	}
	cleanup = func() { _ = os.RemoveAll(dir) }
	if err := os.CopyFS(dir, os.DirFS(sources)); err != nil {
		cleanup()
		return "", nil, err
	}
	build := exec.Command(cargo, "build", "--release")
	build.Dir, build.Stdout, build.Stderr = dir, os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		cleanup()
		return "", nil, fmt.Errorf("%w: cargo build: %v", errNoOracle, err)
	}
	return filepath.Join(dir, "target", "release", "oracle"), cleanup, nil
}
