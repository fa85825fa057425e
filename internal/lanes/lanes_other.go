//go:build !amd64 || purego || nolanes

package lanes

// supported reports that this build has no assembly.
func supported() bool { return false }
