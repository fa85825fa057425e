// Package forge makes small chains that verify: forks, re-geneses and long chains, for tests and for serve-fake.
//
// Each epoch has one signer, who holds all the stake and wins every lottery (k = m = 1, phi_f = 1). All keys are derived
// from a text, so that the same calls make the same chain. Nobody's keys are in it: a chain of this package is one under
// its own genesis key only.
package forge

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/stm"
)

// padding is the length of a made-up party identifier, near the bound of a string in a certificate.
const padding = 60_000

// stake is what the one signer of an epoch holds.
const stake = 1_000_000

var parameters = stm.Parameters{K: 1, M: 1, PhiF: 1}

// signersKept bounds the signers whose keys are kept. A chain needs those of one epoch and the next.
const signersKept = 4

// Forge makes certificates of one network. It is safe for concurrent use.
type Forge struct {
	seed    string
	network string
	genesis ed25519.PrivateKey

	mutex   sync.Mutex
	signers map[string]*signer // those of the last certificates
	keys    *multisig.KeyCache
}

// signer is a signer's keys.
type signer struct {
	secret *multisig.SigningKey
	public [multisig.VerificationKeySize]byte
}

// New returns a forge whose keys are derived from seed.
func New(seed, network string) *Forge {
	key := sha256.Sum256([]byte("genesis key of " + seed))
	return &Forge{
		seed: seed, network: network, genesis: ed25519.NewKeyFromSeed(key[:]),
		signers: make(map[string]*signer), keys: multisig.NewKeyCache(signersKept),
	}
}

// GenesisKey returns the key under which the chains of the forge verify.
func (f *Forge) GenesisKey() [32]byte { return [32]byte(f.genesis.Public().(ed25519.PublicKey)) }

// Link is a certificate of a chain.
type Link struct {
	Hash  certificate.Hash
	Epoch uint64
	Text  []byte // JSON, as an aggregator serves it

	nextSigner string // name of the signer of the next epoch
	signer     string
}

// Spec says what a certificate is about. The zero value is a stake distribution.
type Spec struct {
	Entity certificate.SignedEntityType   // its Epoch is filled in
	Parts  map[certificate.PartKey]string // in addition to the three that each message has
	Signer string                         // who signs the next epoch; empty for the usual signer
	Pad    int                            // bytes of made-up party identifiers, which no signature covers
}

// Genesis returns a genesis certificate.
func (f *Forge) Genesis(epoch uint64, s Spec) *Link {
	signer := "genesis"
	c, next := f.draft(epoch, signer, s)
	c.GenesisSignature = (*[64]byte)(ed25519.Sign(f.genesis, []byte(c.SignedMessage)))
	return f.seal(c, signer, next)
}

// Next returns a certificate whose parent is given: of the parent's epoch when sameEpoch is set, of the next one otherwise.
func (f *Forge) Next(parent *Link, sameEpoch bool, s Spec) *Link {
	epoch, signer := parent.Epoch+1, parent.nextSigner
	if sameEpoch {
		epoch, signer = parent.Epoch, parent.signer
	}
	c, next := f.draft(epoch, signer, s)
	c.PreviousHash = parent.Hash
	c.MultiSignature = f.sign(c, signer)
	return f.seal(c, signer, next)
}

// Chain returns a chain of n certificates, newest first, one an epoch from the given one on.
func (f *Forge) Chain(epoch uint64, n int) []*Link { return f.ChainOf(epoch, n, Spec{}) }

// ChainOf returns a chain of n certificates like the given one.
func (f *Forge) ChainOf(epoch uint64, n int, s Spec) []*Link {
	links := make([]*Link, n)
	for i := n - 1; i >= 0; i-- {
		if i == n-1 {
			links[i] = f.Genesis(epoch, s)
		} else {
			links[i] = f.Next(links[i+1], false, s)
		}
	}
	return links
}

// Texts returns the texts of links.
func Texts(links []*Link) [][]byte {
	texts := make([][]byte, len(links))
	for i, link := range links {
		texts[i] = link.Text
	}
	return texts
}

