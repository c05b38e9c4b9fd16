package session

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// rowLog appends rows to a file.
type rowLog struct {
	f    *os.File
	out  io.Writer // f, except in tests
	sync SyncPolicy
	torn bool // the file does not end in a newline
}

// append writes whole rows with one write(2) in append mode. n is how many of
// their bytes got into the file, also when that failed.
func (l *rowLog) append(rows []byte) (n int, err error) {
	if l.f == nil {
		return 0, errClosed
	}
	out, extra := rows, 0
	if l.torn { // it must not swallow the first of the new rows
		out, extra = append([]byte{'\n'}, rows...), 1
	}
	n, err = l.out.Write(out)
	if n > 0 {
		l.torn = out[n-1] != '\n'
	}
	n = max(0, n-extra)
	if err != nil {
		return n, fmt.Errorf("session: write: %w", err)
	}
	if l.sync == SyncRows {
		return n, l.flush()
	}
	return n, nil
}

// flush forces what was written to the disk.
func (l *rowLog) flush() error {
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("session: force rows to the disk: %w", err)
	}
	return nil
}

func (l *rowLog) close() error {
	if l.f == nil {
		return nil
	}
	var err error
	if l.sync != SyncNever {
		err = l.flush()
	}
	err = errors.Join(err, l.f.Close())
	l.f = nil
	return err
}

var errClosed = errors.New("session: the thread is closed: open the session again")
