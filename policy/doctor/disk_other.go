//go:build !unix

package doctor

import (
	"errors"
	"io/fs"
	"math"
)

// Free is not known on this system: there always is room.
func Free(string) (int64, error) { return math.MaxInt64, errors.ErrUnsupported }

// Mine is not known on this system: every file is.
func Mine(fs.FileInfo) bool { return true }
