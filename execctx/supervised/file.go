//go:build unix

package supervised

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
	// maxRecord is more than any record of ours: a command is at most 128 KiB.
	maxRecord = 4 << 20
)

// openOwn opens a file of the store. Links are not followed, and what is no
// regular file cannot hold anybody up.
func openOwn(name string, flag int) (*os.File, error) {
	file, err := os.OpenFile(name, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, fileMode)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// readRecord fills v from a record.
func readRecord(name string, v any) error {
	file, err := openOwn(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxRecord))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// writeRecord replaces a record as a whole. When durable it is on disk, also by
// its name, when it returns.
func writeRecord(name string, v any, durable bool) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	temp := name + suffixTemp
	_ = os.Remove(temp) // left by somebody who was killed; writers of one record exclude each other
	file, err := openOwn(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return finish(file, name, err, durable)
}

func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(data, '\n'), err
}

// finish gives a written file its name, or removes it.
func finish(file *os.File, name string, err error, durable bool) error {
	if err == nil && durable {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return err
	}
	if durable {
		return syncDir(filepath.Dir(name))
	}
	return nil
}

// syncDir puts the names of a folder on disk.
func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// reserve makes sure that a record of n bytes can be written later, on a disk
// that is full by then.
func reserve(dir string, n int) error {
	file, err := openOwn(filepath.Join(dir, fileReserve), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = file.Write(make([]byte, n))
	return errors.Join(err, file.Close())
}

// writeReserved is writeRecord into the reserved room, which is made anew when it
// is not there.
func writeReserved(dir, name string, v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	file, err := openOwn(filepath.Join(dir, fileReserve), os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	if _, err = file.WriteAt(data, 0); err == nil {
		err = file.Truncate(int64(len(data)))
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return err // the room is kept for another try
	}
	return syncDir(dir)
}

// tryLock takes a lock of an open file without waiting.
func tryLock(file *os.File, how int) (bool, error) {
	for {
		switch err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB); err {
		case nil:
			return true, nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return false, nil
		default:
			return false, os.NewSyscallError("flock", err)
		}
	}
}

// held tells whether somebody has the exclusive lock of a file. Others who ask at
// the same time do not count: they share.
func held(name string) (bool, error) {
	file, err := openOwn(name, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer file.Close()
	free, err := tryLock(file, syscall.LOCK_SH)
	return !free && err == nil, err
}

// backOff is the pause before the next look at something that gives no sign.
func backOff(last time.Duration) time.Duration {
	return min(max(2*last, time.Millisecond), 50*time.Millisecond)
}
