package decisionlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
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
	odd := 0
	stats, err := ReadLines(path, filter, func(l Line) error {
		e, err := l.Event()
		if err != nil {
			odd++
			return nil
		}
		return fn(e)
	})
	stats.Events -= odd
	stats.Bad += odd
	return stats, err
}

// ReadLines is [Read] for who looks at few events or few of their fields: the
// lines come as they are, undecoded, and go when fn returns.
func ReadLines(path string, filter Filter, fn func(Line) error) (Stats, error) {
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
	r.sortSide()
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
	f, err := openPlain(name, os.O_RDONLY)
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
	fn     func(Line) error
	stats  Stats
	side   []Line // of side files, sorted, not yet given out
}

// readSide keeps a side file's lines for merging; they are few.
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
	_, err = r.lines(f, f.Name(), true, r.keepSide)
	return err
}

func (r *reader) keepSide(l Line) error {
	l.Raw = bytes.Clone(l.Raw)
	r.side = append(r.side, l)
	return nil
}

func (r *reader) sortSide() {
	slices.SortStableFunc(r.side, func(a, b Line) int { return a.Time.Compare(b.Time) })
}

func (r *reader) readAll(files []*os.File) error {
	for _, f := range files {
		r.stats.Files++
		if _, err := r.lines(f, f.Name(), true, r.merge); err != nil {
			return err
		}
	}
	return r.flush(func(*Line) bool { return true })
}

// merge gives a line out behind the side lines that are older.
func (r *reader) merge(l Line) error {
	if err := r.flush(func(s *Line) bool { return s.Time.Before(l.Time) }); err != nil {
		return err
	}
	return r.give(l)
}

// flush gives out the waiting side lines as long as they are due.
func (r *reader) flush(due func(*Line) bool) error {
	for len(r.side) > 0 && due(&r.side[0]) {
		l := r.side[0]
		r.side = r.side[1:]
		if err := r.give(l); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) give(l Line) error {
	r.stats.Events++
	return r.fn(l)
}

// lines goes over the chosen lines of a file, from where in stands, and tells how
// many bytes are done with. What follows the last newline is a line only with
// last set; else it is left for the next time.
func (r *reader) lines(in io.Reader, name string, last bool, use func(Line) error) (done int64, err error) {
	buf := bufio.NewReaderSize(in, 64<<10)
	var long []byte // a line that is larger than the buffer
	var pending int64
	skipping := false
	for {
		part, err := buf.ReadSlice('\n')
		pending += int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			if skipping = skipping || len(long)+len(part) > 2*MaxLineBytes; !skipping {
				long = append(long, part...)
			}
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return done, fmt.Errorf("decision log %s: %w", name, err)
		}
		if err != nil && !last {
			return done, nil
		}
		line := part
		if len(long) > 0 {
			line = append(long, part...)
		}
		done, pending = done+pending, 0
		if skipping {
			r.stats.Bad++
		} else if useErr := r.line(bytes.TrimSpace(line), use); useErr != nil {
			return done, useErr
		}
		if err != nil {
			return done, nil
		}
		long, skipping = long[:0], false
	}
}

// line takes one line when it is an event and is chosen. It looks into the line,
// which costs a fraction of decoding it. A broken line is no event of anybody, so
// it is counted whatever is chosen.
func (r *reader) line(raw []byte, use func(Line) error) error {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")) // an editor of Windows saved the file
	if len(raw) == 0 {
		return nil
	}
	l, ok := parseLine(raw)
	if !ok {
		r.stats.Bad++
		return nil
	}
	if r.filter.SessionID != "" && l.SessionID() != r.filter.SessionID ||
		!r.filter.Since.IsZero() && l.Time.Before(r.filter.Since) {
		return nil
	}
	return use(l)
}
