// Package lanes says whether the eight-lane arithmetic of its subpackages may
// run on this machine.
//
// The lanes need AVX-512 with the 52-bit multiply-add instructions (IFMA).
// They are left out of the build by the tags purego and nolanes, and switched
// off for a process by the environment variable STMVERIFY_LANES=off. Without
// them every caller uses its ordinary code, with the same results.
package lanes

import (
	"os"
	"sync"
)

// Environment is the variable that switches the lanes off with the value "off".
const Environment = "STMVERIFY_LANES"

// Enabled reports whether the lanes may run. The answer does not change during
// the life of the process.
func Enabled() bool { return enabled() }

var enabled = sync.OnceValue(func() bool {
	return supported() && os.Getenv(Environment) != "off"
})
