package certificate

import (
	"fmt"
	"strconv"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/verdict"
)

// shape is what the value of a message part must look like.
type shape uint8

const (
	decimalShape  shape = iota // a decimal uint64 without leading zeros
	hashShape                  // 64 lowercase hexadecimal characters
	avkShape                   // an encoding of an aggregate verification key
	bytesHexShape              // lowercase hexadecimal bytes, at least one
)

var partShapes = [partCount]shape{
	SnapshotDigest:                             hashShape,
	CardanoTransactionsMerkleRoot:              hashShape,
	CardanoBlocksTransactionsMerkleRoot:        hashShape,
	NextAggregateVerificationKey:               avkShape,
	NextProtocolParameters:                     hashShape,
	CurrentEpoch:                               decimalShape,
	LatestBlockNumber:                          decimalShape,
	CardanoBlocksTransactionsBlockNumberOffset: decimalShape,
	CardanoStakeDistributionEpoch:              decimalShape,
	CardanoStakeDistributionMerkleRoot:         hashShape,
	CardanoDatabaseMerkleRoot:                  hashShape,
	NextAggregateVerificationKeySnark:          bytesHexShape,
}

// ErrPart says that a message part does not have the shape of its kind.
var ErrPart = verdict.Sentinel(verdict.ErrInvalid, "message part malformed")

// PartError says which message part is malformed, and how. It wraps [ErrPart].
type PartError struct {
	Key  PartKey
	Want string // the shape
	Got  string // the value, shortened
}

func (e *PartError) Error() string { return fmt.Sprintf("got %s, want %s", e.Got, e.Want) }

// Unwrap returns [ErrPart].
func (e *PartError) Unwrap() error { return ErrPart }

// Validate checks that every part has the shape of its kind (SPEC 11.3): a decimal number without leading zeros for epochs,
// block numbers and offsets, 64 lowercase hexadecimal characters for digests, hashes and Merkle roots, an encoding of an
// aggregate verification key for that key. The hash separates neither keys from values nor parts from each other, so that
// without this check the value of one part could hold the next ones. It returns a [*PartError]. [Decode] calls it.
func (m *ProtocolMessage) Validate() error {
	for key, value := range m.Parts() {
		if want := partShapes[key].refuse(value); want != "" {
			return &PartError{Key: key, Want: want, Got: shorten(value)}
		}
	}
	if m.Scheme == RigidScheme {
		return m.validateRigid()
	}
	return nil
}

// refuse returns what value should have been, or "" when it has the shape.
func (s shape) refuse(value string) (want string) {
	switch s {
	case decimalShape:
		if _, ok := parseDecimal(value); !ok {
			return "a decimal unsigned 64-bit integer without leading zeros"
		}
	case hashShape:
		if _, err := ParseHash(value); err != nil {
			return "64 lowercase hexadecimal characters"
		}
	case avkShape:
		if _, _, err := parseAVK([]byte(value)); err != nil {
			return "an aggregate verification key (" + err.Error() + ")"
		}
	case bytesHexShape:
		if value == "" || len(value)%2 != 0 || !jsonhex.IsLowerHex(value) {
			return "lowercase hexadecimal bytes"
		}
	}
	return ""
}

// parseDecimal returns the number that [strconv.FormatUint] writes as text, and false when there is none.
func parseDecimal(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	return n, true
}

// shorten returns text as it may stand in a message.
func shorten(text string) string {
	const longest = 80
	if len(text) <= longest {
		return strconv.QuoteToASCII(text)
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.QuoteToASCII(text[:longest]), len(text))
}