// draft returns a certificate without its signature, hash and parent, and the name of the signer of the next epoch.
func (f *Forge) draft(epoch uint64, signer string, s Spec) (*certificate.Certificate, string) {
	next := s.Signer
	if next == "" {
		next = fmt.Sprint("epoch ", epoch+1)
	}
	made := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(epoch%10_000) * 5 * 24 * time.Hour)
	c := &certificate.Certificate{Epoch: epoch, SignedEntityType: s.Entity, AVK: f.avk(signer)}
	c.SignedEntityType.Epoch = epoch
	c.Metadata = certificate.Metadata{
		Network: f.network, Version: "0.1.0", Parameters: parameters, InitiatedAt: made, SealedAt: made.Add(time.Minute),
		Signers: []certificate.Signer{{PartyID: signer, Stake: stake}},
	}
	for left := s.Pad; left > 0; left -= padding {
		c.Metadata.Signers = append(c.Metadata.Signers, certificate.Signer{PartyID: filler(epoch, left)})
	}
	hash, err := certificate.HashParameters(parameters)
	if err != nil {
		panic(err) // the parameters are constants
	}
	m := &c.ProtocolMessage
	m.SetPart(certificate.NextAggregateVerificationKey, string(f.avk(next).AppendJSONHex(nil)))
	m.SetPart(certificate.NextProtocolParameters, hash.String())
	m.SetPart(certificate.CurrentEpoch, strconv.FormatUint(epoch, 10))
	for key, value := range s.Parts {
		m.SetPart(key, value)
	}
	c.SignedMessage = m.ComputeHash().String()
	return c, next
}

// filler returns a text of up to padding characters that hardly compresses.
func filler(epoch uint64, left int) string {
	var b strings.Builder
	for i := 0; b.Len() < min(left, padding); i++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d", epoch, left, i))
		b.WriteString(base64.RawStdEncoding.EncodeToString(sum[:]))
	}
	return b.String()[:min(left, padding)]
}

// seal computes the hash and the text.
func (f *Forge) seal(c *certificate.Certificate, signer, next string) *Link {
	var err error
	if c.Hash, err = c.ComputeHash(); err != nil {
		panic(err) // a certificate made here has a hash
	}
	text, err := c.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return &Link{Hash: c.Hash, Epoch: c.Epoch, Text: text, signer: signer, nextSigner: next}
}

func (f *Forge) key(name string) *signer {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if s := f.signers[name]; s != nil {
		return s
	}
	material := sha256.Sum256([]byte("signer " + name + " of " + f.seed))
	key, err := multisig.GenerateSigningKey(material[:])
	if err != nil {
		panic(err) // the material has the right length
	}
	if len(f.signers) == signersKept {
		clear(f.signers)
	}
	s := &signer{key, key.VerificationKey().Bytes()}
	f.signers[name] = s
	return s
}

func (f *Forge) avk(name string) *stm.AggregateVerificationKey {
	return &stm.AggregateVerificationKey{Root: merkle.LeafHash(&f.key(name).public, stake), NrLeaves: 1, TotalStake: stake}
}

// sign makes the multi-signature: one signature with the one index that there is, and a path without values.
func (f *Forge) sign(c *certificate.Certificate, name string) *stm.AggregateSignature {
	key := f.key(name)
	sigma := key.secret.Sign(c.AVK.SignedMessage([]byte(c.SignedMessage))).Bytes()
	text := fmt.Sprintf(`{"signatures":[[{"sigma":%s,"indexes":[0],"signer_index":0},[%s,%d]]],"batch_proof":{"values":[],"indices":[0],"hasher":null}}`,
		numbers(sigma[:]), numbers(key.public[:]), stake)
	proof, _, err := stm.ParseAggregateSignature([]byte(hex.EncodeToString([]byte(text))), f.keys)
	if err != nil {
		panic(err)
	}
	return proof
}

// numbers writes bytes as a JSON array of numbers.
func numbers(b []byte) []byte {
	ints := make([]int, len(b))
	for i := range b {
		ints[i] = int(b[i])
	}
	text, err := json.Marshal(ints)
	if err != nil {
		panic(err)
	}
	return text
}
