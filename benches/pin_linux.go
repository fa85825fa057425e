package benches

import "golang.org/x/sys/unix"

// pinThread moves this thread to a core, counted among those it may use, and
// returns what undoes that. When the system refuses, it changes nothing. The
// goroutine is locked to its thread.
func pinThread(core int) (undo func()) {
	var old, one unix.CPUSet
	if unix.SchedGetaffinity(0, &old) != nil || old.Count() == 0 {
		return func() {}
	}
	left := core % old.Count()
	for cpu := 0; ; cpu++ {
		if !old.IsSet(cpu) {
			continue
		}
		if left == 0 {
			one.Set(cpu)
			break
		}
		left--
	}
	if unix.SchedSetaffinity(0, &one) != nil {
		return func() {}
	}
	return func() { unix.SchedSetaffinity(0, &old) }
}
