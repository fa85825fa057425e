package certificate

import (
	"testing"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/multisig"
)

// shapes are one certificate like those of mainnet and one like those of preprod.
func shapes(b *testing.B) map[string][]byte {
	return map[string][]byte{
		"mainnet": texts(b, "testdata/chains/mainnet-like/certificates.json.gz")[0],
		"preprod": smallChain(b)[0],
	}
}

// BenchmarkDecode decodes whole certificates, with the keys known from one before.
func BenchmarkDecode(b *testing.B) {
	for name, data := range shapes(b) {
		b.Run("shape="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			d := &Decoder{Keys: new(multisig.KeyCache)}
			for b.Loop() {
				if _, err := d.Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecodeAroundProof decodes everything but the multi-signature.
func BenchmarkDecodeAroundProof(b *testing.B) {
	for name, data := range shapes(b) {
		b.Run("shape="+name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				w := wire{certificate: new(Certificate)}
				s := jsonhex.NewScanner(data)
				if err := s.Struct(&certificateFields, func(i int) error { return w.field(&s, i) }); err != nil {
					b.Fatal(err)
				}
				if err := w.checkAround(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkComputeHash(b *testing.B) {
	for name, data := range shapes(b) {
		b.Run("shape="+name, func(b *testing.B) {
			c, err := Decode(data)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.ComputeHash(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
