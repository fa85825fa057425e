//go:build !amd64 || purego

package edwards

func hasAssembly() bool { return false }

func disableAssembly() func() { return func() {} }
