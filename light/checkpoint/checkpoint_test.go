package checkpoint

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/fakeaggregator"
	"github.com/stmverify/stmverify/internal/fakeaggregator/forge"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light"
	"github.com/stmverify/stmverify/light/aggregator"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/verdict"
)

// made syncs a forged chain and returns the checkpoint of its second newest certificate.
func made(t *testing.T) (*File, *light.Client, store.Identity) {
	t.Helper()
	f := forge.New("checkpoint", "forged")
	links := f.Chain(10, 4)
	server, err := fakeaggregator.New(forge.Texts(links))
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(server)
	t.Cleanup(h.Close)
	p, err := aggregator.New(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	var st store.Memory
	client, err := light.New(t.Context(), chain.Trust{GenesisKey: f.GenesisKey(), Network: "forged"}, p, &st)
	if err != nil {
		t.Fatal(err)
	}
	r, err := client.Verify(t.Context(), links[1].Hash)
	if err != nil {
		t.Fatal(err)
	}
	id, err := st.Identity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return New(id, r), client, id
}

func TestRoundTrip(t *testing.T) {
	f, client, id := made(t)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, got); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	c, err := got.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	r, err := client.Trusted(t.Context(), f.Hash)
	if err != nil {
		t.Fatal(err)
	}
	want, err := light.NewCheckpoint(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("checkpoint (-want +got):\n%s", diff)
	}
	if err := f.Same(got); err != nil {
		t.Error(err)
	}
	if err := f.For(id.GenesisKey, "forged"); err != nil {
		t.Error(err)
	}
	for _, err := range []error{f.For([32]byte{}, "forged"), f.For(id.GenesisKey, "other")} {
		if !errors.Is(err, ErrOther) {
			t.Errorf("got %v, want ErrOther", err)
		}
	}
}

// TestSameFindsEveryField changes one field at a time.
func TestSameFindsEveryField(t *testing.T) {
	f, _, _ := made(t)
	for name, change := range map[string]func(*File){
		"hash":            func(f *File) { f.Hash[0]++ },
		"epoch":           func(f *File) { f.Epoch++ },
		"genesis":         func(f *File) { f.Genesis = true },
		"message":         func(f *File) { f.SignedMessage = f.Hash.String() },
		"avk":             func(f *File) { f.AVK = f.NextAVK },
		"next avk":        func(f *File) { f.NextAVK = f.AVK },
		"k":               func(f *File) { f.Parameters.K++ },
		"phi_f":           func(f *File) { f.Parameters.PhiF /= 2 },
		"next parameters": func(f *File) { f.NextParameters = f.Hash.String() },
	} {
		other := *f
		change(&other)
		if err := other.Same(f); !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%s: got %v, want ErrInvalid", name, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	f, _, _ := made(t)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"empty":          {"", ErrFormat},
		"not JSON":       {"hello", ErrFormat},
		"other format":   {strings.Replace(good, Format, "other", 1), ErrFormat},
		"other version":  {strings.Replace(good, `"version": 1`, `"version": 2`, 1), ErrVersion},
		"no hash":        {strings.Replace(good, `"hash"`, `"hsh"`, 1), ErrFormat},
		"no avk":         {strings.Replace(good, `"aggregate_verification_key"`, `"x"`, 1), ErrFormat},
		"avk not hex":    {strings.Replace(good, `"aggregate_verification_key": "7b`, `"aggregate_verification_key": "zz`, 1), ErrFormat},
		"parameters":     {strings.Replace(good, `"k": 1`, `"k": 0`, 1), ErrFormat},
		"more behind it": {good + good, ErrFormat},
		"too large":      {good + strings.Repeat(" ", limits.MaxCheckpointBytes), ErrLimit},
	} {
		if _, err := Read(strings.NewReader(test.text)); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
	}
}
