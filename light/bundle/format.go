package bundle

import (
	"fmt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// The format that this package writes, and the only one it reads.
const (
	Format  = "stmverify-bundle"
	Version = 1
)

// The bounds of a bundle.
const (
	// MaxBytes bounds a bundle after decompression, at 256 MiB. Ten years of mainnet certificates are 83 MB.
	MaxBytes = limits.MaxBundleBytes

	maxLine   = limits.MaxCertificateBytes
	maxWindow = limits.MaxWindow // memory that the zstd stream may ask for
)

// Header is the first line of a bundle. Only Format, Version, Tips and Certificates are used; the rest is what the writer
// says about its chain.
type Header struct {
	Format       string             `json:"format"`
	Version      int                `json:"version"`
	About        string             `json:"about"`
	Network      string             `json:"network"`
	GenesisKey   string             `json:"genesis_verification_key"`
	Tips         []certificate.Hash `json:"tips"`         // the certificates that no other one of the bundle names as its parent
	RestsOn      certificate.Hash   `json:"rests_on"`     // genesis certificate, or parent of the oldest certificate
	Genesis      bool               `json:"genesis"`      // RestsOn is a genesis certificate, and in the bundle
	Certificates int                `json:"certificates"` // lines that follow, without the last
}

const about = "zstd of JSON lines: this header, one certificate a line, a digest. Verify it with 'stmverify chain import'."

// trailer is the last line.
type trailer struct {
	End          bool   `json:"end"`
	Certificates int    `json:"certificates"`
	Digest       string `json:"sha256"` // of all lines before, each with its newline
}

// The reasons for which a bundle is refused.
var (
	ErrFormat  = verdict.Sentinel(verdict.ErrInvalid, "not a bundle of certificates")
	ErrVersion = verdict.Sentinel(verdict.ErrUnsupported, "bundle of another version")
	ErrDamaged = verdict.Sentinel(verdict.ErrInvalid, "damaged bundle")
	ErrLimit   = verdict.Sentinel(verdict.ErrLimit, "bundle too large")
)

// Error says at which line a bundle is not as it must be. It wraps one class of package verdict.
type Error struct {
	Name string // of the bundle, a path mostly
	Line int    // from 1, the header
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("bundle %s: line %d: %v", e.Name, e.Line, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
