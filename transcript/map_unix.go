//go:build unix

package transcript

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// mapped is a read-only view of a part of a file that needs no copy.
type mapped struct {
	data []byte
	base int64 // file offset of data[0]
}

// mapFile maps the bytes [from, size) of a regular file.
func mapFile(f *os.File, from, size int64) (mapped, error) {
	base := from &^ int64(os.Getpagesize()-1)
	data, err := unix.Mmap(int(f.Fd()), base, int(size-base), unix.PROT_READ, unix.MAP_SHARED)
	return mapped{data, base}, err
}

func (m mapped) close() { unix.Munmap(m.data) }

// forget gives the pages of a finished part back, so that no more of the file
// counts as memory of ours than is being looked at.
func (m mapped) forget(from, to int64) {
	page := int64(os.Getpagesize())
	lo, hi := (from-m.base+page-1)&^(page-1), (to-m.base)&^(page-1)
	if hi > lo {
		unix.Madvise(m.data[lo:hi], unix.MADV_DONTNEED)
	}
}

// guarded runs f and tells whether it came through: a file that is cut while it
// is mapped faults at its missing pages, which must cost this way of reading and
// not the process.
func guarded(f func()) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, isFault := fault.(interface{ Addr() uintptr }); !isFault {
				panic(fault)
			}
			ok = false
		}
	}()
	f()
	return true
}
