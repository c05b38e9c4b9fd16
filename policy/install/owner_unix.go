//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file to whom the old one belonged, when that is somebody
// else: under sudo a person would lose her settings to root.
func keepOwner(f *os.File, old fs.FileInfo) error {
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}
