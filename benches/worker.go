package benches

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// The worker protocol lets one process time another's code, so that two
// binaries, or a peer in another language, are measured in turn. It is one
// JSON object a line on standard input, answered by one a line on standard
// output:
//
//	{"prepare":"id"}                  → {"ok":true}
//	{"sample":"id","iterations":n}    → {"iterations":n,"nanoseconds":t,…}
//	                                    "core":c+1 in the request asks to keep to one core
//	{"list":true}                     → {"ids":["id",…]}
//
// A refusal is {"error":"text"}. The worker ends with its input.
type request struct {
	List       bool   `json:"list,omitempty"`
	Prepare    string `json:"prepare,omitempty"`
	Sample     string `json:"sample,omitempty"`
	Iterations uint64 `json:"iterations,omitempty"`
	Core       int    `json:"core,omitempty"`
}

type response struct {
	OK    bool     `json:"ok,omitempty"`
	IDs   []string `json:"ids,omitempty"`
	Error string   `json:"error,omitempty"`
	Measurement
}

// Serve answers the worker protocol until in ends. It serves one benchmark at
// a time: preparing another releases the one before.
func Serve(ctx context.Context, all []*Benchmark, env *Env, in io.Reader, out io.Writer) error {
	w := &server{all: all, env: env}
	defer w.release()
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q request
		err := dec.Decode(&q)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("benches: worker: %w", err)
		}
		a, err := w.answer(ctx, q)
		if err != nil {
			a = response{Error: err.Error()}
		}
		if err := enc.Encode(a); err != nil {
			return fmt.Errorf("benches: worker: %w", err)
		}
	}
}

type server struct {
	all     []*Benchmark
	env     *Env
	current string
	sampler Sampler
}

func (w *server) release() {
	if w.sampler != nil {
		w.sampler.Close()
		w.sampler, w.current = nil, ""
	}
}

func (w *server) answer(ctx context.Context, q request) (response, error) {
	switch {
	case q.List:
		a := response{OK: true}
		for _, b := range w.all {
			a.IDs = append(a.IDs, b.ID())
		}
		return a, nil
	case q.Prepare != "":
		return response{OK: true}, w.prepare(ctx, q.Prepare)
	case q.Sample == "" || q.Sample != w.current:
		return response{}, fmt.Errorf("benches: %q is not prepared", q.Sample)
	}
	if p, ok := w.sampler.(pinner); ok {
		p.pin(q.Core - 1)
	}
	m, err := w.sampler.Sample(ctx, q.Iterations)
	return response{Measurement: m}, err
}

func (w *server) prepare(ctx context.Context, id string) error {
	w.release()
	for _, b := range w.all {
		if b.ID() != id {
			continue
		}
		s, _, err := NewSampler(ctx, b, w.env)
		if err != nil {
			return err
		}
		w.sampler, w.current = s, id
		return nil
	}
	return fmt.Errorf("benches: no benchmark %q", id)
}

// Worker is another process that answers the protocol. It is not safe for
// concurrent use: measurements must not overlap anyway.
type Worker struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

// StartWorker starts a process that answers the worker protocol. Its standard
// error goes to stderr.
func StartWorker(ctx context.Context, stderr io.Writer, name string, args ...string) (*Worker, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = stderr
	cmd.WaitDelay = 5 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("benches: worker: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("benches: worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("benches: worker: %w", err)
	}
	return &Worker{cmd: cmd, stdin: in, stdout: bufio.NewReader(out)}, nil
}

func (w *Worker) ask(q request) (response, error) {
	var a response
	line, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	if _, err := w.stdin.Write(append(line, '\n')); err != nil {
		return a, fmt.Errorf("benches: worker %s: %w", w.cmd.Path, err)
	}
	text, err := w.stdout.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("benches: worker %s: no answer: %w", w.cmd.Path, err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("benches: worker %s: %w", w.cmd.Path, err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// List returns the names of the worker's benchmarks.
func (w *Worker) List() ([]string, error) {
	a, err := w.ask(request{List: true})
	return a.IDs, err
}

// Prepare makes the worker ready to measure a benchmark.
func (w *Worker) Prepare(id string) (Sampler, error) {
	if _, err := w.ask(request{Prepare: id}); err != nil {
		return nil, err
	}
	return &remoteSampler{w: w, id: id, core: -1}, nil
}

// PID returns the worker's process, for [TimeProcess].
func (w *Worker) PID() int { return w.cmd.Process.Pid }

// Close ends the worker and waits for it.
func (w *Worker) Close() error {
	w.stdin.Close()
	return w.cmd.Wait()
}

type remoteSampler struct {
	w    *Worker
	id   string
	core int
}

func (s *remoteSampler) pin(core int) { s.core = core }

func (s *remoteSampler) Sample(ctx context.Context, iterations uint64) (Measurement, error) {
	if err := ctx.Err(); err != nil {
		return Measurement{}, err
	}
	a, err := s.w.ask(request{Sample: s.id, Iterations: iterations, Core: s.core + 1})
	if err != nil {
		return Measurement{}, err
	}
	if a.Iterations != iterations || a.Nanoseconds <= 0 {
		return Measurement{}, fmt.Errorf("benches: worker %s: asked for %d iterations, got %d in %d ns", s.w.cmd.Path, iterations, a.Iterations, a.Nanoseconds)
	}
	return a.Measurement, nil
}

func (s *remoteSampler) Close() error { return nil }
