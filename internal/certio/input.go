package certio

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// Stdin is the path that stands for standard input.
const Stdin = "-"

// Input is one place to read certificates from. It is for one goroutine.
type Input struct {
	path  string
	files []string // of a folder, in name order; one entry otherwise
	dir   bool
	stdin *stdin // nil but for standard input
	spool spool
	pipe  io.Closer // a path that is read like standard input, or nil
}

// stdin is standard input. It can be read once, so that Index goes on where Stream stopped.
type stdin struct {
	r       io.Reader
	scanner *Scanner // nil before the first read
	index   *Index   // the certificates that Stream has passed
}

// extensions are the names that a folder is searched for.
var extensions = [...]string{".json", ".jsonl", ".ndjson"}

// Open prepares to read from a file, a folder, or standard input, r, when path is "-". From a folder it takes the files whose
// names end in .json, .jsonl or .ndjson, each also with .gz, and none of its subfolders. Nothing is read yet.
func Open(path string, r io.Reader) (*Input, error) {
	if path == Stdin {
		return Read(path, r), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
	case info.Mode().IsRegular():
		return &Input{path: path, files: []string{path}}, nil
	default: // A pipe, which can be read once.
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return &Input{path: path, files: []string{path}, stdin: &stdin{r: f}, pipe: f}, nil
	}
	files, err := certificateFiles(path)
	if err != nil {
		return nil, err
	}
	return &Input{path: path, files: files, dir: true}, nil
}

// Read prepares to read certificates from r like [Open] from standard input. The name is for errors.
func Read(name string, r io.Reader) *Input {
	return &Input{path: name, files: []string{name}, stdin: &stdin{r: r}}
}

func certificateFiles(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files, folders, others []string
	for _, entry := range entries {
		switch {
		case entry.IsDir():
			folders = append(folders, entry.Name())
			continue
		case !hasExtension(entry.Name()):
			others = append(others, entry.Name())
			continue
		}
		name := filepath.Join(folder, entry.Name())
		info, err := os.Stat(name) // Of what a symbolic link points to.
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() { // A pipe would be waited for.
			return nil, fmt.Errorf("%s: not a regular file", name)
		}
		if len(files) == limits.MaxIndexedCertificates {
			return nil, newError(folder, len(files), 0, errTooManyUnordered)
		}
		files = append(files, name)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no file of certificates: want names that end in %s, or one of these and .gz; found %s and %s: %w", folder,
			strings.Join(extensions[:], ", "), found(folders, "folder", ", which are not searched"), found(others, "other file", ""), fs.ErrNotExist)
	}
	return files, nil
}

// found says how many entries of a kind a folder holds, and names the first.
func found(names []string, kind, note string) string {
	switch len(names) {
	case 0:
		return "no " + kind
	case 1:
		return fmt.Sprintf("1 %s (%q)%s", kind, names[0], strings.Replace(note, "which are", "which is", 1))
	}
	return fmt.Sprintf("%d %ss (%q, …)%s", len(names), kind, names[0], note)
}

func hasExtension(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	for _, extension := range extensions {
		if strings.HasSuffix(name, extension) {
			return true
		}
	}
	return false
}

// Close removes what Stream and Index wrote to a temporary file.
func (in *Input) Close() error {
	if in.pipe != nil {
		in.pipe.Close() // It was only read.
	}
	return in.spool.close()
}

// Stream yields the certificates of one file or of standard input in the order in which they stand, as long as this is
// walk order; the first must have the hash tip, unless that is zero. Each slice is the receiver's. The last thing yielded
// may be an error: ErrOrder, an *Error, or one of the context or the system. A walk that stops before a genesis certificate
// ends without one; package chain reports that. A folder with several files is never in walk order. From standard
// input, only one Stream is possible.
func (in *Input) Stream(ctx context.Context, tip Hash) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if len(in.files) > 1 {
			yield(nil, ErrOrder)
			return
		}
		scanner, closer, err := in.scan(in.files[0])
		if err != nil {
			yield(nil, err)
			return
		}
		defer closer.Close()
		in.stream(ctx, scanner, tip, yield)
	}
}

func (in *Input) stream(ctx context.Context, scanner *Scanner, tip Hash, yield func([]byte, error) bool) {
	var want []byte
	if tip != (Hash{}) {
		want = []byte(tip.String())
	}
	for {
		object, l, err := in.next(ctx, scanner)
		if err == io.EOF {
			return
		}
		if err == nil && want != nil && !bytes.Equal(l.hash, want) {
			err = ErrOrder
		}
		if err == nil && len(l.previous) == 0 {
			err = in.end(ctx, scanner)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if !yield(object, nil) || len(l.previous) == 0 {
			return
		}
		want = bytes.Clone(l.previous)
	}
}

// next reads the next certificate, and keeps it when it came from standard input.
func (in *Input) next(ctx context.Context, scanner *Scanner) ([]byte, link, error) {
	object, offset, err := scanner.Next()
	if err == io.EOF {
		return nil, link{}, err
	}
	if err != nil {
		return nil, link{}, in.errorAt(in.files[0], scanner.Count(), offset, err)
	}
	l := findLink(object)
	if in.stdin != nil {
		err = in.stdin.index.add(0, scanner.Count()-1, offset, object, l, true)
	}
	if err == nil {
		err = ctx.Err()
	}
	return object, l, err
}

// end checks that nothing follows a genesis certificate. Whoever verifies the walk stops reading there.
func (in *Input) end(ctx context.Context, scanner *Scanner) error {
	switch _, _, err := in.next(ctx, scanner); err {
	case io.EOF:
		return nil
	case nil:
		return ErrOrder
	default:
		return err
	}
}

// errorAt gives an error of the scanner its place; errors of the system keep their form.
func (in *Input) errorAt(file string, element int, offset int64, err error) error {
	if isGzipError(err) {
		err = fmt.Errorf("%w: %w", errGzip, err)
	}
	if verdict.Class(err) == nil {
		return fmt.Errorf("certio: %s: %w", file, err)
	}
	return newError(file, element, offset, err)
}

func isGzipError(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.As(err, &corrupt) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF)
}

// scan opens a file and returns a scanner over it. For standard input it returns the same scanner each time.
func (in *Input) scan(file string) (*Scanner, io.Closer, error) {
	if in.stdin != nil {
		scanner, err := in.scanStdin()
		return scanner, io.NopCloser(nil), err
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	r, compressed, err := decompress(f)
	if err != nil {
		f.Close()
		return nil, nil, in.errorAt(file, 0, 0, err)
	}
	scanner := NewScanner(r)
	scanner.compressed = compressed
	return scanner, f, nil
}

func (in *Input) scanStdin() (*Scanner, error) {
	if in.stdin.scanner != nil {
		return in.stdin.scanner, nil
	}
	r, _, err := decompress(in.stdin.r)
	if err != nil {
		return nil, in.errorAt(in.path, 0, 0, err)
	}
	in.stdin.scanner = NewScanner(r)
	in.stdin.index = newIndex(in)
	return in.stdin.scanner, nil
}

// decompress returns a reader of what r holds, decompressed when it begins like gzip, and whether it did.
func decompress(r io.Reader) (io.Reader, bool, error) {
	b := bufio.NewReaderSize(r, firstBuffer)
	magic, _ := b.Peek(2) // An error comes again with the next read.
	if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return b, false, nil
	}
	z, err := gzip.NewReader(b)
	return z, true, err
}
