//go:build unix

package tool

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keeps the opening of a pipe that took a file's place from waiting for
// its other end.
const openFlags = syscall.O_NONBLOCK

// keepOwner gives a new file the owner of the one that it replaces. Only a
// privileged user can; others own what they write.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
