package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

// Two openings of one file exclude each other; a lock that was given back, or whose
// file was closed, is free.
func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	take := func(f *os.File, want bool) {
		t.Helper()
		if got, err := TryLock(f); got != want || err != nil {
			t.Errorf("TryLock: %v, %v; want %v", got, err, want)
		}
	}
	one, two, three := open(), open(), open()
	take(one, true)
	take(two, false)
	take(one, true) // the holder may ask again
	Unlock(one)
	take(two, true)
	take(one, false)
	two.Close()
	take(three, true)
}

// A file that is closed cannot be locked, and says so.
func TestTryLock_closed(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, err := TryLock(f); got || err == nil {
		t.Errorf("TryLock of a closed file: %v, %v", got, err)
	}
}
