package bundle

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestLinesAtTheirLimits reads as long a line, and as many bytes in all, as there may be, and one more.
func TestLinesAtTheirLimits(t *testing.T) {
	read := func(text string, left int) error {
		s := &scanner{r: bufio.NewReader(strings.NewReader(text)), left: left, digest: sha256.New()}
		for {
			if _, err := s.next(); err != nil {
				return err
			}
		}
	}
	line := strings.Repeat(" ", maxLine-1) + "\n"
	for name, c := range map[string]struct {
		text string
		left int
		want error
	}{
		"longest line":             {line, MaxBytes, errEnd},
		"longer line":              {" " + line, MaxBytes, ErrLimit},
		"as many bytes as may be":  {line + line, 2 * len(line), errEnd},
		"one byte more":            {line + line, 2*len(line) - 1, ErrLimit},
		"one byte more, of a line": {line + line, len(line) + 1, ErrLimit},
	} {
		if err := read(c.text, c.left); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// TestWindowAtItsLimit reads a bundle whose stream asks for as much memory as it may, and one that asks for more.
func TestWindowAtItsLimit(t *testing.T) {
	text := plain(t, written(t, 3))
	for window, want := range map[int]error{maxWindow: nil, 2 * maxWindow: ErrLimit} {
		var packed bytes.Buffer
		w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(window))
		if err != nil {
			t.Fatal(err)
		}
		// In two parts, so that the length is not known when the frame begins and the window is what it says.
		for _, part := range []string{text[:10], text[10:]} {
			if _, err := io.WriteString(w, part); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Read("b", &packed); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("window of %d bytes: got %v, want %v", window, err, want)
		}
	}
}
