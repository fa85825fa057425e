package suites

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/sync/errgroup"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/internal/testkit"
	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

// seeded returns 32 bytes derived from a name and numbers: input key material
// and messages of the benchmarks. They are public and protect nothing.
func seeded(name string, n ...int) []byte {
	h := blake2b.Sum256(fmt.Appendf(nil, "stmverify benchmark %s %v", name, n))
	return h[:]
}

func seededKey(name string, n ...int) *multisig.SigningKey {
	k, err := multisig.GenerateSigningKey(seeded(name, n...))
	if err != nil { // 32 bytes always give a key
		panic(err)
	}
	return k
}

// registration is a closed registration with the secret keys in registration
// order.
type registration struct {
	*testkit.Epoch
	entries []keyreg.Entry
	secrets []*multisig.SigningKey
}

// register closes registration number of the parties of a shape.
func register(ctx context.Context, s shape, number int) (*registration, error) {
	spec := testkit.Spec{Signers: s.parties, Parameters: s.parameters(), Seed: uint64(s.parties)}
	if err := spec.Normalize(); err != nil {
		return nil, err
	}
	e, err := spec.NewEpoch(ctx, uint64(number), 0)
	if err != nil {
		return nil, err
	}
	r := &registration{Epoch: e, secrets: make([]*multisig.SigningKey, s.parties)}
	for _, entry := range e.Closed.Entries() {
		r.entries = append(r.entries, entry)
	}
	for _, secret := range e.Keys {
		i, err := e.Closed.Index(secret.VerificationKey())
		if err != nil {
			return nil, err
		}
		r.secrets[i] = secret
	}
	return r, nil
}

// signed is one message signed by every party.
type signed struct {
	*registration
	p          stm.Parameters
	msgp       []byte
	sigmas     [][multisig.SignatureSize]byte
	thresholds []stm.Threshold
	owners     map[uint64]int // memo of owner
}

func (r *registration) sign(p stm.Parameters, msg []byte) (*signed, error) {
	s := &signed{
		registration: r, p: p, msgp: r.Clerk.AVK().SignedMessage(msg), owners: map[uint64]int{},
		sigmas: make([][multisig.SignatureSize]byte, len(r.entries)), thresholds: make([]stm.Threshold, len(r.entries)),
	}
	lottery, err := stm.NewLottery(p.PhiF, r.Closed.TotalStake())
	if err != nil {
		return nil, err
	}
	for i := range r.entries {
		s.sigmas[i] = r.secrets[i].Sign(s.msgp).Bytes()
		if s.thresholds[i], err = lottery.Threshold(r.entries[i].Stake); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// wins plays one lottery.
func (s *signed) wins(i int, index uint64) bool {
	ev := blake2b.Sum512(appendLottery(make([]byte, 0, 192), s.msgp, index, s.sigmas[i][:]))
	return s.thresholds[i].Wins(&ev)
}

// appendLottery appends what is hashed for one lottery: "map", the message, the
// index in little-endian order and the signature (SPEC 4).
func appendLottery(b, msgp []byte, index uint64, sigma []byte) []byte {
	b = append(append(b, "map"...), msgp...)
	b = binary.LittleEndian.AppendUint64(b, index)
	return append(b, sigma...)
}

// owner returns who keeps an index: of its winners, the one with the smallest
// signature; -1 when nobody won.
func (s *signed) owner(index uint64) int {
	if o, ok := s.owners[index]; ok {
		return o
	}
	best := -1
	for i := range s.entries {
		if (best < 0 || bytes.Compare(s.sigmas[i][:], s.sigmas[best][:]) < 0) && s.wins(i, index) {
			best = i
		}
	}
	s.owners[index] = best
	return best
}

// aggregate does what a clerk does, without playing lotteries whose outcome
// changes nothing: walk the indices, add the owner of each with all the
// indices it keeps, until there are k.
func (s *signed) aggregate() (string, error) {
	kept := map[int][]uint64{}
	have := uint64(0)
	for index := uint64(0); index < s.p.M && have < s.p.K; index++ {
		o := s.owner(index)
		if o < 0 || kept[o] != nil {
			continue
		}
		for j := range s.p.M {
			if s.wins(o, j) && s.owner(j) == o {
				kept[o] = append(kept[o], j)
			}
		}
		have += uint64(len(kept[o]))
	}
	if have < s.p.K {
		return "", fmt.Errorf("%d indices of the %d needed", have, s.p.K)
	}
	return s.json(kept)
}

// json writes the canonical form of the proof (SPEC 2.2).
func (s *signed) json(kept map[int][]uint64) (string, error) {
	var signers []uint64
	for i := range kept {
		signers = append(signers, uint64(i))
	}
	slices.Sort(signers)
	path, err := s.Closed.Path(signers)
	if err != nil {
		return "", err
	}
	b := []byte(`{"signatures":[`)
	for n, i := range signers {
		if n > 0 {
			b = append(b, ',')
		}
		p := s.entries[i]
		key := p.Key.Bytes()
		b = appendBytes(append(b, `[{"sigma":`...), s.sigmas[i][:])
		b = appendInts(append(b, `,"indexes":`...), kept[int(i)])
		b = fmt.Appendf(b, `,"signer_index":%d},[`, i)
		b = fmt.Appendf(appendBytes(b, key[:]), `,%d]]`, p.Stake)
	}
	b = append(b, `],"batch_proof":{"values":[`...)
	for n := range path.Values {
		if n > 0 {
			b = append(b, ',')
		}
		b = appendBytes(b, path.Values[n][:])
	}
	b = appendInts(append(b, `],"indices":`...), signers)
	return string(append(b, `,"hasher":null}}`...)), nil
}

func appendBytes(b, xs []byte) []byte {
	b = append(b, '[')
	for i, x := range xs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(x), 10)
	}
	return append(b, ']')
}

func appendInts(b []byte, xs []uint64) []byte {
	b = append(b, '[')
	for i, x := range xs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, x, 10)
	}
	return append(b, ']')
}

// perRegistration is how many proofs come from one registration.
const perRegistration = 25

// makeProofs makes proofs number have to want-1 of a shape.
func makeProofs(ctx context.Context, env *benches.Env, s shape, have, want int) ([]line, error) {
	out := make([]line, want-have)
	regs := map[int]*registration{}
	for i := have; i < want; i++ {
		if n := i / perRegistration; regs[n] == nil {
			r, err := register(ctx, s, n)
			if err != nil {
				return nil, err
			}
			regs[n] = r
		}
	}
	var done atomic.Int64
	err := parallel(len(out), func(k int) error {
		i := have + k
		r := regs[i/perRegistration]
		msg := seeded("message of "+s.name, i)
		sg, err := r.sign(s.parameters(), msg)
		if err != nil {
			return err
		}
		text, err := sg.aggregate()
		if err != nil {
			return fmt.Errorf("proof %d: %w", i, err)
		}
		out[k] = line{
			Parameters: &parameters{s.k, s.m, s.phiF}, Message: hex.EncodeToString(msg),
			AVK: string(r.Clerk.AVK().AppendJSON(nil)), Proof: text,
		}
		env.Report("proofs of "+s.name, have+int(done.Add(1)), want)
		return nil
	})
	return out, err
}

// parallel calls f for 0 to n-1 on all cores and returns the first error.
func parallel(n int, f func(i int) error) error {
	g, ctx := errgroup.WithContext(context.Background())
	var next atomic.Int64
	for range min(n, runtime.GOMAXPROCS(0)) {
		g.Go(func() error {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := f(i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}
