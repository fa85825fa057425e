package checkpoint

import (
	"bytes"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// FuzzRead reads anything. A refusal has a class; what is accepted says the same when it is written and read again.
func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(bytes.NewReader(data))
		if err != nil {
			if verdict.Class(err) == nil {
				t.Fatalf("error without a class: %v", err)
			}
			return
		}
		var text bytes.Buffer
		if err := file.Write(&text); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&text)
		if err != nil || *again != *file {
			t.Fatalf("read again: %+v, %v, want %+v", again, err, file)
		}
		if err := again.Same(file); err != nil {
			t.Fatal(err)
		}
	})
}
