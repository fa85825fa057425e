package main

import (
	"fmt"
	"time"

	"github.com/stmverify/stmverify/chain"
)

// chainResult is the verdict on the certificates of one input.
type chainResult struct {
	Schema       string       `json:"schema"`
	Verdict      string       `json:"verdict"` // valid, invalid, unsupported or limit
	Source       string       `json:"source"`
	GenesisKey   string       `json:"genesis_verification_key"`
	Network      string       `json:"network,omitempty"` // required
	Certificates int          `json:"certificates"`      // verified, each counted once
	FirstEpoch   uint64       `json:"first_epoch,omitempty"`
	LastEpoch    uint64       `json:"last_epoch,omitempty"`
	Walks        []walkResult `json:"walks,omitempty"` // those that were verified
	NotChecked   int          `json:"not_checked"`     // certificates of the input that are on no walk
	Duplicates   int          `json:"duplicates"`
	Skipped      []string     `json:"skipped_files,omitempty"`
	Stats        *chain.Stats `json:"stats,omitempty"`
	Error        *failure     `json:"error,omitempty"`
}

// walkResult is one verified walk.
type walkResult struct {
	Tip          endResult `json:"tip"`
	Certificates int       `json:"certificates"`
	// Genesis is the last certificate, unless the walk met another one.
	Genesis *endResult `json:"genesis,omitempty"`
	// Joins is the hash of the certificate of an earlier walk in which this one ends.
	Joins string `json:"joins,omitempty"`
}

// endResult is one end of a walk.
type endResult struct {
	Hash          string `json:"hash"`
	Epoch         uint64 `json:"epoch"`
	SignedMessage string `json:"signed_message"`
}

func newEndResult(r *chain.Record) endResult {
	return endResult{r.Hash.String(), r.Epoch, r.SignedMessage}
}

func (r *chainResult) add(v *chain.Verified) {
	leaf, last := v.Leaf(), v.Last()
	walk := walkResult{Tip: newEndResult(leaf), Certificates: v.Len()}
	if end := v.EndedAt(); end != nil {
		walk.Joins = end.Hash.String()
	} else {
		genesis := newEndResult(last)
		walk.Genesis = &genesis
	}
	r.addWalk(walk, last.Epoch)
}

// addWalk adds a verified walk that ends in an epoch.
func (r *chainResult) addWalk(walk walkResult, last uint64) {
	if r.Certificates == 0 {
		r.FirstEpoch, r.LastEpoch = last, walk.Tip.Epoch
	}
	r.FirstEpoch, r.LastEpoch = min(r.FirstEpoch, last), max(r.LastEpoch, walk.Tip.Epoch)
	r.Certificates += walk.Certificates
	r.Walks = append(r.Walks, walk)
}

func (r *chainResult) finish(err error) {
	r.Verdict, r.Error = verdictOn(err)
}

func (r *chainResult) text(w *writer) {
	w.verdict(r.Error == nil, r.Verdict, r.Source)
	if r.Error != nil {
		r.Error.text(w)
		if len(r.Walks) > 0 {
			w.field("verified before", fmt.Sprintf("%d certificates in %d walks", r.Certificates, len(r.Walks)))
		}
	} else {
		r.summary(w)
	}
	if r.NotChecked > 0 {
		w.field("not checked", fmt.Sprintf("%d certificates that are not on this walk", r.NotChecked))
	}
	if r.Duplicates > 0 {
		w.field("duplicates", r.Duplicates)
	}
	if r.Stats != nil {
		writeStats(w, r.Stats)
	}
}

// mostTips bounds the lines that list tips; JSON has all.
const mostTips = 10

func (r *chainResult) summary(w *writer) {
	w.field("certificates", fmt.Sprintf("%d, epochs %d to %d", r.Certificates, r.FirstEpoch, r.LastEpoch))
	if len(r.Walks) == 1 {
		w.field("tip", r.Walks[0].Tip.text())
		w.field("tip signs", r.Walks[0].Tip.SignedMessage)
	} else {
		w.field("tips", len(r.Walks))
		for i := range r.Walks[:min(mostTips, len(r.Walks))] {
			w.field("", r.Walks[i].Tip.text())
		}
		if more := len(r.Walks) - mostTips; more > 0 {
			w.field("", fmt.Sprintf("and %d more", more))
		}
	}
	for i := range r.Walks {
		if genesis := r.Walks[i].Genesis; genesis != nil {
			w.field("genesis", genesis.text())
		} else if i == 0 {
			w.field("ends at", r.Walks[i].Joins+", the trusted checkpoint")
		}
	}
	w.field("genesis key", r.GenesisKey)
	if r.Network != "" {
		w.field("network", r.Network+", as the certificates say and nobody signed")
	}
}

func (e *endResult) text() string { return fmt.Sprintf("%s (epoch %d)", e.Hash, e.Epoch) }

func writeStats(w *writer, s *chain.Stats) {
	o := &s.Operations
	fmt.Fprintln(w, "\noperations")
	w.field("Miller loops", o.MillerLoops)
	w.field("final exponentiations", o.FinalExponentiations)
	w.field("hashes to curve", o.HashesToCurve)
	w.field("signatures decoded", s.Signatures)
	w.field("keys decoded", fmt.Sprintf("%d, and %d taken from the cache", s.KeysDecoded, s.KeysCached))
	w.field("lottery hashes", s.LotteryHashes)
	w.field("G1 multiplications", fmt.Sprintf("%d of %d points", o.G1Multiplications, o.G1Terms))
	w.field("G2 multiplications", fmt.Sprintf("%d of %d points", o.G2Multiplications, o.G2Terms))
	fmt.Fprintln(w, "\ntime, all goroutines together")
	w.field("decode", s.Decode.Round(time.Microsecond))
	w.field("check", s.Check.Round(time.Microsecond))
	w.field("prepare", s.Prepare.Round(time.Microsecond))
	w.field("combine", s.Combine.Round(time.Microsecond))
	w.field("total, by the clock", s.Total.Round(time.Microsecond))
}
