//go:build !cgo || purego

package suites

func curveLibraries() []curveLibrary { return []curveLibrary{gnarkLibrary()} }
