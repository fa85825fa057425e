package ed25519

import (
	"errors"

	"github.com/stmverify/stmverify/verdict"
)

// The reasons for which a signature is refused. For all of them errors.Is(err, verdict.ErrInvalid) holds. They are
// checked in this order, and the first one that applies is returned, in a batch as singly.
var (
	// ErrPublicKeyLength says that the public key does not have [PublicKeySize] bytes.
	ErrPublicKeyLength = verdict.Sentinel(verdict.ErrInvalid, "ed25519: public key is not 32 bytes long")
	// ErrSignatureLength says that the signature does not have [SignatureSize] bytes.
	ErrSignatureLength = verdict.Sentinel(verdict.ErrInvalid, "ed25519: signature is not 64 bytes long")
	// ErrScalarRange says that S is not less than the group order.
	ErrScalarRange = verdict.Sentinel(verdict.ErrInvalid, "ed25519: S is not less than the group order")
	// ErrPublicKeySmallOrder says that the public key encodes one of the eight points of small order.
	ErrPublicKeySmallOrder = verdict.Sentinel(verdict.ErrInvalid, "ed25519: public key has small order")
	// ErrNonceSmallOrder says that R encodes one of the eight points of small order.
	ErrNonceSmallOrder = verdict.Sentinel(verdict.ErrInvalid, "ed25519: R has small order")
	// ErrPublicKeyNonCanonical says that the public key is not the canonical encoding of its point.
	ErrPublicKeyNonCanonical = verdict.Sentinel(verdict.ErrInvalid, "ed25519: public key is not canonical")
	// ErrNonceNonCanonical says that R is not the canonical encoding of its point.
	ErrNonceNonCanonical = verdict.Sentinel(verdict.ErrInvalid, "ed25519: R is not canonical")
	// ErrPublicKeyNotOnCurve says that the public key encodes no point.
	ErrPublicKeyNotOnCurve = verdict.Sentinel(verdict.ErrInvalid, "ed25519: public key is not on the curve")
	// ErrNonceNotOnCurve says that R encodes no point. The modes without cofactor compare R as bytes and never decode
	// it: they return [ErrEquation] instead.
	ErrNonceNotOnCurve = verdict.Sentinel(verdict.ErrInvalid, "ed25519: R is not on the curve")
	// ErrEquation says that the verification equation does not hold.
	ErrEquation = verdict.Sentinel(verdict.ErrInvalid, "ed25519: signature does not match")
)

// ErrMode says that a [Mode] is none of the four. It is a mistake of the caller, not a verdict.
var ErrMode = errors.New("ed25519: unknown mode")
