package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is one transcript to read, or a path that could not be looked at.
type file struct {
	path   string
	size   int64
	ledger string // beside it, in the folder of a case; empty when there is none
	err    error
}

// A case of a policy author is a folder with these two: the evidence of the
// transcript's session lies beside it.
const (
	caseTranscript = "transcript.jsonl"
	caseLedger     = "ledger.jsonl"
)

// found is what the paths hold.
type found struct {
	files     []file // by path, each once
	subagents int    // transcripts of subagents, left out
	dirs      map[string]bool
	seen      map[string]bool
}

// ErrNoTranscripts means that the paths hold no transcript at all.
var ErrNoTranscripts = errors.New("no transcript found: name .jsonl files, or folders that hold some")

// find lists the transcripts of files and folders. Links are followed; a folder
// that is reached twice is read once, so that links in a circle end.
func find(paths []string) (*found, error) {
	f := &found{dirs: map[string]bool{}, seen: map[string]bool{}}
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil {
			return nil, fmt.Errorf("%w; name a session's .jsonl file or a folder of them", err)
		}
		if st.IsDir() {
			f.folder(p)
		} else {
			f.file(p, st)
		}
	}
	if len(f.files) == 0 && f.subagents == 0 {
		return nil, fmt.Errorf("%s: %w", strings.Join(paths, ", "), ErrNoTranscripts)
	}
	slices.SortFunc(f.files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	return f, nil
}

func (f *found) folder(dir string) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil && f.dirs[real] {
		return
	}
	f.dirs[real] = true
	entries, readErr := os.ReadDir(dir)
	if err = cmp.Or(err, readErr); err != nil {
		f.files = append(f.files, file{path: dir, err: err})
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		isTranscript := strings.HasSuffix(e.Name(), ".jsonl")
		if !e.IsDir() && e.Type()&fs.ModeSymlink == 0 && !isTranscript {
			continue
		}
		st, err := os.Stat(path)
		switch {
		case err != nil:
			if isTranscript {
				f.files = append(f.files, file{path: path, err: err})
			}
		case st.IsDir() && e.Name() == "subagents":
			f.subagents += transcripts(path)
		case st.IsDir():
			f.folder(path)
		case e.Name() == caseLedger && isFile(filepath.Join(dir, caseTranscript)):
		case isTranscript:
			f.file(path, st)
		}
	}
}

// file adds a transcript unless it was reached by another way.
func (f *found) file(path string, st fs.FileInfo) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	if abs, err := filepath.Abs(real); err == nil {
		real = abs
	}
	if f.seen[real] {
		return
	}
	f.seen[real] = true
	one := file{path: path, size: st.Size()}
	if beside := filepath.Join(filepath.Dir(path), caseLedger); filepath.Base(path) == caseTranscript && isFile(beside) {
		one.ledger = beside
	}
	if !st.Mode().IsRegular() {
		one.size, one.err = 0, fmt.Errorf("%s is no regular file", path)
	}
	f.files = append(f.files, one)
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// transcripts counts the transcripts of subagents below a folder.
func transcripts(dir string) int {
	n := 0
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(e.Name(), ".jsonl") {
			n++
		}
		return nil
	})
	return n
}
