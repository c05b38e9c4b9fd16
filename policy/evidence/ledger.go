package evidence

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"time"
)

const (
	ledgerName   = "ledger.jsonl"
	ledgerWindow = 4 << 20 // bytes read from the end of a ledger
)

// Log is what the ledger told.
type Log struct {
	Events []Event // in file order, oldest first
	// Bad counts lines that are no events, a torn end included. They stay in
	// the file.
	Bad    int
	Size   int64 // of the file, in bytes
	Offset int64 // where reading began: not 0 when the file exceeds 4 MiB
}

// Last finds the latest event of the kind in file order that is not older than
// since; a zero since takes any.
func (l Log) Last(kind Kind, since time.Time) (Event, bool) {
	for i := len(l.Events) - 1; i >= 0; i-- {
		if e := l.Events[i]; e.Kind == kind && !e.TS.Before(since) {
			return e, true
		}
	}
	return Event{}, false
}

// Append writes the events as one line each, all with one write call, under the
// session's lock. It fills V, ID and TS where they are empty. After an error
// nothing was added. The wait for the lock is bounded by ctx and Store.LockWait.
//
// There is no fsync; the package comment says why.
func (s *Session) Append(ctx context.Context, events ...Event) error {
	_, err := s.append(ctx, events)
	return err
}

func (s *Session) append(ctx context.Context, events []Event) ([]Event, error) {
	if len(events) == 0 {
		return nil, nil
	}
	written := make([]Event, 0, len(events))
	err := s.locked(ctx, func(dir folder) error {
		var lines []byte
		var err error
		for _, e := range events {
			e = s.fill(e)
			if lines, err = e.appendLine(lines); err != nil {
				return err
			}
			lines = append(lines, '\n')
			written = append(written, e)
		}
		return appendLines(dir, lines)
	})
	if err != nil {
		return nil, err
	}
	return written, nil
}

// fill runs under the lock, so that file order is the order of time.
func (s *Session) fill(e Event) Event {
	if e.V == 0 {
		e.V = eventVersion
	}
	if e.ID == "" {
		e.ID = s.store.NewID()
	}
	if e.TS.IsZero() {
		e.TS = s.now()
	}
	return e
}

func appendLines(dir folder, lines []byte) error {
	f, err := dir.open(ledgerName, forAppend)
	if err != nil {
		return err
	}
	if f.size > 0 {
		last, err := f.readFrom(f.size - 1)
		if err != nil {
			f.close()
			return err
		}
		// A crash tore the last line. It must not swallow the next one.
		if len(last) == 1 && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	if err := f.write(lines); err != nil {
		f.close()
		return err
	}
	return f.close()
}

// Events reads the ledger without a lock and without creating anything. No
// ledger is an empty log; one that cannot be opened or read is an error.
func (s *Session) Events() (Log, error) {
	data, log, err := s.readLedger()
	if err != nil || len(data) == 0 {
		return log, err
	}
	log.Events = make([]Event, 0, min(bytes.Count(data, []byte{'\n'})+1, 4096))
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		// Editors of Windows end lines in CR LF.
		if line = bytes.TrimSuffix(line, []byte{'\r'}); len(line) == 0 {
			continue
		}
		// The object is the event and the newline only parts it from the next: an
		// end without newline counts when it is a whole object, since the next
		// append will end its line and nothing about it will look torn any more.
		var e Event
		if e.UnmarshalJSON(line) != nil {
			log.Bad++
			continue
		}
		log.Events = append(log.Events, e)
	}
	return log, nil
}

func (s *Session) readLedger() ([]byte, Log, error) {
	dir, err := s.open(false)
	if err != nil {
		return nil, Log{}, ignoreMissing(err)
	}
	defer dir.close()
	f, err := dir.open(ledgerName, forRead)
	if err != nil {
		return nil, Log{}, ignoreMissing(err)
	}
	defer f.close()
	log := Log{Size: f.size}
	if f.size <= ledgerWindow {
		data, err := f.readFrom(0)
		return bytes.TrimPrefix(data, []byte(byteOrderMark)), log, err
	}
	// One byte more than the window shows whether the window begins a line.
	start := f.size - ledgerWindow - 1
	data, err := f.readFrom(start)
	if err != nil {
		return nil, log, err
	}
	cut := bytes.IndexByte(data, '\n') + 1
	if cut == 0 {
		cut = len(data)
		log.Bad++ // one line fills the window, and no event is that long
	}
	log.Offset = start + int64(cut)
	return data[cut:], log, nil
}

// byteOrderMark is what editors of Windows put before a file's first byte.
const byteOrderMark = "\xef\xbb\xbf"

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
