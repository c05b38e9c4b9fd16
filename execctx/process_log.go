package execctx

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// logMode is that of log files and logDirMode that of the folders made for them:
// output is nobody else's business.
const (
	logMode    = 0o600
	logDirMode = 0o700
)

// outputLog is the one file that the output of a command goes to (EX-32), cut off
// at a limit. A failing write never reaches the command: what is lost is counted
// and said at the end, and later writes are tried again.
//
// List and the watchdog read total and lastOutput without the lock, which a
// write holds for as long as the disk takes.
type outputLog struct {
	path string
	now  func() time.Time
	born time.Time

	total      atomic.Int64 // bytes produced, dropped and lost ones included (EX-46)
	lastOutput atomic.Int64 // nanoseconds from born to the last output

	mu     sync.Mutex
	file   *os.File // nil once closed
	keep   int64    // limit of the file; 0: none
	kept   int64    // bytes in the file
	past   int64    // dropped, past the limit
	lost   int64    // could not be written
	failed error    // why, the first time
}

// createLog makes a new file and fails with fs.ErrExist when there is anything
// of that name. It is read again when the log is closed, to see how it ends.
func createLog(path string, keep int64, now func() time.Time) (*outputLog, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, logMode)
	if err != nil {
		return nil, err
	}
	return &outputLog{path: path, file: file, keep: max(keep, 0), now: now, born: now()}, nil
}

// Write keeps what fits. It never fails.
func (l *outputLog) Write(p []byte) (int, error) {
	l.lastOutput.Store(int64(l.now().Sub(l.born)))
	l.total.Add(int64(len(p)))
	l.mu.Lock()
	defer l.mu.Unlock()
	part := p
	if l.keep > 0 {
		part = p[:min(int64(len(p)), max(l.keep-l.kept, 0))]
	}
	l.past += int64(len(p) - len(part))
	if len(part) == 0 {
		return len(p), nil
	}
	if l.file == nil {
		l.lose(len(part), os.ErrClosed)
		return len(p), nil
	}
	n, err := l.file.Write(part)
	l.kept += int64(n)
	if n < len(part) {
		l.lose(len(part)-n, err)
	}
	return len(p), nil
}

// lose notes bytes that could not be written; l.mu is held.
func (l *outputLog) lose(n int, err error) {
	l.lost += int64(n)
	if l.failed == nil {
		l.failed = err
	}
}

// quietSince is the time of the last output, by the reading of born.
func (l *outputLog) quietSince() time.Time {
	return l.born.Add(time.Duration(l.lastOutput.Load()))
}

// move puts the log of a foreground command in the place of a task's: path is
// its new name, keep its limit from now on, which also cuts what is there. It
// fails with fs.ErrExist when there is anything of that name.
func (l *outputLog) move(path string, keep int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A rename alone would replace what has the name, and not every file system
	// has links.
	claim, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, logMode)
	if err != nil {
		return err
	}
	claim.Close()
	if err := os.Rename(l.path, path); err != nil {
		_ = os.Remove(path)
		return err
	}
	l.path, l.keep = path, max(keep, 0)
	if l.keep > 0 && l.kept > l.keep {
		if err := l.file.Truncate(l.keep); err == nil {
			l.past += l.kept - l.keep
			l.kept = l.keep
		}
	}
	return nil
}

// discard removes the file of a command that never started, or ended in the
// foreground.
func (l *outputLog) discard() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
	return os.Remove(l.path)
}

// close writes the marker when output was dropped (EX-39), closes the file and
// says what is missing from it. Later calls do nothing.
func (l *outputLog) close() (warnings []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	return proc.CloseLog(file, l.path, TruncatedMarker(l.past), proc.Missing{Past: l.past, Lost: l.lost, Failed: l.failed})
}

// logPath is where the log of a task of this context lies.
func (c *ProcessContext) logPath(dir string, n int) string {
	return filepath.Join(dir, LogName(TaskID(n), c.stamp))
}
