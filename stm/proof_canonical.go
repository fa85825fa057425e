package stm

import (
	"math"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
)

// canonicalScanner reads the canonical JSON form and nothing else: no white space, fields in order, numbers without leading
// zeros. It is the form all aggregators send, most of a certificate's bytes are in it, and a text that passes is already
// what the certificate's hash is over. Whatever it does not take goes to the general scanner, so that it has no errors to
// describe.
type canonicalScanner struct {
	b  []byte
	ok bool
}

// scanCanonical reports whether data is the canonical JSON form, and fills r with it. When it is not, r is empty afterwards.
func (r *rawProof) scanCanonical(data []byte) bool {
	c := canonicalScanner{data, true}
	c.literal(`{"signatures":[`)
	if !c.skip(']') {
		r.reserve(len(data))
		for more := true; more && c.ok; more = c.skip(',') {
			c.entry(r)
		}
		c.literal(`]`)
	}
	c.literal(`,"batch_proof":{"values":[`)
	if !c.skip(']') {
		for more := true; more && c.ok; more = c.skip(',') {
			c.literal(`[`)
			r.valuesBuffer = c.bytes(r.valuesBuffer, merkle.HashSize)
		}
		c.literal(`]`)
	}
	c.literal(`,"indices":[`)
	c.numbers(func(v uint64) bool {
		r.pathIndices = append(r.pathIndices, v)
		return len(r.pathIndices) <= limits.MaxSigners
	})
	c.literal(`,"hasher":null}}`)
	if !c.ok || len(c.b) != 0 {
		*r = rawProof{}
		return false
	}
	for i := 0; i < len(r.valuesBuffer); i += merkle.HashSize {
		r.values = append(r.values, r.valuesBuffer[i:i+merkle.HashSize])
	}
	return true
}

// reserve makes room for as many entries as size bytes of text are likely to hold.
func (r *rawProof) reserve(size int) {
	const typical = 800 // bytes of text an entry with some forty indices
	n := size/typical + 4
	r.sigmas = make([]byte, 0, n*multisig.SignatureSize)
	r.keys = make([]byte, 0, n*multisig.VerificationKeySize)
	r.stakes = make([]uint64, 0, n)
	r.signerIndex = make([]uint64, 0, n)
	r.ends = make([]int, 0, n)
	r.indexes = make([]uint64, 0, min(size/16, limits.MaxIndexes))
}

// entry reads [{"sigma":[…],"indexes":[…],"signer_index":n},[[…],stake]].
func (c *canonicalScanner) entry(r *rawProof) {
	if r.checkEntries() != nil {
		c.ok = false
		return
	}
	c.literal(`[{"sigma":[`)
	r.sigmas = c.bytes(r.sigmas, multisig.SignatureSize)
	c.literal(`,"indexes":[`)
	c.numbers(func(v uint64) bool { return r.addIndex(v) == nil })
	c.literal(`,"signer_index":`)
	r.signerIndex = append(r.signerIndex, c.number())
	c.literal(`},[[`)
	r.keys = c.bytes(r.keys, multisig.VerificationKeySize)
	c.literal(`,`)
	r.stakes = append(r.stakes, c.number())
	c.literal(`]]`)
	r.ends = append(r.ends, len(r.indexes))
}

func (c *canonicalScanner) literal(s string) {
	if len(c.b) < len(s) || string(c.b[:len(s)]) != s {
		c.ok = false
		return
	}
	c.b = c.b[len(s):]
}

func (c *canonicalScanner) skip(x byte) bool {
	if len(c.b) == 0 || c.b[0] != x {
		return false
	}
	c.b = c.b[1:]
	return true
}

// bytes appends exactly n numbers below 256 and reads the bracket behind them; the one before has been read.
func (c *canonicalScanner) bytes(dst []byte, n int) []byte {
	b := c.b
	for i := range n {
		// A number has one to three digits and something behind it.
		if len(b) < 4 {
			c.ok = false
			return dst
		}
		v := uint(b[0] - '0')
		length := 1
		if v != 0 {
			for length < 3 && b[length]-'0' <= 9 {
				v = v*10 + uint(b[length]-'0')
				length++
			}
		}
		end := byte(',')
		if i == n-1 {
			end = ']'
		}
		if b[0]-'0' > 9 || v > 255 || b[length] != end {
			c.ok = false
			return dst
		}
		dst = append(dst, byte(v))
		b = b[length+1:]
	}
	c.b = b
	return dst
}

// numbers reads numbers up to the closing bracket; the opening one has been read.
func (c *canonicalScanner) numbers(add func(uint64) bool) {
	if c.skip(']') {
		return
	}
	for more := true; more && c.ok; more = c.skip(',') {
		if v := c.number(); c.ok && !add(v) {
			c.ok = false
		}
	}
	c.literal(`]`)
}

func (c *canonicalScanner) number() uint64 {
	b := c.b
	if len(b) == 0 || b[0]-'0' > 9 {
		c.ok = false
		return 0
	}
	v := uint64(b[0] - '0')
	i := 1
	if v != 0 {
		for ; i < len(b) && b[i]-'0' <= 9; i++ {
			d := uint64(b[i] - '0')
			if v > (math.MaxUint64-d)/10 {
				c.ok = false
				return 0
			}
			v = v*10 + d
		}
	}
	c.b = b[i:]
	return v
}
