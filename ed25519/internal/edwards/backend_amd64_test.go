//go:build !purego

package edwards

func hasAssembly() bool { return hasADX }

// disableAssembly switches to the generic code and returns the function that switches back.
func disableAssembly() func() {
	old := hasADX
	hasADX = false
	return func() { hasADX = old }
}
