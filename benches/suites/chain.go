package suites

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/testkit"
	"github.com/stmverify/stmverify/stm"
)

// chainShapes are the two ends of what networks look like. On mainnet 59 of 127
// registered signers sign with 1 971 indices, in 113 552 bytes; here some 57 of
// 104 do with 2 450, in as many bytes. On preprod three share five indices.
func chainShapes() map[string]testkit.Spec {
	return map[string]testkit.Spec{
		"shape=mainnet": {Signers: 104, Parameters: stm.Parameters{K: 2422, M: 20973, PhiF: 0.2}, Seed: 1, Network: "mainnet"},
		"shape=preprod": {Signers: 3, Parameters: stm.Parameters{K: 5, M: 100, PhiF: 0.65}, Seed: 2, Network: "preprod"},
	}
}

var chainShapeNames = []string{"shape=mainnet", "shape=preprod"}

// chainLengths are the numbers of certificates, genesis included. Keys are
// fresh in every certificate, so no cache helps.
var chainLengths = []int{1, 4, 16, 64, 256}

// chains verifies from the JSON text of the certificates to the verdict.
func chains() []*benches.Benchmark {
	var out []*benches.Benchmark
	for _, s := range chainShapeNames {
		for _, w := range ways() {
			for _, n := range chainLengths {
				out = append(out, &benches.Benchmark{
					Group: "chain/" + s, Function: w.name, Input: fmt.Sprintf("n=%d", n), Value: float64(n),
					Elements: uint64(n), Unit: "certificates", Kind: benches.Scaling, Parallel: w.jobs > 1,
					Setup: func(ctx context.Context, env *benches.Env) (*benches.Op, error) {
						c, err := chainOf(ctx, env, s, n)
						if err != nil {
							return nil, err
						}
						return verifyChain(ctx, c, w)
					},
				})
			}
		}
	}
	return out
}

func verifyChain(ctx context.Context, c *testkit.Chain, w way) (*benches.Op, error) {
	run := func(extra ...chain.Option) error {
		opts := append(extra, chain.WithJobs(w.jobs))
		if !w.batch {
			opts = append(opts, chain.WithoutBatch())
		}
		_, err := chain.VerifyEncoded(ctx, encoded(c.Certificates), chain.Trust{GenesisKey: c.GenesisKey}, opts...)
		return err
	}
	var stats chain.Stats
	if err := run(chain.WithStats(&stats)); err != nil {
		return nil, err
	}
	return &benches.Op{
		Run: func() error { return run() },
		Counters: map[string]float64{
			"pairings": float64(stats.Operations.MillerLoops), "final-exponentiations": float64(stats.Operations.FinalExponentiations),
			"g1-terms": float64(stats.Operations.G1Terms), "g2-terms": float64(stats.Operations.G2Terms), "lottery-hashes": float64(stats.LotteryHashes),
		},
	}, nil
}

// encoded yields the certificates of a walk.
func encoded(certs [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, c := range certs {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// chainOf returns a chain of n certificates, the newest first. A longer chain of
// the same seed begins with the same certificates, so the cache holds the
// longest: the genesis key in the first line, then one certificate a line, the
// oldest first.
func chainOf(ctx context.Context, env *benches.Env, name string, n int) (*testkit.Chain, error) {
	make := n
	if env.Cache != "" {
		make = slices.Max(chainLengths)
	}
	all, err := benches.Shared(env, fmt.Sprintf("chain/%s/%d", name, make), func() (*testkit.Chain, error) {
		return cachedChain(ctx, env, name, make)
	})
	if err != nil {
		return nil, err
	}
	return &testkit.Chain{Certificates: all.Certificates[len(all.Certificates)-n:], GenesisKey: all.GenesisKey}, nil
}

func cachedChain(ctx context.Context, env *benches.Env, name string, n int) (*testkit.Chain, error) {
	path := CachePath(env.Cache, "chain-"+name)
	if env.Cache != "" {
		if c, err := readChain(path, n); c != nil || err != nil {
			return c, err
		}
	}
	spec := chainShapes()[name]
	spec.Certificates = n
	c, err := testkit.Generate(ctx, spec, func(done, of int) { env.Report("a chain of "+name, done, of) })
	if err != nil {
		return nil, fmt.Errorf("suites: making a chain of %s: %w", name, err)
	}
	if env.Cache == "" {
		return c, nil
	}
	return c, writeChain(path, c)
}

// readChain returns nil when the file does not hold the chain.
func readChain(path string, n int) (*testkit.Chain, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	if len(lines) != n+1 {
		return nil, nil
	}
	key, err := genesisKey(lines[0])
	if err != nil {
		return nil, fmt.Errorf("suites: cache %s: %w", path, err)
	}
	certs := slices.Clone(lines[1:])
	slices.Reverse(certs)
	return &testkit.Chain{Certificates: certs, GenesisKey: key}, nil
}

// genesisKey reads the key as clients do: hexadecimal of a JSON array.
func genesisKey(text []byte) (key [32]byte, err error) {
	b, err := hex.DecodeString(string(text))
	if err != nil {
		return key, err
	}
	fields := bytes.Split(bytes.Trim(b, "[]"), []byte(","))
	if len(fields) != len(key) {
		return key, fmt.Errorf("genesis key of %d bytes, want %d", len(fields), len(key))
	}
	for i, f := range fields {
		v, err := strconv.ParseUint(string(f), 10, 8)
		if err != nil {
			return key, err
		}
		key[i] = byte(v)
	}
	return key, nil
}

func writeChain(path string, c *testkit.Chain) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".making-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	var b bytes.Buffer
	fmt.Fprintf(&b, "%x\n", appendBytes(nil, c.GenesisKey[:]))
	for _, cert := range slices.Backward(c.Certificates) {
		b.Write(cert)
		b.WriteByte('\n')
	}
	_, err = f.Write(b.Bytes())
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
