package aggregator

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

// Files serves the certificates of a file or a folder: a JSON array, JSON lines, or a folder of such files, each plain or
// compressed with gzip. It implements provider.Provider and is safe for concurrent use. For bundles see light/bundle.
type Files struct {
	path    string
	mu      sync.Mutex // the index is for one goroutine
	input   *certio.Input
	index   *certio.Index
	items   []provider.Item
	genesis certificate.Hash
}

var _ provider.Provider = (*Files)(nil)

// OpenFiles reads the file or folder once to find its certificates. It keeps where each is, not their texts. Close
// removes what it wrote to a temporary file when the input is compressed.
func OpenFiles(ctx context.Context, path string) (*Files, error) {
	input, err := certio.Open(path, nil)
	if err != nil {
		return nil, err
	}
	f := &Files{path: path, input: input}
	if err := f.load(ctx); err != nil {
		_ = input.Close()
		return nil, err
	}
	return f, nil
}

func (f *Files) load(ctx context.Context) (err error) {
	if f.index, err = f.input.Index(ctx); err != nil {
		return err
	}
	for _, hash := range f.index.All() {
		text, err := f.index.Get(hash)
		if err != nil {
			return err
		}
		item, genesis, err := provider.ParseItem(text)
		if err != nil {
			return &provider.Error{
				Provider: f.path, Request: "certificate", Hash: certificate.Hash(hash), Attempts: 1,
				Rule: verdict.RuleMalformed, Err: err,
			}
		}
		f.items = append(f.items, item)
		if genesis && f.genesis.IsZero() {
			f.genesis = item.Hash
		}
	}
	slices.SortStableFunc(f.items, func(a, b provider.Item) int { return cmp.Compare(b.Epoch, a.Epoch) })
	return nil
}

// Name returns the path.
func (f *Files) Name() string { return f.path }

// Certificate implements provider.Provider.
func (f *Files) Certificate(ctx context.Context, hash certificate.Hash) ([]byte, error) {
	return f.get(ctx, "certificate", hash)
}

// Genesis implements provider.Provider.
func (f *Files) Genesis(ctx context.Context) ([]byte, error) { return f.get(ctx, "genesis", f.genesis) }

// Recent implements provider.Provider. It returns all certificates, the highest epoch first.
func (f *Files) Recent(context.Context) ([]provider.Item, error) { return slices.Clone(f.items), nil }

func (f *Files) get(ctx context.Context, request string, hash certificate.Hash) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := f.index.Get(certio.Hash(hash))
	if err != nil || text != nil {
		return text, err
	}
	return nil, &provider.Error{
		Provider: f.path, Request: request, Hash: hash, Attempts: 1, Rule: verdict.RuleCertificateNotFound,
		Err: provider.ErrNotFound,
	}
}

// Close releases the files.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.input.Close()
}
