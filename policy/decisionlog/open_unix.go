//go:build unix && !stophook_portable

package decisionlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// openPlain opens a file, refuses a symbolic link at the last step, and does not
// block on a FIFO. What it opened may still be no regular file.
func openPlain(path string, flags int) (*os.File, error) {
	return os.OpenFile(path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
}
