package light

import (
	"fmt"
	"log/slog"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light/provider"
)

// The defaults of the options.
const (
	// DefaultMaxCertificates bounds one walk, at 4 096. A chain has one certificate an epoch of five days and three more
	// (SPEC 6.4), so that this is 56 years.
	DefaultMaxCertificates = limits.MaxWalkCertificates

	// DefaultMaxBytes bounds the texts of one walk, at 32 MiB, which stay in memory until they are stored. Mainnet certificates have
	// 110 kB, so that this is four years of a chain from genesis; once it is stored, a walk is short.
	DefaultMaxBytes = limits.MaxWalkBytes
)

// fetchAhead is how many certificates may be fetched and not yet taken by the verification. Their bytes count towards
// MaxBytes.
const fetchAhead = 64

// settings are what the options set.
type settings struct {
	witnesses       []provider.Provider
	observer        Observer
	log             *slog.Logger
	maxCertificates int
	maxBytes        int
	jobs            int
}

// Option changes a setting of a [Client].
type Option func(*settings) error

// Witnesses adds providers that are asked for the same epochs after each walk. They are also asked, in this order, for
// what the primary provider fails to deliver.
func Witnesses(providers ...provider.Provider) Option {
	return func(s *settings) error {
		s.witnesses = append(s.witnesses, providers...)
		return nil
	}
}

// Observe sets who is told what happens. The default is nobody.
func Observe(o Observer) Option {
	return func(s *settings) error {
		s.observer = o
		return nil
	}
}

// Logger sets a structured logger. The default discards.
func Logger(l *slog.Logger) Option {
	return func(s *settings) error {
		s.log = l
		return nil
	}
}

// MaxCertificates bounds the certificates of one walk. The default is [DefaultMaxCertificates].
func MaxCertificates(n int) Option {
	return func(s *settings) error {
		s.maxCertificates = n
		return positive("certificates", n)
	}
}

// MaxBytes bounds the texts of one walk, in bytes. The default is [DefaultMaxBytes].
func MaxBytes(n int) Option {
	return func(s *settings) error {
		s.maxBytes = n
		return positive("bytes", n)
	}
}

// Jobs sets how many goroutines verify. The default is that of package chain.
func Jobs(n int) Option {
	return func(s *settings) error {
		s.jobs = n
		return positive("jobs", n)
	}
}

func positive(what string, n int) error {
	if n <= 0 {
		return fmt.Errorf("light: number of %s must be positive, got %d", what, n)
	}
	return nil
}
