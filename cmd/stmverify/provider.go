package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/aggregator"
	"github.com/stmverify/stmverify/light/bundle"
	"github.com/stmverify/stmverify/light/provider"
)

// aggregatorVariable is the environment variable that existing clients read the aggregator's URL from.
const aggregatorVariable = "AGGREGATOR_ENDPOINT"

// providerFlags are the flags that say how aggregators are asked.
type providerFlags struct {
	plainHTTP bool
	timeout   time.Duration
	retries   int
	rate      float64
	origin    string
}

func (f *providerFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.plainHTTP, "plain-http", false, "allow aggregators without TLS that are not on this machine")
	flags.DurationVar(&f.timeout, "request-timeout", aggregator.DefaultTimeout, "give up a request after this `duration`")
	flags.IntVar(&f.retries, "retries", aggregator.DefaultRetries, "repeat a request that failed up to this many `times`")
	flags.Float64Var(&f.rate, "rate", aggregator.DefaultRate, "make at most this many `requests` a second")
	flags.StringVar(&f.origin, "origin-tag", aggregator.DefaultOrigin, "send this `tag` as mithril-origin-tag; empty sends none")
}

// source is a provider that has something to release.
type source interface {
	provider.Provider
	io.Closer
}

// open returns the provider that a text stands for: the URL of an aggregator, a bundle, or a file or folder of certificates.
func (f *providerFlags) open(ctx context.Context, text string, onRetry func(aggregator.Retry)) (source, error) {
	if strings.Contains(text, "://") {
		return f.openURL(text, onRetry)
	}
	if isBundle(text) {
		b, err := bundle.Open(text)
		if err != nil {
			return nil, zstdHint(err)
		}
		return bundleSource{b}, nil
	}
	return aggregator.OpenFiles(ctx, text)
}

func (f *providerFlags) openURL(url string, onRetry func(aggregator.Retry)) (source, error) {
	options := []aggregator.Option{
		aggregator.Timeout(f.timeout), aggregator.Retries(f.retries), aggregator.Rate(f.rate), aggregator.Origin(f.origin),
		aggregator.UserAgent("stmverify/" + newVersion().Version), aggregator.OnRetry(onRetry),
	}
	if f.plainHTTP {
		options = append(options, aggregator.PlainHTTP())
	}
	c, err := aggregator.New(url, options...)
	if errors.Is(err, aggregator.ErrPlainHTTP) {
		err = withHint(err, "use an https URL, or --plain-http where you trust the network")
	}
	return c, err
}

// bundleSource is a bundle that says what to do where it ends before genesis.
type bundleSource struct{ *bundle.Bundle }

// Certificate implements provider.Provider.
func (b bundleSource) Certificate(ctx context.Context, hash certificate.Hash) ([]byte, error) {
	text, err := b.Bundle.Certificate(ctx, hash)
	if header := b.Header(); err != nil && !header.Genesis && header.RestsOn == hash {
		err = withHint(err, fmt.Sprintf("the bundle rests on certificate %s, which is not in it: "+
			"give a checkpoint of that certificate, from somebody you trust, with --trusted", hash))
	}
	return text, err
}

// Close does nothing: the bundle is in memory.
func (bundleSource) Close() error { return nil }

// isBundle reports whether a file begins like a zstd stream.
func isBundle(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // What is read from a pipe is gone.
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil {
		return false
	}
	return bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd})
}
