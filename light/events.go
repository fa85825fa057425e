package light

import (
	"time"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/store"
)

// Observer is told what a client does. Observe is called on the goroutine that does it, from several goroutines at a time,
// and should return soon.
type Observer interface {
	Observe(Event)
}

// ObserverFunc is a function as an [Observer].
type ObserverFunc func(Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// Event is one of the types below. More may be added.
type Event interface{ event() }

// SyncStarted says that a provider is asked.
type SyncStarted struct{ Provider string }

// Fetched says that a provider sent bytes for a certificate. Nothing is known about them yet.
type Fetched struct {
	Provider string
	Hash     certificate.Hash // that was asked for
	Number   int              // in its walk, from 1
	Expected int              // how many the walk has, about, or 0 when nothing is known
	Bytes    int
	Took     time.Duration
}

// Checked says that a certificate has passed all checks but those of its signatures, which come last and together. It is
// not verified yet.
type Checked struct {
	Number int    // in its walk, from 1
	Epoch  uint64 // as claimed
}

// Committed says that a walk was verified and stored.
type Committed struct {
	Provider     string
	Tip          *store.Record
	Certificates int
}

// WitnessChecked says what came of asking a witness.
type WitnessChecked struct{ Witness }

// SourceFailed says that a provider did not deliver and another one is asked next.
type SourceFailed struct {
	Provider, Next string
	Err            error
}

// SyncFinished says how a sync ended. Tip is the latest verified certificate, or nil when there is none.
type SyncFinished struct {
	Provider string
	Tip      *store.Record
	Added    int
	Took     time.Duration
	Err      error
}

// Waiting says that a watch sleeps. Err is why the last sync failed, or nil.
type Waiting struct {
	For      time.Duration
	Failures int // in a row
	Err      error
}

func (SyncStarted) event()    {}
func (Fetched) event()        {}
func (Checked) event()        {}
func (Committed) event()      {}
func (WitnessChecked) event() {}
func (SourceFailed) event()   {}
func (SyncFinished) event()   {}
func (Waiting) event()        {}
