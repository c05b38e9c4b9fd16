//go:build unix

package execctx

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner of the old one, where that is allowed.
func keepOwner(file *os.File, old fs.FileInfo) {
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(stat.Uid), int(stat.Gid))
	}
}
