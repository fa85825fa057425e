package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"

	"github.com/klauspost/compress/zstd"
)

// Write writes a bundle of the certificates, newest first, each the JSON text as a provider sent it. It fills in the
// format, the version and the description of the header; h.Certificates must be their number. The bytes written depend
// on nothing but the arguments.
func Write(w io.Writer, h Header, certificates iter.Seq2[[]byte, error]) error {
	enc, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(maxWindow))
	if err != nil {
		return err
	}
	h.Format, h.Version, h.About = Format, Version, about
	out := &lines{w: enc, digest: sha256.New()}
	if err := errors.Join(out.all(h, certificates), enc.Close()); err != nil {
		return fmt.Errorf("bundle: %w", err)
	}
	return nil
}

// lines writes and digests lines.
type lines struct {
	w      io.Writer
	digest hash.Hash
	buf    bytes.Buffer
}

func (l *lines) all(h Header, certificates iter.Seq2[[]byte, error]) error {
	if err := l.json(h); err != nil {
		return err
	}
	n := 0
	for raw, err := range certificates {
		if err != nil {
			return err
		}
		l.buf.Reset()
		if err := json.Compact(&l.buf, raw); err != nil {
			return err
		}
		if err := l.line(l.buf.Bytes()); err != nil {
			return err
		}
		n++
	}
	if n != h.Certificates {
		return fmt.Errorf("header announces %d certificates, got %d", h.Certificates, n)
	}
	return l.json(trailer{End: true, Certificates: n, Digest: hex.EncodeToString(l.digest.Sum(nil))})
}

func (l *lines) json(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return l.line(text)
}

func (l *lines) line(text []byte) error {
	text = append(text, '\n')
	_, _ = l.digest.Write(text)
	_, err := l.w.Write(text)
	return err
}
