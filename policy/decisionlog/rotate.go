package decisionlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sidePrefix is what the names of a log's side files begin with.
func sidePrefix(path string) string { return strings.TrimSuffix(path, ".jsonl") + "." }

// sideFiles lists the side files that exist, in the order of their names.
func sideFiles(path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	prefix := filepath.Base(sidePrefix(path))
	var out []string
	for _, entry := range entries {
		rest, ok := strings.CutPrefix(entry.Name(), prefix)
		if !ok {
			continue
		}
		digits, ok := strings.CutSuffix(rest, ".jsonl")
		if _, err := strconv.Atoi(digits); ok && err == nil {
			out = append(out, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	return out
}

// rotate renames the log away; the caller holds its lock. What is renamed over is
// the oldest file, and with it go the side files that hold nothing younger.
func (w *Writer) rotate() error {
	oldest := rotatedPath(w.Path, keepRotated)
	if gone, err := os.Lstat(oldest); err == nil {
		for _, side := range sideFiles(w.Path) {
			if info, err := os.Lstat(side); err == nil && info.ModTime().Before(gone.ModTime()) {
				_ = os.Remove(side)
			}
		}
	}
	for n := keepRotated; n > 1; n-- {
		err := os.Rename(rotatedPath(w.Path, n-1), rotatedPath(w.Path, n))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(w.Path, rotatedPath(w.Path, 1))
}

func rotatedPath(path string, n int) string { return path + "." + strconv.Itoa(n) }
