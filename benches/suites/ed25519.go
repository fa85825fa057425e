package suites

import (
	"context"
	std "crypto/ed25519"
	"errors"
	"fmt"

	"github.com/hdevalence/ed25519consensus"
	voi "github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/ed25519"
)

// edSizes are the numbers of signatures verified together.
var edSizes = []int{1, 4, 16, 64, 256, 1024, 4096, 16384}

// edMessageLength is the length of the messages in bytes.
const edMessageLength = 128

type edSignature struct{ key, message, signature []byte }

var errPeer = errors.New("suites: a peer refuses a valid signature")

// edWays are ours under two rule sets, and the Go peers. All but the one with
// two jobs use one core. crypto/ed25519 has no batch and verifies one by one;
// the other peers verify under ZIP-215.
func edWays() []struct {
	name     string
	parallel bool
	make     func(ctx context.Context, sigs []edSignature) (func() error, error)
} {
	ours := func(mode ed25519.Mode, workers int) func(context.Context, []edSignature) (func() error, error) {
		return func(ctx context.Context, sigs []edSignature) (func() error, error) {
			b, err := ed25519.NewBatch(mode, ed25519.Options{Workers: workers})
			return func() error {
				b.Reset()
				for _, s := range sigs {
					b.Add(s.key, s.message, s.signature)
				}
				return b.Verify(ctx)
			}, err
		}
	}
	return []struct {
		name     string
		parallel bool
		make     func(ctx context.Context, sigs []edSignature) (func() error, error)
	}{
		{"impl=ours/mode=strict/jobs=1", false, ours(ed25519.Strict, 1)},
		{"impl=ours/mode=zip215/jobs=1", false, ours(ed25519.ZIP215, 1)},
		{"impl=ours/mode=zip215/jobs=2", true, ours(ed25519.ZIP215, 2)},
		{"impl=go/jobs=1", false, edStandard},
		{"impl=ed25519consensus/jobs=1", false, edConsensus},
		{"impl=voi/jobs=1", false, edVoi},
	}
}

func edStandard(_ context.Context, sigs []edSignature) (func() error, error) {
	return func() error {
		for _, s := range sigs {
			if !std.Verify(s.key, s.message, s.signature) {
				return errPeer
			}
		}
		return nil
	}, nil
}

func edConsensus(_ context.Context, sigs []edSignature) (func() error, error) {
	return func() error {
		b := ed25519consensus.NewBatchVerifier()
		for _, s := range sigs {
			b.Add(s.key, s.message, s.signature)
		}
		if !b.Verify() {
			return errPeer
		}
		return nil
	}, nil
}

func edVoi(_ context.Context, sigs []edSignature) (func() error, error) {
	options := &voi.Options{Verify: voi.VerifyOptionsZIP_215}
	return func() error {
		b := voi.NewBatchVerifier()
		for _, s := range sigs {
			b.AddWithOptions(s.key, s.message, s.signature, options)
		}
		if !b.VerifyBatchOnly(nil) {
			return errPeer
		}
		return nil
	}, nil
}

func ed25519Batches() []*benches.Benchmark {
	var out []*benches.Benchmark
	for _, w := range edWays() {
		for _, n := range edSizes {
			out = append(out, &benches.Benchmark{
				Group: "ed25519/msg=128", Function: w.name, Input: fmt.Sprintf("n=%d", n), Value: float64(n),
				Elements: uint64(n), Unit: "signatures", Parallel: w.parallel,
				Setup: func(ctx context.Context, env *benches.Env) (*benches.Op, error) {
					sigs, err := edSignatures(env, n)
					if err != nil {
						return nil, err
					}
					run, err := w.make(ctx, sigs)
					if err != nil {
						return nil, err
					}
					return &benches.Op{Run: run}, nil
				},
			})
		}
	}
	return out
}

// edSignatures returns n signatures of distinct keys. They are made in a
// second, so they are not cached in a file.
func edSignatures(env *benches.Env, n int) ([]edSignature, error) {
	most := 64
	if n > most {
		most = edSizes[len(edSizes)-1]
	}
	all, err := benches.Shared(env, fmt.Sprintf("ed25519/%d", most), func() ([]edSignature, error) {
		out := make([]edSignature, most)
		return out, parallel(most, func(i int) error {
			secret := std.NewKeyFromSeed(seeded("ed25519", i))
			msg := make([]byte, 0, edMessageLength)
			for k := range edMessageLength / 32 {
				msg = append(msg, seeded("ed25519 message", i, k)...)
			}
			out[i] = edSignature{secret.Public().(std.PublicKey), msg, std.Sign(secret, msg)}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return all[:n], nil
}
