// Package checkpoint writes and reads checkpoint files: what a client needs of one verified certificate to start from it
// instead of from a genesis certificate.
//
// Whoever starts from a checkpoint trusts it as much as a genesis key. It should come from a store that verified it, over a
// channel that nobody else can write to, or be compared with others'.
package checkpoint

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// The format that this package writes, and the only one it reads.
const (
	Format  = "stmverify-checkpoint"
	Version = 1
)

// File is a checkpoint as it is written.
type File struct {
	Format     string `json:"format"`
	Version    int    `json:"version"`
	Network    string `json:"network"`
	GenesisKey string `json:"genesis_verification_key"` // 64 hexadecimal characters

	Hash           certificate.Hash `json:"hash"`
	Epoch          uint64           `json:"epoch"`
	Genesis        bool             `json:"genesis,omitempty"`
	SignedMessage  string           `json:"signed_message"`
	AVK            string           `json:"aggregate_verification_key"`                // JSON-hex
	NextAVK        string           `json:"next_aggregate_verification_key,omitempty"` // JSON-hex
	Parameters     store.Parameters `json:"protocol_parameters"`
	NextParameters string           `json:"next_protocol_parameters,omitempty"` // their hash
}

// The reasons for which a file is refused.
var (
	ErrFormat  = verdict.Sentinel(verdict.ErrInvalid, "checkpoint: not a checkpoint")
	ErrVersion = verdict.Sentinel(verdict.ErrUnsupported, "checkpoint: file of another version")
	ErrLimit   = verdict.Sentinel(verdict.ErrLimit, "checkpoint: file too large")

	// ErrOther says that a checkpoint was made under another genesis key or for another network.
	ErrOther = errors.New("checkpoint: made for another chain")
)

// New returns the checkpoint of a verified certificate.
func New(id store.Identity, r *store.Record) *File {
	return &File{
		Format: Format, Version: Version, Network: id.Network, GenesisKey: hex.EncodeToString(id.GenesisKey[:]),
		Hash: r.Hash, Epoch: r.Epoch, Genesis: r.Genesis, SignedMessage: r.SignedMessage,
		AVK: r.AVK, NextAVK: r.Message[certificate.NextAggregateVerificationKey.String()],
		Parameters: r.Parameters, NextParameters: r.Message[certificate.NextProtocolParameters.String()],
	}
}

// Read reads a checkpoint file and checks that it is complete. Nothing more can be checked without its chain.
func Read(r io.Reader) (*File, error) {
	text, err := io.ReadAll(io.LimitReader(r, limits.MaxCheckpointBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > limits.MaxCheckpointBytes {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrLimit, limits.MaxCheckpointBytes)
	}
	var f File
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&f); err != nil || f.Format != Format {
		return nil, fmt.Errorf("%w: want a JSON object with the format %q", ErrFormat, Format)
	}
	if f.Version != Version {
		return nil, fmt.Errorf("%w: got %d, want %d", ErrVersion, f.Version, Version)
	}
	if d.More() {
		return nil, fmt.Errorf("%w: something follows it", ErrFormat)
	}
	if _, err := f.Checkpoint(); err != nil {
		return nil, err
	}
	return &f, nil
}

// Write writes the file.
func (f *File) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

// Checkpoint returns what package chain takes.
func (f *File) Checkpoint() (*chain.Checkpoint, error) {
	if f.Hash.IsZero() || f.AVK == "" {
		return nil, fmt.Errorf("%w: it lacks a hash or an aggregate verification key", ErrFormat)
	}
	p := stm.Parameters{K: f.Parameters.K, M: f.Parameters.M, PhiF: f.Parameters.PhiF}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	message := map[string]string{certificate.NextProtocolParameters.String(): f.NextParameters}
	if f.NextAVK != "" {
		message[certificate.NextAggregateVerificationKey.String()] = f.NextAVK
	}
	c, err := light.NewCheckpoint(&store.Record{
		Hash: f.Hash, Epoch: f.Epoch, Genesis: f.Genesis, SignedMessage: f.SignedMessage, Message: message,
		AVK: f.AVK, Parameters: f.Parameters,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return c, nil
}

// For returns nil when the checkpoint is of the chain with this key and, unless it is empty, this network name, and an error
// that wraps [ErrOther] otherwise.
func (f *File) For(key [32]byte, network string) error {
	if got, want := f.GenesisKey, hex.EncodeToString(key[:]); got != want {
		return fmt.Errorf("%w: genesis key %s, want %s", ErrOther, got, want)
	}
	if network != "" && f.Network != network {
		return fmt.Errorf("%w: network %q, want %q", ErrOther, f.Network, network)
	}
	return nil
}

// Same returns nil when both say the same about the same certificate, and otherwise an error of class verdict.ErrInvalid
// that names the first difference. It compares a checkpoint from elsewhere with one that was made from a verified chain.
func (f *File) Same(verified *File) error {
	type field struct {
		name      string
		got, want any
	}
	for _, d := range []field{
		{"hash", f.Hash, verified.Hash}, {"epoch", f.Epoch, verified.Epoch}, {"genesis", f.Genesis, verified.Genesis},
		{"signed message", f.SignedMessage, verified.SignedMessage},
		{"aggregate verification key", f.AVK, verified.AVK},
		{"next aggregate verification key", f.NextAVK, verified.NextAVK},
		{"protocol parameters", f.Parameters, verified.Parameters},
		{"next protocol parameters", f.NextParameters, verified.NextParameters},
	} {
		if d.got != d.want {
			return fmt.Errorf("checkpoint: %w: %s: got %v, the verified chain says %v", verdict.ErrInvalid, d.name, d.got, d.want)
		}
	}
	return nil
}
