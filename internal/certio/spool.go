package certio

import (
	"errors"
	"os"

	"github.com/stmverify/stmverify/internal/limits"
)

// maxSpoolMemory is how much a spool keeps in memory before it uses a file.
const maxSpoolMemory = 8 << 20

// spool holds certificates that cannot be read twice where they came from: the first ones in memory, the rest in a temporary
// file. The zero value is empty.
type spool struct {
	memory []byte
	file   *os.File // nil as long as all is in memory
	size   int64    // of both
}

// append writes b and returns where.
func (s *spool) append(b []byte) (offset int64, err error) {
	offset = s.size
	if offset+int64(len(b)) > limits.MaxSpool {
		return 0, errSpool
	}
	if s.file == nil && len(s.memory)+len(b) <= maxSpoolMemory {
		s.memory = append(s.memory, b...)
		s.size += int64(len(b))
		return offset, nil
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "stmverify-*.json"); err != nil {
			return 0, err
		}
	}
	if _, err := s.file.WriteAt(b, offset-int64(len(s.memory))); err != nil {
		return 0, err
	}
	s.size += int64(len(b))
	return offset, nil
}

// read fills b from offset, where append has written as many bytes.
func (s *spool) read(b []byte, offset int64) error {
	if offset < int64(len(s.memory)) {
		copy(b, s.memory[offset:])
		return nil
	}
	_, err := s.file.ReadAt(b, offset-int64(len(s.memory)))
	return err
}

func (s *spool) close() error {
	file := s.file
	*s = spool{}
	if file == nil {
		return nil
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
