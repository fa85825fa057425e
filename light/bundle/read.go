package bundle

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

// Bundle is a bundle in memory. It implements provider.Provider: nothing in it has been verified. It does not change and
// may be used concurrently.
type Bundle struct {
	name    string
	header  Header
	texts   map[certificate.Hash][]byte
	items   []provider.Item
	genesis []byte
}

var _ provider.Provider = (*Bundle)(nil)

// Open reads the bundle in a file.
func Open(path string) (*Bundle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(path, f)
}

// Read reads a bundle; the name is for errors. At most [MaxBytes] after decompression are kept in memory. What is wrong with
// the bundle is an [*Error]; an error of r says nothing about it, and has no class.
func Read(name string, r io.Reader) (*Bundle, error) {
	in := &input{r: r}
	dec, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(2*maxWindow))
	if err != nil {
		return nil, &Error{name, 1, fmt.Errorf("%w: %w", ErrFormat, err)}
	}
	defer dec.Close()
	b := &Bundle{name: name, texts: make(map[certificate.Hash][]byte)}
	s := &scanner{r: bufio.NewReaderSize(dec, 64<<10), left: MaxBytes, digest: sha256.New()}
	if err := b.read(s); err != nil {
		if in.err != nil {
			return nil, fmt.Errorf("bundle %s: %w", name, in.err)
		}
		return nil, &Error{name, max(1, s.number), err}
	}
	return b, nil
}

// input remembers the error of a reader, which the decoder returns like one of its own.
type input struct {
	r   io.Reader
	err error
}

func (in *input) Read(p []byte) (int, error) {
	n, err := in.r.Read(p)
	if err != nil && err != io.EOF {
		in.err = err
	}
	return n, err
}

func (b *Bundle) read(s *scanner) error {
	text, err := s.next()
	switch {
	case errors.Is(err, zstd.ErrMagicMismatch):
		return fmt.Errorf("%w: not compressed with zstd", ErrFormat)
	case err == errLong, err == errEnd: // Any other text, a bundle has more than one line.
		return errHeader
	case err != nil:
		return err
	}
	if err := json.Unmarshal(text, &b.header); err != nil || b.header.Format != Format {
		return errHeader
	}
	if b.header.Version != Version {
		return fmt.Errorf("%w: got %d, want %d", ErrVersion, b.header.Version, Version)
	}
	for {
		before := s.sum()
		if text, err = s.next(); err != nil {
			return err
		}
		var end trailer
		if bytes.HasPrefix(text, []byte(`{"end":`)) {
			if err := json.Unmarshal(text, &end); err != nil {
				return fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			return b.finish(s, end, before)
		}
		if err := b.add(bytes.Clone(text)); err != nil {
			return err
		}
	}
}

func (b *Bundle) finish(s *scanner, end trailer, digest string) error {
	switch {
	case end.Digest != digest:
		return fmt.Errorf("%w: digest %s, want %s", ErrDamaged, digest, end.Digest)
	case end.Certificates != len(b.items) || b.header.Certificates != len(b.items):
		return fmt.Errorf("%w: %d certificates, want %d", ErrDamaged, len(b.items), b.header.Certificates)
	}
	if _, err := s.next(); !errors.Is(err, errEnd) {
		return fmt.Errorf("%w: something follows the last line", ErrDamaged)
	}
	for _, tip := range b.header.Tips {
		if b.texts[tip] == nil {
			return fmt.Errorf("%w: no certificate %s, which the header names", ErrDamaged, tip)
		}
	}
	return nil
}

// add takes one certificate into the bundle, under the hash that it claims.
func (b *Bundle) add(text []byte) error {
	item, genesis, err := provider.ParseItem(text)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if b.texts[item.Hash] != nil {
		return fmt.Errorf("%w: certificate %s occurs twice", ErrFormat, item.Hash)
	}
	b.texts[item.Hash] = text
	b.items = append(b.items, item)
	if genesis && b.genesis == nil {
		b.genesis = text
	}
	return nil
}

// Name implements provider.Provider.
func (b *Bundle) Name() string { return b.name }

// Header returns what the writer says about the bundle. It is unverified.
func (b *Bundle) Header() Header {
	h := b.header
	h.Tips = slices.Clone(h.Tips)
	return h
}

// Certificate implements provider.Provider.
func (b *Bundle) Certificate(_ context.Context, hash certificate.Hash) ([]byte, error) {
	if text := b.texts[hash]; text != nil {
		return text, nil
	}
	return nil, b.absent("certificate", hash)
}

// Genesis implements provider.Provider.
func (b *Bundle) Genesis(context.Context) ([]byte, error) {
	if b.genesis == nil {
		return nil, b.absent("genesis", certificate.Hash{})
	}
	return b.genesis, nil
}

// Recent implements provider.Provider. It returns all certificates.
func (b *Bundle) Recent(context.Context) ([]provider.Item, error) { return slices.Clone(b.items), nil }

func (b *Bundle) absent(request string, hash certificate.Hash) error {
	return &provider.Error{
		Provider: b.name, Request: request, Hash: hash, Attempts: 1, Rule: verdict.RuleCertificateNotFound,
		Err: provider.ErrNotFound,
	}
}

// scanner reads and digests lines.
type scanner struct {
	r      *bufio.Reader
	digest hash.Hash
	left   int // bytes that may still be read
	number int // of the line read last
	line   []byte
}

var (
	errHeader = fmt.Errorf("%w: want a header with the format %q", ErrFormat, Format)
	errEnd    = fmt.Errorf("%w: it ends too early", ErrDamaged)
	errCut    = fmt.Errorf("%w: the compressed data ends too early", ErrDamaged)
	errLong   = fmt.Errorf("%w: a line of more than %d bytes, or more than %d in all", ErrLimit, maxLine, MaxBytes)
)

// next returns the next line without its newline. It is valid until the next call.
func (s *scanner) next() ([]byte, error) {
	s.number++
	s.line = s.line[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		s.line = append(s.line, part...)
		s.left -= len(part)
		switch {
		case len(s.line) > maxLine || s.left < 0:
			return nil, errLong
		case err == nil:
			_, _ = s.digest.Write(s.line)
			return s.line[:len(s.line)-1], nil
		case err == bufio.ErrBufferFull:
		case err == io.EOF:
			return nil, errEnd
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errCut
		case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
			return nil, fmt.Errorf("%w: %w", ErrLimit, err)
		default:
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
}

func (s *scanner) sum() string { return hex.EncodeToString(s.digest.Sum(nil)) }
