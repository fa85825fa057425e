//go:build !linux

package benches

// pinThread does nothing: only Linux lets a thread choose its core.
func pinThread(int) (undo func()) { return func() {} }
