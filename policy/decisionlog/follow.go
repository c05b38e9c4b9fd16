package decisionlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// Follower reads a log and then, call by call, what was added to it, across
// rotations and in side files. Set Path, and Filter when not all is wanted; call
// Close in the end. It is for one goroutine, and takes no lock.
//
// The files it knows stay open, so that one which a rotation has renamed or
// removed is read to its end, and no new file can pass for an old one.
type Follower struct {
	Path   string
	Filter Filter

	known []*followed
}

// followed is one file and how much of it was read.
type followed struct {
	file   *os.File
	info   fs.FileInfo
	offset int64
	side   bool
	seen   bool // it was there when the log was last looked at
}

// Poll calls fn for the events that came since the last call, oldest first, and
// for all on the first call. A line without its newline waits: somebody writes it
// just now, or a crash left it and the next writer will end it. An error of fn ends
// the call and is returned; what it left out is not given again.
func (f *Follower) Poll(fn func(Line) error) (Stats, error) {
	if err := f.look(); err != nil {
		return Stats{}, err
	}
	r := reader{filter: f.Filter, fn: fn}
	err := f.read(&r)
	f.forget()
	return r.stats, err
}

// Close closes the files.
func (f *Follower) Close() {
	for _, k := range f.known {
		k.file.Close()
	}
	f.known = nil
}

// look finds the files of now. What is known keeps its place; files that are gone
// stand before the others, because they are older.
func (f *Follower) look() error {
	files, err := openAll(f.Path)
	defer func() {
		for _, file := range files {
			if file != nil {
				file.Close()
			}
		}
	}()
	if err != nil {
		return err
	}
	logs := len(files)
	for _, name := range sideFiles(f.Path) {
		file, err := openRegular(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	for _, k := range f.known {
		k.seen = false
	}
	var now []*followed
	for i, file := range files {
		info, err := file.Stat()
		if err != nil {
			return fmt.Errorf("decision log %s: %w", file.Name(), err)
		}
		at := slices.IndexFunc(f.known, func(k *followed) bool { return os.SameFile(k.info, info) })
		if at >= 0 {
			f.known[at].seen = true
			now = append(now, f.known[at])
			continue
		}
		now = append(now, &followed{file: file, info: info, side: i >= logs, seen: true})
		files[i] = nil // it is kept open
	}
	gone := slices.DeleteFunc(slices.Clone(f.known), func(k *followed) bool { return k.seen })
	f.known = append(gone, now...)
	return nil
}

// read gives out what is new in all files, side files merged in by time.
func (f *Follower) read(r *reader) error {
	for _, k := range f.known {
		if k.side {
			if err := k.read(r, r.keepSide); err != nil {
				return err
			}
		}
	}
	r.sortSide()
	for _, k := range f.known {
		if !k.side {
			if err := k.read(r, r.merge); err != nil {
				return err
			}
		}
	}
	return r.flush(func(*Line) bool { return true })
}

func (k *followed) read(r *reader, use func(Line) error) error {
	info, err := k.file.Stat()
	if err != nil {
		return fmt.Errorf("decision log %s: %w", k.file.Name(), err)
	}
	if info.Size() < k.offset {
		k.offset = 0 // somebody emptied it
	}
	if info.Size() == k.offset {
		return nil
	}
	r.stats.Files++
	done, err := r.lines(io.NewSectionReader(k.file, k.offset, info.Size()-k.offset), k.file.Name(), false, use)
	k.offset += done
	return err
}

// forget closes the files that are gone; they were read to their ends.
func (f *Follower) forget() {
	f.known = slices.DeleteFunc(f.known, func(k *followed) bool {
		if !k.seen {
			k.file.Close()
		}
		return !k.seen
	})
}
