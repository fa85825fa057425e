package light

import (
	"errors"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

// TestWalkAtItsLimits syncs a walk that is as long, and has as many bytes, as is allowed, and one that has one more.
func TestWalkAtItsLimits(t *testing.T) {
	c := small(t)
	for name, test := range map[string]struct {
		option func(int) Option
		most   int
	}{
		"certificates": {MaxCertificates, len(c.walk(t, 0))},
		"bytes":        {MaxBytes, walkBytes(t, c)},
	} {
		for _, more := range []int{0, 1} {
			_, p := serve(t, c.texts)
			_, err := newClient(t, c, p, new(store.Memory), test.option(test.most-more)).Sync(t.Context(), Newest())
			if limited := errors.Is(err, verdict.ErrLimit); limited != (more > 0) || !limited && err != nil {
				t.Errorf("%s: %d more than allowed: got %v", name, more, err)
			}
		}
	}
	client := newClient(t, c, links{}, new(store.Memory))
	if got := client.settings; got.maxCertificates != limits.MaxWalkCertificates || got.maxBytes != limits.MaxWalkBytes {
		t.Errorf("defaults: got %d certificates and %d bytes", got.maxCertificates, got.maxBytes)
	}
}
