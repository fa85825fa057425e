//go:build !purego && !nolanes

package lanes

import "golang.org/x/sys/cpu"

// supported reports whether the processor and the operating system have what
// the assembly uses: AVX-512 F, DQ, BW, VL and IFMA.
func supported() bool {
	return cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW &&
		cpu.X86.HasAVX512VL && cpu.X86.HasAVX512IFMA
}
