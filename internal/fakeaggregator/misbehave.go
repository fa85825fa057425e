package fakeaggregator

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// disturb applies a fault and reports whether the request was answered.
func (a *answer) disturb(f armed) (done bool) {
	switch f.Kind {
	case Latency:
		return !a.sleep(f.Delay)
	case Status:
		if f.RetryAfter != "" {
			a.w.Header().Set("Retry-After", f.RetryAfter)
		}
		a.w.WriteHeader(f.Status)
		return true
	case NotFound:
		a.w.WriteHeader(http.StatusNotFound)
		return true
	case Reset:
		a.reset()
		return true
	case Silent:
		<-a.r.Context().Done()
		return true
	case Redirect:
		http.Redirect(a.w, a.r, f.Location, http.StatusFound)
		return true
	case Garbage:
		_, _ = a.w.Write([]byte("<html>the gateway is asleep</html>"))
		return true
	case HugeHeader:
		a.w.Header().Set("X-Filler", strings.Repeat("x", 16<<20))
		_, _ = a.w.Write([]byte("{}"))
		return true
	case Endless:
		a.endless()
		return true
	case Bomb:
		a.bomb()
		return true
	case BadCoding:
		a.w.Header().Set("Content-Encoding", "compress, rot13")
		_, _ = a.w.Write([]byte("{}"))
		return true
	case BrokenGzip:
		a.w.Header().Set("Content-Encoding", "gzip")
		_, _ = a.w.Write([]byte(`{"hash":"not compressed"}`))
		return true
	}
	return a.distort(f)
}

// distort applies the faults that start from the honest body.
func (a *answer) distort(f armed) (done bool) {
	body := a.chain.body(a.request)
	if body == nil && f.Kind != NoEnd {
		return false
	}
	switch f.Kind {
	case Truncate:
		a.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = a.w.Write(body[:len(body)/2])
		a.flush()
		a.reset()
	case BadLength:
		_, _ = a.w.Write(body[:len(body)/2])
	case Drip:
		for i := range body {
			if _, err := a.w.Write(body[i : i+1]); err != nil || !a.sleep(f.Delay) {
				return true
			}
			a.flush()
		}
	case Wrong:
		a.send(a.chain.byHash[f.With])
	case Tamper:
		a.send(tamper(body))
	case NoEnd:
		a.send(a.chain.noEnd(a.hash, uint64(f.matched-1)))
	default:
		panic(fmt.Sprintf("fakeaggregator: fault %q is not implemented", f.Kind))
	}
	return true
}

// sleep waits and reports whether the client is still there.
func (a *answer) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-a.r.Context().Done():
		return false
	}
}

func (a *answer) flush() { _ = http.NewResponseController(a.w).Flush() }

// reset closes the connection with a TCP reset when the server allows it, and otherwise just drops it.
func (a *answer) reset() {
	conn, _, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// endless streams one JSON string until the client goes away.
func (a *answer) endless() {
	a.w.Header().Set("Content-Type", "application/json")
	_, err := a.w.Write([]byte(`{"hash":"`))
	filler := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	for err == nil && a.r.Context().Err() == nil {
		_, err = a.w.Write(filler)
	}
}

// bomb streams the gzip form of 64 GiB of zeros, about 64 MiB on the wire, until the client goes away.
func (a *answer) bomb() {
	a.w.Header().Set("Content-Encoding", "gzip")
	enc := gzip.NewWriter(a.w)
	zeros := make([]byte, 1<<20)
	for i := 0; i < 64<<10 && a.r.Context().Err() == nil; i++ {
		if _, err := enc.Write(zeros); err != nil {
			return
		}
		a.flush()
	}
	_ = enc.Close()
}

// tamper changes one hexadecimal digit in the middle of the multi-signature, or of the genesis signature. The hash the
// certificate claims stays what it was.
func tamper(body []byte) []byte {
	for _, field := range []string{"multi_signature", "genesis_signature"} {
		var fields map[string]json.RawMessage
		if json.Unmarshal(body, &fields) != nil {
			return body
		}
		value := text(fields[field])
		at := bytes.Index(body, []byte(value))
		if value == "" || at < 0 {
			continue
		}
		out := bytes.Clone(body)
		middle := at + len(value)/2
		if out[middle] == '1' {
			out[middle] = '2'
		} else {
			out[middle] = '1'
		}
		return out
	}
	return body
}

// noEnd returns a certificate that claims the hash asked for, a parent derived from it, and an epoch that falls with each
// step, so that a client that only follows names walks until there is no epoch left.
func (c *served) noEnd(hash string, step uint64) []byte {
	var list []struct {
		Hash  string `json:"hash"`
		Epoch uint64 `json:"epoch"`
	}
	if json.Unmarshal(c.list, &list) != nil || len(list) == 0 {
		return nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(c.byHash[list[0].Hash], &fields) != nil {
		return nil
	}
	parent := sha256.Sum256([]byte(hash))
	fields["hash"] = json.RawMessage(strconv.Quote(hash))
	fields["epoch"] = json.RawMessage(strconv.FormatUint(list[0].Epoch-min(step, list[0].Epoch), 10))
	fields["previous_hash"] = json.RawMessage(strconv.Quote(hex.EncodeToString(parent[:])))
	body, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return body
}
