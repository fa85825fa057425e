package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/keyreg"
	"github.com/stmverify/stmverify/stm"
)

// runRegistrations rebuilds the AVK of each Mithril stake distribution, as an aggregator publishes it, with every proof of possession
// checked, and compares it with the next AVK that its certificate signs. The certificates are in all.json beside it.
func runRegistrations(ctx context.Context, path string, r *Report) error {
	distributions, err := decodeFile[map[string]json.RawMessage](path)
	if err != nil {
		return err
	}
	in, err := certio.Open(filepath.Join(filepath.Dir(path), "all.json"), nil)
	if errors.Is(err, fs.ErrNotExist) {
		r.NotRun, r.Note = len(distributions), "not run: all.json is not beside it"
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	x, err := in.Index(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(distributions)) {
		r.check(name, runRegistration(ctx, distributions[name], x))
	}
	return nil
}

func runRegistration(ctx context.Context, data []byte, x *certio.Index) error {
	distribution, err := keyreg.ParseStakeDistribution(data)
	if err != nil {
		return err
	}
	hash, err := certificate.ParseHash(distribution.CertificateHash)
	if err != nil {
		return err
	}
	raw, err := x.Get(certio.Hash(hash))
	if err != nil {
		return err
	}
	if raw == nil {
		return fmt.Errorf("certificate %v is not there", hash)
	}
	c, err := certificate.Decode(raw)
	if err != nil {
		return err
	}
	want, err := c.ProtocolMessage.NextAVK()
	if err != nil {
		return err
	}
	closed, err := register(ctx, distribution.Parties())
	if err != nil {
		return err
	}
	if got := stm.NewAggregateVerificationKey(closed); want == nil || !got.Equal(want) {
		return fmt.Errorf("got the AVK %s, which certificate %v does not sign", got.AppendJSON(nil), hash)
	}
	return nil
}
