package bolt

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/storetest"
)

// FuzzRecord loads a state and one record that have the right digests, as if this package had written them. [FuzzLoad] hardly ever
// gets behind the digests.
func FuzzRecord(f *testing.F) {
	hash := storetest.Hash("c1")
	f.Fuzz(func(t *testing.T, state, record []byte) {
		l := &loader{meta: make(map[string][]byte), records: make(map[certificate.Hash]loaded), texts: make(map[certificate.Hash][32]byte)}
		visit := func(bucket, key, value []byte) {
			if err := l.visit(bucket, key, wrap(bucket, key, value)); err != nil && !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("got %v", err)
			}
		}
		visit(bucketRecords, hash[:], record)
		visit(bucketTexts, hash[:], []byte("text"))
		sums := make(map[certificate.Hash]pair)
		for h, r := range l.records {
			sums[h] = pair{r.sum, l.texts[h]}
		}
		d := digest(state, sums)
		l.meta[string(keySchema)] = []byte(schema)
		l.meta[string(keyState)] = wrap(bucketMeta, keyState, state)
		l.meta[string(keyDigest)] = d[:]
		c, err := l.contents()
		if err != nil {
			if !errors.Is(err, store.ErrCorrupt) && !errors.Is(err, store.ErrSchema) {
				t.Errorf("got %v", err)
			}
			return
		}
		text, err := json.Marshal(c.state)
		if err != nil {
			t.Fatal(err)
		}
		var again store.State
		if err := json.Unmarshal(text, &again); err != nil || again != c.state {
			t.Errorf("state written again: %+v, %v, want %+v", again, err, c.state)
		}
		if latest, err := c.memory.Latest(t.Context()); err == nil && latest.Hash != hash {
			t.Errorf("latest certificate %v, want %v", latest.Hash, hash)
		}
	})
}
