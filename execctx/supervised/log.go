//go:build unix

package supervised

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/internal/proc"
)

// log is the one file that a command's output goes to, cut off at a limit (EX-32,
// EX-39). It only grows, so that an offset stays good. What cannot be written is
// counted and said at the end; the command never notices.
//
// Its methods are called by one goroutine after the other: the output's, and at
// the end the supervisor's.
type log struct {
	file   *os.File
	path   string
	count  *os.File // gets the number of bytes produced, for those who list
	number [8]byte  // what is written there; here, so that no output costs memory

	keep   int64 // limit of the file; 0: none
	kept   int64
	total  int64 // produced, dropped and lost ones included (EX-46)
	past   int64 // dropped, past the limit
	lost   int64 // could not be written
	failed error // why, the first time
}

// createLog makes a new file and fails with fs.ErrExist when there is anything
// of that name.
func createLog(path string, keep int64, count *os.File) (*log, error) {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return nil, err
	}
	file, err := openOwn(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	return &log{file: file, path: path, keep: max(keep, 0), count: count}, nil
}

// Write keeps what fits. It never fails.
func (l *log) Write(p []byte) (int, error) {
	l.total += int64(len(p))
	defer l.publish()
	part := p
	if l.keep > 0 {
		part = p[:min(int64(len(p)), max(l.keep-l.kept, 0))]
	}
	l.past += int64(len(p) - len(part))
	if len(part) == 0 {
		return len(p), nil
	}
	n, err := l.file.Write(part)
	l.kept += int64(n)
	if n < len(part) {
		l.lost += int64(len(part) - n)
		if l.failed == nil {
			l.failed = err
		}
	}
	return len(p), nil
}

// publish is for list only; the exit record has the number that counts.
func (l *log) publish() {
	binary.LittleEndian.PutUint64(l.number[:], uint64(l.total))
	_, _ = l.count.WriteAt(l.number[:], 0)
}

// discard removes the file of a command that never started.
func (l *log) discard() {
	l.file.Close()
	_ = os.Remove(l.path)
}

// close writes the marker when output was dropped (EX-39), closes the file and
// says what is missing from it.
func (l *log) close() (warnings []string) {
	return proc.CloseLog(l.file, l.path, execctx.TruncatedMarker(l.past), proc.Missing{Past: l.past, Lost: l.lost, Failed: l.failed})
}

// openPipe makes a named pipe and opens it for good: a process that has both its
// ends never waits for the other side.
func openPipe(dir, name string) (*os.File, error) {
	path := filepath.Join(dir, name)
	if err := syscall.Mkfifo(path, fileMode); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	flags := os.O_RDWR | syscall.O_NOFOLLOW
	if runtime.GOOS == "linux" {
		flags |= syscall.O_NONBLOCK // reads wait in the poller, which other systems cannot do with these
	}
	return os.OpenFile(path, flags, 0)
}
