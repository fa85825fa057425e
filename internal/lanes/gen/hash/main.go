// Command hash writes the AVX-512 assembly of package hash: one compression
// of Blake2b or SHA-512 in eight lanes, and the lottery hash of SPEC
// section 4 with all its fixed parts taken out.
//
// Every message word and every state word is one ZMM register holding that
// word of eight messages. Words are used with full 64-bit wrap-around
// arithmetic, so there are no bounds to keep.
package main

import (
	"flag"
	"log"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/stmverify/stmverify/internal/lanes/gen/output"
)

var zmm = output.ZMM

func main() {
	dir := flag.String("dir", ".", "directory of package hash")
	flag.Parse()
	if err := generate(*dir); err != nil {
		log.Fatal(err)
	}
}

// generate writes the files of package hash into dir.
func generate(dir string) error {
	files := map[string]func(*build.Context){"blake2b": blake2b, "sha512": sha512}
	for name, gen := range files {
		if err := output.Write(dir, "hash", name, gen); err != nil {
			return err
		}
	}
	return nil
}

// transpose turns eight rows of eight words into eight columns, in place in
// rows, using eight further registers.
func transpose(c *build.Context, rows, tmp []reg.VecPhysical) {
	for i := 0; i < 8; i += 2 {
		c.VPUNPCKLQDQ(rows[i+1], rows[i], tmp[i])
		c.VPUNPCKHQDQ(rows[i+1], rows[i], tmp[i+1])
	}
	// tmp[2i] holds the even columns of rows 2i and 2i+1, tmp[2i+1] the odd.
	for odd := range 2 {
		for half := range 2 {
			lo, hi := tmp[4*half+odd], tmp[4*half+2+odd]
			c.VSHUFI64X2(operand.U8(0x88), hi, lo, rows[4*half+odd])   // columns odd, odd+4
			c.VSHUFI64X2(operand.U8(0xdd), hi, lo, rows[4*half+2+odd]) // columns odd+2, odd+6
		}
	}
	for col := range 4 {
		lo, hi := rows[col], rows[4+col]
		c.VSHUFI64X2(operand.U8(0x88), hi, lo, tmp[col])
		c.VSHUFI64X2(operand.U8(0xdd), hi, lo, tmp[4+col])
	}
	copy(rows, tmp)
}

// loadBlocks loads the 128-byte blocks that the eight pointers at ptrs name
// and returns the registers of their sixteen words. It uses words and tmp.
func loadBlocks(c *build.Context, ptrs reg.Register, words, tmp []reg.VecPhysical) []reg.VecPhysical {
	p := c.GP64()
	var out []reg.VecPhysical
	for half := range 2 {
		rows := append([]reg.VecPhysical(nil), words[8*half:8*half+8]...)
		free := append([]reg.VecPhysical(nil), tmp...)
		for lane := range 8 {
			c.MOVQ(operand.Mem{Base: ptrs, Disp: 8 * lane}, p)
			c.VMOVDQU64(operand.Mem{Base: p, Disp: 64 * half}, rows[lane])
		}
		transpose(c, rows, free)
		for i, r := range rows { // the columns are in the registers of tmp
			c.VMOVDQA64(r, words[8*half+i])
		}
		out = append(out, words[8*half:8*half+8]...)
	}
	return out
}

// storeDigests writes the eight digests held as eight word registers.
func storeDigests(c *build.Context, out reg.Register, words, tmp []reg.VecPhysical) {
	transpose(c, words, tmp)
	for lane := range 8 {
		c.VMOVDQU64(words[lane], operand.Mem{Base: out, Disp: 64 * lane})
	}
}
