package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/light/bundle"
)

// loaded is one certificate as it was found, with the input around it, in which its parent may be.
type loaded struct {
	raw   []byte
	hash  certificate.Hash // as claimed
	path  string
	input *certio.Input
	index *certio.Index
}

func (l *loaded) close() error { return l.input.Close() }

// openCertificates opens a file, a folder, standard input or a bundle. A bundle's header is not looked at.
func (a *app) openCertificates(ctx context.Context, path string) (*certio.Input, error) {
	if path == certio.Stdin || !isBundle(path) {
		return certio.Open(path, a.stdin)
	}
	b, err := bundle.Open(path)
	if err != nil {
		return nil, zstdHint(err)
	}
	items, err := b.Recent(ctx)
	if err != nil {
		return nil, err
	}
	texts := make([]io.Reader, 0, len(items))
	for i := range items {
		text, err := b.Certificate(ctx, items[i].Hash)
		if err != nil {
			return nil, err
		}
		texts = append(texts, bytes.NewReader(text))
	}
	return certio.Read(path, io.MultiReader(texts...)), nil
}

// load reads the certificate with the given hash from path, or the only one there when hash is empty.
func (a *app) load(ctx context.Context, path, hash string) (_ *loaded, err error) {
	in, err := a.openCertificates(ctx, path)
	if err != nil {
		return nil, err
	}
	l := &loaded{path: path, input: in}
	if err := l.find(ctx, hash); err != nil {
		in.Close()
		return nil, err
	}
	return l, nil
}

func (l *loaded) find(ctx context.Context, hash string) (err error) {
	var want certificate.Hash
	if hash != "" {
		if want, err = parseHashFlag("--hash", hash); err != nil {
			return err
		}
	}
	if l.index, err = l.input.Index(ctx); err != nil {
		return err
	}
	if hash == "" {
		if n := l.index.Len(); n > 1 {
			return withHint(fmt.Errorf("%s holds %d certificates", l.path, n), "choose one with --hash; 'stmverify chain show' lists them")
		}
		want = certificate.Hash(l.index.First())
	}
	l.hash = want
	if l.raw, err = l.index.Get(certio.Hash(want)); err == nil && l.raw == nil {
		err = fmt.Errorf("%s holds no certificate %v", l.path, want)
	}
	return err
}

// loadGenesis reads the genesis certificate with the given hash from path, or the only one there when hash is empty.
func (a *app) loadGenesis(ctx context.Context, path, hash string) (*loaded, error) {
	if hash != "" {
		return a.load(ctx, path, hash)
	}
	in, err := a.openCertificates(ctx, path)
	if err != nil {
		return nil, err
	}
	l := &loaded{path: path, input: in}
	if err := l.findGenesis(ctx); err != nil {
		in.Close()
		return nil, err
	}
	return l, nil
}

// findGenesis takes the only certificate, or the only one that names no parent.
func (l *loaded) findGenesis(ctx context.Context) (err error) {
	if l.index, err = l.input.Index(ctx); err != nil {
		return err
	}
	found := l.index.All()
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(h certio.Hash) bool { return l.index.Parent(h) != certio.Hash{} })
	}
	if len(found) != 1 {
		return withHint(fmt.Errorf("%s holds %d genesis certificates", l.path, len(found)), "choose a certificate with --hash")
	}
	l.hash = certificate.Hash(found[0])
	l.raw, err = l.index.Get(found[0])
	return err
}

// parseHashFlag reads the value of a flag that takes a hash.
func parseHashFlag(flag, value string) (certificate.Hash, error) {
	h, err := certificate.ParseHash(value)
	if err != nil {
		return h, fmt.Errorf("%s: %w", flag, &plain{err})
	}
	return h, nil
}

// plain is an error whose class is dropped: a wrong argument is no verdict.
type plain struct{ err error }

func (p *plain) Error() string { return p.err.Error() }
