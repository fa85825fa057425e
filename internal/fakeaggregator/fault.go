package fakeaggregator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind names what a fault does.
type Kind string

// The kinds of faults.
const (
	Latency    Kind = "latency"     // wait Delay, then go on with the next fault or the honest answer
	Status     Kind = "status"      // answer Status, with RetryAfter when it is set
	Reset      Kind = "reset"       // reset the connection before any answer
	Truncate   Kind = "truncate"    // announce the whole body, send half of it and close
	Endless    Kind = "endless"     // send a body that never ends
	Bomb       Kind = "bomb"        // send a small gzip body that expands to 64 GiB
	Drip       Kind = "drip"        // send the honest body one byte every Delay
	Silent     Kind = "silent"      // accept the request and never answer
	Wrong      Kind = "wrong"       // serve the certificate With in place of the one asked for
	Redirect   Kind = "redirect"    // redirect to Location
	Garbage    Kind = "garbage"     // answer 200 with a body that is not JSON
	Tamper     Kind = "tamper"      // serve the honest certificate with one digit of its multi-signature changed
	NoEnd      Kind = "no-end"      // serve a certificate that names itself as asked for, and a parent that does not exist yet
	NotFound   Kind = "not-found"   // answer 404
	BadLength  Kind = "bad-length"  // answer with the first half of the body as if it were the whole
	BadCoding  Kind = "bad-coding"  // announce a content coding nobody asked for
	BrokenGzip Kind = "broken-gzip" // announce gzip and send bytes that are not
	HugeHeader Kind = "huge-header" // send headers of 16 MiB
)

var kinds = []Kind{
	Latency, Status, Reset, Truncate, Endless, Bomb, Drip, Silent, Wrong, Redirect, Garbage, Tamper, NoEnd, NotFound,
	BadLength, BadCoding, BrokenGzip, HugeHeader,
}

// Kinds returns every kind of fault.
func Kinds() []Kind { return slices.Clone(kinds) }

// Route names one of the routes.
type Route string

// The routes.
const (
	RouteCertificate Route = "certificate"  // /certificate/{hash}
	RouteGenesis     Route = "genesis"      // /certificate/genesis
	RouteList        Route = "certificates" // /certificates
)

// Fault says which requests are disturbed, and how.
type Fault struct {
	Kind  Kind
	Route Route  // only this route; all when empty
	Hash  string // only certificates whose hash begins so; all when empty
	After int    // let this many matching requests through first
	Times int    // disturb this many and no more; all when 0

	Delay      time.Duration // Latency, Drip
	Status     int           // Status
	RetryAfter string        // Status
	Location   string        // Redirect
	With       string        // Wrong: the full hash of the certificate to serve
}

// ParseFault parses the text form used on the command line: a kind, then optionally a colon and settings separated by
// commas, as in "status:status=429,retry-after=2,times=3" or "latency:delay=40ms".
func ParseFault(text string) (Fault, error) {
	kind, settings, _ := strings.Cut(text, ":")
	f := Fault{Kind: Kind(kind)}
	if !slices.Contains(kinds, f.Kind) {
		return Fault{}, fmt.Errorf("fakeaggregator: unknown fault %q", kind)
	}
	for setting := range strings.SplitSeq(settings, ",") {
		if setting == "" {
			continue
		}
		if err := f.set(setting); err != nil {
			return Fault{}, fmt.Errorf("fakeaggregator: fault %q: %w", text, err)
		}
	}
	return f, f.check()
}

func (f *Fault) set(setting string) error {
	key, value, found := strings.Cut(setting, "=")
	if !found {
		return fmt.Errorf("setting %q has no value", setting)
	}
	var err error
	switch key {
	case "route":
		f.Route = Route(value)
	case "hash":
		f.Hash = value
	case "after":
		f.After, err = strconv.Atoi(value)
	case "times":
		f.Times, err = strconv.Atoi(value)
	case "delay":
		f.Delay, err = time.ParseDuration(value)
	case "status":
		f.Status, err = strconv.Atoi(value)
	case "retry-after":
		f.RetryAfter = value
	case "location":
		f.Location = value
	case "with":
		f.With = value
	default:
		return fmt.Errorf("unknown setting %q", key)
	}
	return err
}

func (f *Fault) check() error {
	switch {
	case f.Route != "" && f.Route != RouteCertificate && f.Route != RouteGenesis && f.Route != RouteList:
		return fmt.Errorf("fakeaggregator: unknown route %q", f.Route)
	case f.Kind == Status && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("fakeaggregator: fault status needs a status from 200 to 599, got %d", f.Status)
	case f.Kind == Redirect && f.Location == "":
		return fmt.Errorf("fakeaggregator: fault redirect needs a location")
	case f.Kind == Wrong && f.With == "":
		return fmt.Errorf("fakeaggregator: fault wrong needs with, the hash of the certificate to serve")
	case f.After < 0 || f.Times < 0 || f.Delay < 0:
		return fmt.Errorf("fakeaggregator: negative setting in fault %q", f.Kind)
	}
	return nil
}

// armed is a fault and the number of requests it matched.
type armed struct {
	Fault
	matched int
}

// takes reports whether the fault disturbs this request, and counts it.
func (a *armed) takes(r request) bool {
	if a.Route != "" && a.Route != r.route {
		return false
	}
	if a.Hash != "" && (r.route != RouteCertificate || !strings.HasPrefix(r.hash, a.Hash)) {
		return false
	}
	a.matched++
	return a.matched > a.After && (a.Times == 0 || a.matched <= a.After+a.Times)
}
