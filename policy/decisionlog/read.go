package decisionlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/tidwall/gjson"
)

// ErrStop, returned by the function given to [Read], ends the reading early and
// is not an error.
var ErrStop = errors.New("stop reading")

// Filter chooses events. The zero value chooses all.
type Filter struct {
	SessionID string    // only events of this session, see [Event.SessionID]
	Since     time.Time // only events of this instant or later
}

// Stats tells what a reading went over.
type Stats struct {
	Files  int // log files found, rotated and side files included
	Events int // events given to the function
	Bad    int // lines that are no event: torn, broken or too long; they are skipped
}

// Read calls fn for the events of a log, oldest first: those of Path.2, Path.1
// and Path in file order, with those of side files merged in by their timestamps.
// Numbers in Input, Result and Custom are json.Number, so that an input replays
// as it was. A log that does not exist is empty. An error of fn ends the reading
// and is returned as it is; [ErrStop] ends it without one.
//
// Read takes no lock. It may run beside writers and across a rotation: it opens
// the files from the newest to the oldest and so misses none that moves on
// meanwhile.
func Read(path string, filter Filter, fn func(Event) error) (Stats, error) {
	r := reader{filter: filter, fn: fn}
	files, err := openAll(path)
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	if err != nil {
		return r.stats, err
	}
	for _, side := range sideFiles(path) {
		if err := r.readSide(side); err != nil {
			return r.stats, err
		}
	}
	slices.SortStableFunc(r.side, func(a, b Event) int { return a.Timestamp.Compare(b.Timestamp) })
	err = r.readAll(files)
	if errors.Is(err, ErrStop) {
		err = nil
	}
	return r.stats, err
}

// openAll opens the log and its rotated files, and returns them oldest first.
func openAll(path string) ([]*os.File, error) {
	var files []*os.File
	var seen []fs.FileInfo
	for n := 0; n <= keepRotated; n++ {
		name := path
		if n > 0 {
			name = rotatedPath(path, n)
		}
		f, err := openRegular(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return files, err
		}
		files = append(files, f)
		info, err := f.Stat()
		if err != nil {
			return files, err
		}
		// Renamed under our hands: the same file under its next name.
		if slices.ContainsFunc(seen, func(s fs.FileInfo) bool { return os.SameFile(s, info) }) {
			f.Close()
			files = files[:len(files)-1]
			continue
		}
		seen = append(seen, info)
	}
	slices.Reverse(files)
	return files, nil
}

func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%w: %s", ErrNotRegular, name)
	}
	return f, nil
}

type reader struct {
	filter Filter
	fn     func(Event) error
	stats  Stats
	side   []Event // of side files, sorted, not yet given out
}

// readSide keeps a side file's events for merging; they are few.
func (r *reader) readSide(name string) error {
	f, err := openRegular(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed by a rotation meanwhile
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r.stats.Files++
	return r.lines(f, func(e Event) error {
		r.side = append(r.side, e)
		return nil
	})
}

func (r *reader) readAll(files []*os.File) error {
	for _, f := range files {
		r.stats.Files++
		err := r.lines(f, func(e Event) error {
			if err := r.flush(func(s *Event) bool { return s.Timestamp.Before(e.Timestamp) }); err != nil {
				return err
			}
			return r.give(e)
		})
		if err != nil {
			return err
		}
	}
	return r.flush(func(*Event) bool { return true })
}

// flush gives out the waiting side events as long as they are due.
func (r *reader) flush(due func(*Event) bool) error {
	for len(r.side) > 0 && due(&r.side[0]) {
		e := r.side[0]
		r.side = r.side[1:]
		if err := r.give(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) give(e Event) error {
	r.stats.Events++
	return r.fn(e)
}

// lines decodes the chosen events of one file.
func (r *reader) lines(f *os.File, use func(Event) error) error {
	in := bufio.NewReaderSize(f, 64<<10)
	var long []byte // a line that is larger than the buffer
	skipping := false
	for {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if skipping = skipping || len(long)+len(part) > 2*MaxLineBytes; !skipping {
				long = append(long, part...)
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("decision log %s: %w", f.Name(), err)
		}
		line := part
		if len(long) > 0 {
			line = append(long, part...)
		}
		if skipping {
			r.stats.Bad++
		} else if useErr := r.line(bytes.TrimSpace(line), use); useErr != nil {
			return useErr
		}
		if err != nil {
			return nil
		}
		long, skipping = long[:0], false
	}
}

// line decodes one line when it is chosen.
func (r *reader) line(line []byte, use func(Event) error) error {
	if len(line) == 0 {
		return nil
	}
	if !r.chosen(line) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var e Event
	if err := dec.Decode(&e); err != nil || dec.More() || e.DecisionID == "" {
		r.stats.Bad++
		return nil
	}
	return use(e)
}

// chosen decides by looking into the line, which costs a fraction of decoding
// it. A broken line is chosen, so that it is counted.
func (r *reader) chosen(line []byte) bool {
	if r.filter == (Filter{}) || !gjson.ValidBytes(line) {
		return true
	}
	if !r.filter.Since.IsZero() {
		at, err := time.Parse(time.RFC3339Nano, gjson.GetBytes(line, "timestamp").String())
		if err != nil || at.Before(r.filter.Since) {
			return false
		}
	}
	if r.filter.SessionID == "" {
		return true
	}
	id := gjson.GetBytes(line, "custom."+CustomSessionID).String()
	if id == "" {
		id = gjson.GetBytes(line, "input.session.id").String()
	}
	return id == r.filter.SessionID
}
