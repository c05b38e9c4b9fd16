package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Delete removes a session with its subagents and the output of its tasks
// (AC-5). It fails with a [*LockedError] while somebody writes it. Tasks that
// still run are not ended: that is their context's to do, before. When it fails
// half way, the transcript is gone first; delete again.
func (s *Store) Delete(id string) error {
	if err := checkID("session", id); err != nil {
		return err
	}
	dir := s.Dir(id)
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &NotFoundError{ID: id}
	case err != nil:
		return fmt.Errorf("session: look at folder: %w", err)
	case !info.IsDir():
		return fmt.Errorf("session: %s is no folder: move it away", dir)
	}
	held, err := takeLock(dir, id)
	if err != nil {
		return err
	}
	err = removeHeld(dir, s.Path(id))
	// Windows removes no open file, so the lock goes last and is given back first.
	// Who takes it in between finds no transcript.
	held.release()
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		return fmt.Errorf("session: delete %s: %w", id, err)
	}
	return nil
}

// removeHeld removes everything in a session's folder but its lock.
func removeHeld(dir, transcript string) error {
	if err := os.Remove(transcript); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
