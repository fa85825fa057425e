//go:build unix && !aix && !solaris

package bolt

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks a file for this open file alone and reports whether it was free. Closing the file, or the end of the
// process, however it ends, releases the lock.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// syncDir makes a renaming in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
