package chain

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"
)

// TestAllocationsAreBounded bounds the number of allocations for a certificate with some sixty signatures and 2 400 indices:
// none for an index, a few for a signature.
func TestAllocationsAreBounded(t *testing.T) {
	raw, trust := readChain(t, "testdata/chains/mainnet-like")
	verify := func() {
		if _, err := VerifyEncoded(context.Background(), sequence(raw), trust, WithJobs(1)); err != nil {
			t.Fatal(err)
		}
	}
	perCertificate := testing.AllocsPerRun(2, verify) / float64(len(raw))
	t.Logf("%.0f allocations a certificate", perCertificate)
	if most := 700.0; perCertificate > most {
		t.Errorf("%.0f allocations a certificate, want at most %.0f", perCertificate, most)
	}
}

// TestPeakMemory bounds what the verification of a chain of mainnet shape holds at any time.
func TestPeakMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("forty certificates with sixty signatures each")
	}
	raw, trust := readChain(t, "testdata/chains/mainnet-like")
	defer debug.SetGCPercent(debug.SetGCPercent(20)) // So that the peak is close to what is in use.
	peak := func(opts ...Option) uint64 {
		var stop atomic.Bool
		done := make(chan uint64)
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		go func() {
			most := uint64(0)
			for !stop.Load() {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				if m.HeapAlloc > before.HeapAlloc {
					most = max(most, m.HeapAlloc-before.HeapAlloc)
				}
				time.Sleep(time.Millisecond)
			}
			done <- most
		}()
		if _, err := VerifyEncoded(context.Background(), sequence(raw), trust, opts...); err != nil {
			t.Error(err)
		}
		stop.Store(true)
		return <-done
	}
	const most = 100 << 20 // above the input
	if got := peak(WithJobs(2)); got > most {
		t.Errorf("peak of %d bytes above the input, want at most %d", got, most)
	} else {
		t.Logf("peak of %d bytes above the input", got)
	}
}
