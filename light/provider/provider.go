// Package provider says what a light client asks of a source of certificates, and how a source reports failure.
//
// A provider delivers bytes. It decides nothing: whether the bytes are a certificate, the one asked for, and part of a
// valid chain is for package chain. The implementations are in light/aggregator; a program may bring its own.
package provider

import (
	"context"
	"fmt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/verdict"
)

// Provider is a source of certificates. Implementations are safe for concurrent use, return soon after ctx is done, and
// bound the bytes that they return.
//
// A method that fails returns an error of one of the classes of package verdict, best an [*Error]. An error of the class
// [verdict.ErrUnavailable] says that another provider, or the same one later, may succeed.
type Provider interface {
	// Name identifies the provider in errors, events and evidence: a URL without credentials, or a path.
	Name() string

	// Certificate returns the JSON text of the certificate with this hash. Nobody has checked that it is that one. The
	// error wraps [ErrNotFound] when the provider does not have it. The caller may keep the text but not change it.
	Certificate(ctx context.Context, hash certificate.Hash) ([]byte, error)

	// Genesis returns the JSON text of the newest genesis certificate.
	Genesis(ctx context.Context) ([]byte, error)

	// Recent returns the newest certificates, newest first. There may be fewer or more than an aggregator lists (20).
	Recent(ctx context.Context) ([]Item, error)
}

// Item is a certificate as a provider lists it. Nothing in it is authenticated.
type Item struct {
	Hash             certificate.Hash
	PreviousHash     certificate.Hash // zero on a genesis certificate
	Epoch            uint64
	SignedEntityType string // compact JSON, as in {"CardanoTransactions":[300,4924499]}
	SignedMessage    string
}

// ErrNotFound says that a provider does not have a certificate.
var ErrNotFound = verdict.Sentinel(verdict.ErrUnavailable, "certificate not found")

// Error says which provider failed, at what, and how often it was asked. It wraps one class of package verdict.
type Error struct {
	Provider string           // its name
	Request  string           // "certificate", "genesis" or "certificates"
	Hash     certificate.Hash // of the certificate asked for; zero for the other requests
	Status   int              // HTTP status of the last answer, or 0
	Attempts int              // how often the provider was asked
	Rule     verdict.Rule     // certificate-not-found, limit-exceeded, malformed or unsupported; empty when no rule applies
	Err      error            // the reason of the last attempt
}

func (e *Error) Error() string {
	what := e.Request
	if !e.Hash.IsZero() {
		what += " " + e.Hash.String()
	}
	times := ""
	if e.Attempts > 1 {
		times = fmt.Sprintf(" (asked %d times)", e.Attempts)
	}
	return fmt.Sprintf("provider %s: %s%s: %v", e.Provider, what, times, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
