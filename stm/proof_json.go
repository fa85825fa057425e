package stm

import (
	"errors"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
)

// The structures of the JSON form. The reference takes an array for an object wherever it derives its decoder, except for
// the single signature, whose fields it collects from two structures.
var (
	proofFields  = jsonhex.Fields{Names: []string{"signatures", "batch_proof"}, Positional: 2, Required: jsonhex.Required(2)}
	entryFields  = jsonhex.Fields{Names: []string{"sig", "reg_party"}, Positional: 2, Required: jsonhex.Required(2)}
	singleFields = jsonhex.Fields{Names: []string{"sigma", "indexes", "signer_index"}, Required: jsonhex.Required(3)}
	partyFields  = jsonhex.Fields{Names: []string{"verification_key_for_concatenation", "stake"}, Positional: 2, Required: jsonhex.Required(2)}
	pathFields   = jsonhex.Fields{Names: []string{"values", "indices", "hasher"}, Positional: 3, Required: jsonhex.Required(3)}
)

// scanJSON reads the JSON form in any spelling.
func (r *rawProof) scanJSON(data []byte) error {
	if isSNARK(data) {
		return ErrUnsupportedProofType
	}
	s := jsonhex.NewScanner(data)
	s.CheckUnknown() // The reference first collects all of the proof, to see of which type it is.
	err := s.Struct(&proofFields, func(i int) error {
		if i == 0 {
			return s.Array(func(int) error { return r.scanEntry(&s) })
		}
		return r.scanPath(&s)
	})
	if err != nil {
		return err
	}
	return s.End()
}

// isSNARK reports whether data is an object whose only key names a proof of the Lagrange era.
func isSNARK(data []byte) bool {
	s := jsonhex.NewScanner(data)
	found := false
	err := s.Object(func(key []byte) error {
		if string(key) != "Snark" && string(key) != "IvcSnark" {
			return errors.New("another key")
		}
		found = true
		return s.Skip()
	})
	return err == nil && found
}

func (r *rawProof) scanEntry(s *jsonhex.Scanner) error {
	if err := r.checkEntries(); err != nil {
		return err
	}
	// The order in which an object lists the two is free, so that each part is appended where it belongs.
	err := s.Struct(&entryFields, func(i int) error {
		if i == 0 {
			return r.scanSingle(s)
		}
		return r.scanParty(s)
	})
	r.ends = append(r.ends, len(r.indexes))
	return err
}

func (r *rawProof) scanSingle(s *jsonhex.Scanner) error {
	return s.Struct(&singleFields, func(i int) (err error) {
		switch i {
		case 0:
			r.sigmas, err = scanExactly(s, r.sigmas, multisig.SignatureSize)
		case 1:
			err = s.Array(func(int) error {
				v, err := s.Uint64()
				if err != nil {
					return err
				}
				return r.addIndex(v)
			})
		case 2:
			var v uint64
			v, err = s.Uint64()
			r.signerIndex = append(r.signerIndex, v)
		}
		return err
	})
}

func (r *rawProof) scanParty(s *jsonhex.Scanner) error {
	return s.Struct(&partyFields, func(i int) (err error) {
		if i == 0 {
			r.keys, err = scanExactly(s, r.keys, multisig.VerificationKeySize)
			return err
		}
		v, err := s.Uint64()
		r.stakes = append(r.stakes, v)
		return err
	})
}

func (r *rawProof) scanPath(s *jsonhex.Scanner) error {
	return s.Struct(&pathFields, func(i int) error {
		switch i {
		case 0:
			return s.Array(func(int) error {
				if len(r.values) >= limits.MaxIndexes {
					return errTooMany("values", limits.MaxIndexes)
				}
				// The reference takes values of any length here and refuses the path later.
				v, err := scanBytes(s, nil, limits.MaxStringBytes)
				r.values = append(r.values, v)
				return err
			})
		case 1:
			return s.Array(func(int) error {
				if len(r.pathIndices) >= limits.MaxSigners {
					return errTooMany("indices of leaves", limits.MaxSigners)
				}
				v, err := s.Uint64()
				r.pathIndices = append(r.pathIndices, v)
				return err
			})
		}
		return scanNull(s)
	})
}
