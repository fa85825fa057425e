package certificate

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/stmverify/stmverify/internal/jsonhex"
)

// EntityKind says what kind of Cardano data a certificate is about. The values are the discriminants of the reference.
type EntityKind uint8

// The kinds of signed entities (SPEC 3.5).
const (
	MithrilStakeDistribution  EntityKind = 0
	CardanoStakeDistribution  EntityKind = 1
	CardanoImmutableFilesFull EntityKind = 2 // discontinued in 2026; real chains of 2025 and 2026 hold it
	CardanoTransactions       EntityKind = 3
	CardanoDatabase           EntityKind = 4
	CardanoBlocksTransactions EntityKind = 5
)

var entityNames = [...]string{
	MithrilStakeDistribution:  "MithrilStakeDistribution",
	CardanoStakeDistribution:  "CardanoStakeDistribution",
	CardanoImmutableFilesFull: "CardanoImmutableFilesFull",
	CardanoTransactions:       "CardanoTransactions",
	CardanoDatabase:           "CardanoDatabase",
	CardanoBlocksTransactions: "CardanoBlocksTransactions",
}

// String returns the name that the JSON form uses.
func (k EntityKind) String() string {
	if int(k) < len(entityNames) {
		return entityNames[k]
	}
	return fmt.Sprintf("EntityKind(%d)", uint8(k))
}

// SignedEntityType says what a certificate is about. It is not signed: anybody who serves a certificate can change it. The fields
// behind Epoch are zero unless the kind has them.
type SignedEntityType struct {
	Kind                EntityKind
	Epoch               uint64
	ImmutableFileNumber uint64 // CardanoDatabase, CardanoImmutableFilesFull
	BlockNumber         uint64 // CardanoTransactions, CardanoBlocksTransactions
	BlockNumberOffset   uint64 // CardanoBlocksTransactions
}

// String returns the kind and its numbers: CardanoTransactions(643, 13678859).
func (t SignedEntityType) String() string {
	text := t.Kind.String() + "(" + strconv.FormatUint(t.Epoch, 10)
	for _, n := range t.beacon() {
		text += ", " + strconv.FormatUint(n, 10)
	}
	return text + ")"
}

// beacon returns the numbers behind the epoch.
func (t SignedEntityType) beacon() []uint64 {
	switch t.Kind {
	case CardanoDatabase, CardanoImmutableFilesFull:
		return []uint64{t.ImmutableFileNumber}
	case CardanoTransactions:
		return []uint64{t.BlockNumber}
	case CardanoBlocksTransactions:
		return []uint64{t.BlockNumber, t.BlockNumberOffset}
	}
	return nil
}

// AppendHashInput appends the bytes that enter the hash of a standard certificate (SPEC 3.5). Only the newest kind feeds its
// discriminant, so that a certificate about one kind hashes like one about another with the same numbers.
func (t SignedEntityType) AppendHashInput(dst []byte) []byte {
	if t.Kind == CardanoBlocksTransactions {
		dst = binary.BigEndian.AppendUint16(dst, uint16(t.Kind))
	}
	dst = binary.BigEndian.AppendUint64(dst, t.Epoch)
	for _, n := range t.beacon() {
		dst = binary.BigEndian.AppendUint64(dst, n)
	}
	return dst
}

// AppendJSON appends the JSON form: {"CardanoTransactions":[643,13678859]}.
func (t SignedEntityType) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"`...)
	dst = append(dst, t.Kind.String()...)
	dst = append(dst, `":`...)
	switch t.Kind {
	case CardanoDatabase, CardanoImmutableFilesFull:
		dst = append(dst, `{"epoch":`...)
		dst = strconv.AppendUint(dst, t.Epoch, 10)
		dst = append(dst, `,"immutable_file_number":`...)
		dst = strconv.AppendUint(dst, t.ImmutableFileNumber, 10)
		dst = append(dst, '}')
	case CardanoTransactions, CardanoBlocksTransactions:
		dst = append(dst, '[')
		dst = strconv.AppendUint(dst, t.Epoch, 10)
		for _, n := range t.beacon() {
			dst = append(dst, ',')
			dst = strconv.AppendUint(dst, n, 10)
		}
		dst = append(dst, ']')
	default:
		dst = strconv.AppendUint(dst, t.Epoch, 10)
	}
	return append(dst, '}')
}

// MarshalJSON returns the JSON form.
func (t SignedEntityType) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// parseEntityType reads the JSON form: an object with one entry, whose key is the kind.
func parseEntityType(data []byte) (SignedEntityType, error) {
	var t SignedEntityType
	s := jsonhex.NewScanner(data)
	entries := 0
	err := s.Object(func(key []byte) error {
		if entries++; entries > 1 {
			return errEntityEntries
		}
		for kind, name := range entityNames {
			if string(key) == name {
				t.Kind = EntityKind(kind)
				return t.scanBeacon(&s)
			}
		}
		return errEntityKind
	})
	if err == nil && entries == 0 {
		err = errEntityEntries
	}
	return t, err
}

var databaseFields = jsonhex.Fields{
	Names:      []string{"epoch", "immutable_file_number"},
	Positional: 2,
	Required:   jsonhex.Required(2),
}

func (t *SignedEntityType) scanBeacon(s *jsonhex.Scanner) (err error) {
	switch t.Kind {
	case CardanoDatabase, CardanoImmutableFilesFull:
		// Beacons of CardanoImmutableFilesFull once had a field network too. It was hashed then, and is not any more.
		return s.Struct(&databaseFields, func(i int) (err error) {
			field := [...]*uint64{&t.Epoch, &t.ImmutableFileNumber}[i]
			*field, err = s.Uint64()
			return err
		})
	case CardanoTransactions:
		return scanTuple(s, &t.Epoch, &t.BlockNumber)
	case CardanoBlocksTransactions:
		return scanTuple(s, &t.Epoch, &t.BlockNumber, &t.BlockNumberOffset)
	}
	t.Epoch, err = s.Uint64()
	return err
}

// scanTuple reads an array of exactly as many numbers as there are fields.
func scanTuple(s *jsonhex.Scanner, fields ...*uint64) error {
	n := 0
	err := s.Array(func(i int) (err error) {
		if n++; n > len(fields) {
			return errEntityNumbers
		}
		*fields[i], err = s.Uint64()
		return err
	})
	if err == nil && n != len(fields) {
		err = errEntityNumbers
	}
	return err
}
