package chain

import (
	"runtime"
	"time"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
)

// Option changes how a chain is verified, never what is accepted.
type Option func(*options)

type options struct {
	jobs     int
	oneByOne bool
	window   int
	most     int
	keys     *multisig.KeyCache
	progress func(Progress)
	stats    *Stats
}

func newOptions(opts []Option) *options {
	o := &options{jobs: runtime.GOMAXPROCS(0), most: limits.MaxChainLength}
	for _, opt := range opts {
		opt(o)
	}
	if o.keys == nil {
		o.keys = multisig.NewKeyCache(keysCached)
	}
	return o
}

// keysCached bounds the cache of validated keys of one run: the signers of several epochs of mainnet, 800 kB.
const keysCached = 1024

// WithJobs sets the number of certificates that are decoded and checked at the same time; the default is GOMAXPROCS. With one
// job, everything runs on the caller's goroutine.
func WithJobs(n int) Option { return func(o *options) { o.jobs = max(1, n) } }

// WithoutBatch verifies the multi-signatures one by one, with two Miller loops each. The verdict is the same.
func WithoutBatch() Option { return func(o *options) { o.oneByOne = true } }

// WithWindow sets the number of certificates whose multi-signatures are verified together; the default is
// batch.DefaultWindow.
func WithWindow(n int) Option { return func(o *options) { o.window = n } }

// WithMaxLength lowers the number of certificates a chain may have, 16 384 by default, or raises it.
func WithMaxLength(n int) Option { return func(o *options) { o.most = n } }

// WithKeyCache shares a cache of validated keys between runs.
func WithKeyCache(c *multisig.KeyCache) Option { return func(o *options) { o.keys = c } }

// Progress tells how far a verification is. Nothing in it is verified yet.
type Progress struct {
	Checked int    // certificates whose checks but the pairing have passed
	Epoch   uint64 // of the last of them, as claimed
}

// WithProgress calls f after every certificate that passed all checks but the pairing, one call at a time, in walk order.
func WithProgress(f func(Progress)) Option { return func(o *options) { o.progress = f } }

// Stats tells what a verification did. Durations of stages add up over all jobs.
type Stats struct {
	Certificates  int             `json:"certificates"`
	Signatures    int             `json:"signatures_decoded"`
	KeysDecoded   uint64          `json:"keys_decoded"`
	KeysCached    uint64          `json:"keys_cached"` // keys taken from the cache
	LotteryHashes int             `json:"lottery_hashes"`
	Operations    multisig.Counts `json:"operations"`

	Decode  time.Duration `json:"decode_ns"`  // JSON, points
	Check   time.Duration `json:"check_ns"`   // hashes, lottery, Merkle paths
	Prepare time.Duration `json:"prepare_ns"` // hash to curve, combination of keys; windows that fill up
	Combine time.Duration `json:"combine_ns"` // what is left of the last window
	Total   time.Duration `json:"total_ns"`   // from the first certificate to the verdict
}

// WithStats fills s before Verify returns, whatever the verdict.
func WithStats(s *Stats) Option { return func(o *options) { o.stats = s } }
