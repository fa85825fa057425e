package bolt_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/stmverify/stmverify/light/store"
	"github.com/stmverify/stmverify/light/store/bolt"
)

// Open a store, a file that belongs to one process at a time.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "certificates")
	st, err := bolt.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	_, err = st.Latest(context.Background())
	fmt.Println(errors.Is(err, store.ErrEmpty))
	// Output: true
}
