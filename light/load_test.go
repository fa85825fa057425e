package light

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

// counted is a provider in memory that counts what it is asked for.
type counted struct {
	texts map[certificate.Hash][]byte
	mutex sync.Mutex
	asked map[certificate.Hash]int
}

func (p *counted) Name() string                                    { return "counted" }
func (p *counted) Genesis(context.Context) ([]byte, error)         { return nil, provider.ErrNotFound }
func (p *counted) Recent(context.Context) ([]provider.Item, error) { return nil, nil }
func (p *counted) Certificate(_ context.Context, h certificate.Hash) ([]byte, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.asked[h]++
	return bytes.Clone(p.texts[h]), nil
}

// TestVerifyFromManyGoroutines asks one client for every certificate of a provider from many goroutines, each in an order of its own. One
// certificate is changed: it is refused every time, and never hinders the others, each of which is fetched once.
func TestVerifyFromManyGoroutines(t *testing.T) {
	c := small(t)
	p := &counted{texts: make(map[certificate.Hash][]byte), asked: make(map[certificate.Hash]int)}
	var all []certificate.Hash
	for i, text := range c.texts {
		all = append(all, c.hash(t, i))
		p.texts[all[i]] = text
	}
	var bad, parent certificate.Hash // bad is a tip, so that no other certificate rests on it
	for i := range all {
		if walk := c.walk(t, i); i > 0 && len(walk) > 3 && !isParent(t, c, all[i]) {
			bad, parent = all[i], walk[1]
		}
	}
	p.texts[bad] = bytes.Replace(p.texts[bad], []byte(`"current_epoch":"4`), []byte(`"current_epoch":"5`), 1)
	var st store.Memory
	client := newClient(t, c, p, &st, Jobs(2))
	// What bad rests on is known before, or it would be fetched with bad, refused with it, and fetched again.
	if _, err := client.Verify(t.Context(), parent); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for g := range 24 {
		group.Go(func() {
			for i := range all {
				h := all[(i*(1+g%5*2)+g)%len(all)]
				r, err := client.Verify(t.Context(), h)
				if h == bad {
					if !errors.Is(err, verdict.ErrInvalid) {
						t.Errorf("the changed certificate: got %v", err)
					}
					continue
				}
				if err != nil || r.Hash != h {
					t.Errorf("certificate %v: got %v", h, err)
					continue
				}
				if got, err := client.Certifies(t.Context(), SignedMessage(r.SignedMessage)); err != nil || got.SignedMessage != r.SignedMessage {
					t.Errorf("message of certificate %v: got %v", h, err)
				}
			}
		})
	}
	group.Wait()
	if _, err := client.Trusted(t.Context(), bad); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the changed certificate is in the store: %v", err)
	}
	for _, h := range all {
		if h != bad && p.asked[h] != 1 {
			t.Errorf("certificate %v was fetched %d times, want once", h, p.asked[h])
		}
	}
}

func isParent(t *testing.T, c *testChain, h certificate.Hash) bool {
	for _, text := range c.texts {
		item, _, err := provider.ParseItem(text)
		must(t, err)
		if item.PreviousHash == h {
			return true
		}
	}
	return false
}
