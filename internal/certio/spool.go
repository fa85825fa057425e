package certio

import (
	"errors"
	"os"
)

// spool is a temporary file of certificates that cannot be read twice where they came from. The zero value is empty and has
// no file yet.
type spool struct {
	file *os.File
	size int64
}

// append writes b and returns where.
func (s *spool) append(b []byte) (offset int64, err error) {
	if s.size+int64(len(b)) > MaxSpool {
		return 0, errSpool
	}
	if s.file == nil {
		if s.file, err = os.CreateTemp("", "stmverify-*.json"); err != nil {
			return 0, err
		}
	}
	if _, err := s.file.WriteAt(b, s.size); err != nil {
		return 0, err
	}
	offset = s.size
	s.size += int64(len(b))
	return offset, nil
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return errors.Join(file.Close(), os.Remove(file.Name()))
}
