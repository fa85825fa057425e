package suites

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/sync/errgroup"

	"github.com/stmverify/stmverify/benches"
	"github.com/stmverify/stmverify/merkle"
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

// party is a registered signer.
type party struct {
	secret *multisig.SigningKey
	key    [multisig.VerificationKeySize]byte
	stake  uint64
}

// registration is a closed registration with everything a clerk needs.
type registration struct {
	parties []party
	tree    *merkle.Tree
	avk     stm.AggregateVerificationKey
}

// register closes a registration of n parties with stakes from 1 to 9 999, as
// in the reference's own benchmarks.
func register(name string, number, n int) (*registration, error) {
	rng := rand.New(rand.NewPCG(uint64(number), uint64(n)))
	r := &registration{parties: make([]party, n)}
	for i := range r.parties {
		r.parties[i].stake = 1 + rng.Uint64N(9999)
	}
	if err := parallel(n, func(i int) error {
		p := &r.parties[i]
		p.secret = seededKey(name, number, i)
		p.key = p.secret.VerificationKey().Bytes()
		return nil
	}); err != nil {
		return nil, err
	}
	slices.SortFunc(r.parties, func(a, b party) int {
		return cmp.Or(cmp.Compare(a.stake, b.stake), bytes.Compare(a.key[:], b.key[:]))
	})
	leaves := make([]merkle.Hash, n)
	for i := range leaves {
		p := &r.parties[i]
		leaves[i] = merkle.LeafHash(&p.key, p.stake)
		r.avk.TotalStake += p.stake
	}
	tree, err := merkle.NewTree(leaves)
	if err != nil {
		return nil, err
	}
	r.tree, r.avk.Root, r.avk.NrLeaves = tree, tree.Root(), uint64(n)
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
		registration: r, p: p, msgp: r.avk.SignedMessage(msg), owners: map[uint64]int{},
		sigmas: make([][multisig.SignatureSize]byte, len(r.parties)), thresholds: make([]stm.Threshold, len(r.parties)),
	}
	lottery, err := stm.NewLottery(p.PhiF, r.avk.TotalStake)
	if err != nil {
		return nil, err
	}
	for i := range r.parties {
		s.sigmas[i] = r.parties[i].secret.Sign(s.msgp).Bytes()
		if s.thresholds[i], err = lottery.Threshold(r.parties[i].stake); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// wins plays one lottery: Blake2b-512 over "map", the message, the index in
// little-endian order and the signature.
func (s *signed) wins(i int, index uint64) bool {
	b := append(make([]byte, 0, 192), "map"...)
	b = append(b, s.msgp...)
	b = binary.LittleEndian.AppendUint64(b, index)
	b = append(b, s.sigmas[i][:]...)
	ev := blake2b.Sum512(b)
	return s.thresholds[i].Wins(&ev)
}

// owner returns who keeps an index: of its winners, the one with the smallest
// signature; -1 when nobody won.
func (s *signed) owner(index uint64) int {
	if o, ok := s.owners[index]; ok {
		return o
	}
	best := -1
	for i := range s.parties {
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
	path, err := s.tree.Path(signers)
	if err != nil {
		return "", err
	}
	b := []byte(`{"signatures":[`)
	for n, i := range signers {
		if n > 0 {
			b = append(b, ',')
		}
		p := &s.parties[i]
		b = appendBytes(append(b, `[{"sigma":`...), s.sigmas[i][:])
		b = appendInts(append(b, `,"indexes":`...), kept[int(i)])
		b = fmt.Appendf(b, `,"signer_index":%d},[`, i)
		b = fmt.Appendf(appendBytes(b, p.key[:]), `,%d]]`, p.stake)
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
const perRegistration = 10

// makeProofs makes proofs number have to want-1 of a shape.
func makeProofs(env *benches.Env, s shape, have, want int) ([]line, error) {
	out := make([]line, want-have)
	p := stm.Parameters{K: s.k, M: s.m, PhiF: s.phiF}
	regs := map[int]*registration{}
	for i := have; i < want; i++ {
		if n := i / perRegistration; regs[n] == nil {
			r, err := register(s.name, n, s.parties)
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
		sg, err := r.sign(p, msg)
		if err != nil {
			return err
		}
		text, err := sg.aggregate()
		if err != nil {
			return fmt.Errorf("proof %d: %w", i, err)
		}
		out[k] = line{
			Parameters: &parameters{s.k, s.m, s.phiF}, Message: hex.EncodeToString(msg),
			AVK: string(r.avk.AppendJSON(nil)), Proof: text,
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
