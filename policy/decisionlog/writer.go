package decisionlog

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// Errors of [Writer.Append].
var (
	// ErrNotRegular is returned when the log's path is a symbolic link, a
	// directory or a device: the log is never written through one.
	ErrNotRegular = errors.New("decision log is no regular file of its own")
	// ErrTooLarge is returned when an event without its input is still over
	// [MaxLineBytes].
	ErrTooLarge = errors.New("decision log event is too large")
)

const (
	// DefaultMaxBytes is the size at which the log rotates.
	DefaultMaxBytes = 16 << 20
	// DefaultLockWait is how long Append waits for another process.
	DefaultLockWait = 100 * time.Millisecond
	// keepRotated is how many rotated files stay: .1 and .2.
	keepRotated = 2
)

// Writer appends events to a log file. It holds no state between calls: the
// value can be copied, used by many goroutines at once, and needs no closing.
// Only Path is required.
type Writer struct {
	// Path is the log, usually <state-dir>/decisions.jsonl. Its directory is made
	// (0700) when it is missing.
	Path string
	// MaxBytes is the size in bytes at which the log becomes Path.1 (and that
	// Path.2); 0 means [DefaultMaxBytes].
	MaxBytes int64
	// Masks are applied to every event, in order.
	Masks []Mask
	// LockWait bounds the wait for other writers; 0 means [DefaultLockWait].
	LockWait time.Duration
	// Now and NewID fill in an event's timestamp and id; nil means the clock, and
	// a random UUID as OPA uses.
	Now   func() time.Time
	NewID func() string
	// PID names the side file; 0 means the process's own.
	PID int
}

// Append writes one event as one line: one write in append mode under an
// exclusive lock, with no flush to disk. An empty DecisionID, Path or Timestamp
// is filled in; the caller's event and everything it points to stay unchanged.
//
// When the lock cannot be had within LockWait, the event goes to a side file of
// this process, NAME.<pid>.jsonl beside the log, instead of being lost or written
// over somebody's rotation; [Read] merges it in by time. A side file goes when
// the events of its time go.
func (w *Writer) Append(e Event) error {
	line, err := w.encode(e)
	if err != nil {
		return fmt.Errorf("decision log %s: %w", w.Path, err)
	}
	err = w.appendTo(w.Path, line, true)
	if errors.Is(err, errLocked) {
		err = w.appendTo(w.sidePath(), line, false)
	}
	if err != nil {
		return fmt.Errorf("decision log %s: cannot append, check that the directory is writable and the file a plain one: %w", w.Path, err)
	}
	return nil
}

func (w *Writer) maxBytes() int64 {
	if w.MaxBytes > 0 {
		return w.MaxBytes
	}
	return DefaultMaxBytes
}

func (w *Writer) sidePath() string {
	pid := w.PID
	if pid == 0 {
		pid = os.Getpid()
	}
	return sidePrefix(w.Path) + strconv.Itoa(pid) + ".jsonl"
}

// appendTo writes the line to one file; rotate allows it to rotate the file.
func (w *Writer) appendTo(path string, line []byte, rotate bool) error {
	wait := w.LockWait
	if wait == 0 {
		wait = DefaultLockWait
	}
	deadline := time.Now().Add(wait)
	for {
		f, err := openLog(path)
		if err != nil {
			return err
		}
		again, err := w.lockAndWrite(f, path, line, rotate, deadline)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil || !again {
			return err
		}
	}
}

// openLog opens for appending, makes the directory when it is missing, and
// refuses everything that is no plain file.
func openLog(path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_APPEND | os.O_CREATE
	f, err := openPlain(path, flags)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		f, err = openPlain(path, flags)
	}
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%w: %s", ErrNotRegular, path)
		}
		return nil, err
	}
	return f, nil
}

// lockAndWrite does one attempt with an open file. again asks for a new one,
// because the file was rotated away, by us or by another process.
func (w *Writer) lockAndWrite(f *os.File, path string, line []byte, rotate bool, deadline time.Time) (again bool, err error) {
	if err := lockUntil(f, deadline); err != nil {
		return false, err
	}
	// Closing the file gives the lock back.
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, fmt.Errorf("%w: %s", ErrNotRegular, path)
	}
	if now, err := os.Lstat(path); err != nil || !os.SameFile(now, info) {
		return true, nil
	}
	size := info.Size()
	if rotate && size > 0 && size+int64(len(line)) > w.maxBytes() {
		// A rotation that fails (a directory that cannot be written) must not cost
		// the event: the file grows on.
		if w.rotate() == nil {
			return true, nil
		}
	}
	// On Windows these bits say nothing of who may read.
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		if err := f.Chmod(0o600); err != nil {
			return false, err
		}
	}
	if torn(f, size) {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(line); err != nil {
		// Take a half-written line back, so that the file ends as it began. Should
		// this fail too, the next writer ends the torn line.
		_ = f.Truncate(size)
		return false, err
	}
	return false, nil
}

// torn reports whether a crash left the last line without its end.
func torn(f *os.File, size int64) bool {
	if size == 0 {
		return false
	}
	var last [1]byte
	_, err := f.ReadAt(last[:], size-1)
	return err == nil && last[0] != '\n'
}

// errLocked means that the lock could not be had in time.
var errLocked = errors.New("locked by another process")

// lockUntil takes the exclusive lock, waiting a little longer each time.
func lockUntil(f *os.File, deadline time.Time) error {
	for pause := 200 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		err := tryLock(f)
		if !errors.Is(err, errLocked) {
			return err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return errLocked
		}
		time.Sleep(min(pause, left))
	}
}

// newUUID is a random (version 4) UUID.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var s [36]byte
	hex.Encode(s[0:8], b[0:4])
	hex.Encode(s[9:13], b[4:6])
	hex.Encode(s[14:18], b[6:8])
	hex.Encode(s[19:23], b[8:10])
	hex.Encode(s[24:36], b[10:16])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}
