//go:build !unix

package transcript

import (
	"errors"
	"os"
)

// mapped is not used here: files are read through a buffer.
type mapped struct {
	data []byte
	base int64
}

func mapFile(*os.File, int64, int64) (mapped, error) { return mapped{}, errors.ErrUnsupported }
func (mapped) close()                                {}
func (mapped) forget(int64, int64)                   {}

func guarded(f func()) bool {
	f()
	return true
}
