package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stophook/stophook/internal/filelock"
)

// Session is the main thread of an agent, held for writing until Close.
//
// It is not safe for concurrent use: one goroutine owns it (RT-1). Subagents'
// threads have owners of their own and may be written at the same time.
type Session struct {
	*Thread
	store *Store
	base  Meta // as it was taken up: what subagents begin with
}

// TasksDir is where the session's tasks write their output (AC-5). It exists.
func (s *Session) TasksDir() string { return s.store.TasksDir(s.ID()) }

// SubagentPath is where a subagent's thread is kept.
func (s *Session) SubagentPath(agentID string) string {
	return filepath.Join(s.store.Dir(s.ID()), "subagents", "agent-"+agentID+".jsonl")
}

// Subagent begins the thread of a subagent, or takes it up where it ended. Its
// rows are marked as a sidechain's and carry the agent's id. Empty fields of
// meta are the session's. It may be called from any goroutine; whoever calls
// owns the thread and closes it. It fails with a [*LockedError] while the thread
// is in use.
func (s *Session) Subagent(agentID string, meta Meta) (*Thread, error) {
	if err := checkID("agent", agentID); err != nil {
		return nil, err
	}
	path := s.SubagentPath(agentID)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("session: make folder of subagents: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("session: open subagent's thread: %w", err)
	}
	if got, err := filelock.TryLock(f); err != nil || !got {
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("session: lock %s: %w", path, err)
		}
		return nil, &LockedError{ID: "agent-" + agentID, Path: path}
	}
	t := newThread(&s.store.opts, s.ID(), agentID, path, f, nil)
	if err := t.load(); err != nil {
		t.Close()
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		return t, nil
	}
	meta.fill(Meta{CWD: s.base.CWD, Model: s.base.Model, Entrypoint: s.base.Entrypoint, GitBranch: s.base.GitBranch,
		PermissionMode: s.base.PermissionMode})
	if err := t.begin(meta); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// begin makes what a new session needs in its folder, which exists and is empty.
func (s *Store) begin(meta Meta) (*Session, error) {
	dir := s.Dir(meta.ID)
	session, err := s.open(meta.ID, os.O_CREATE|os.O_EXCL)
	if err == nil {
		if err = session.Thread.begin(meta); err != nil {
			session.Close()
		}
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	session.base = session.Meta()
	return session, nil
}

// resume opens a session that exists.
func (s *Store) resume(id string) (*Session, error) {
	info, err := os.Lstat(s.Dir(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &NotFoundError{ID: id}
	case err != nil:
		return nil, fmt.Errorf("session: look at folder: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("session: %s is no folder: move it away", s.Dir(id))
	}
	if _, err := os.Lstat(s.Path(id)); errors.Is(err, fs.ErrNotExist) { // perhaps somebody is deleting it
		return nil, fmt.Errorf("session: %s has no transcript: delete it: %w", id, err)
	}
	session, err := s.open(id, 0)
	if err != nil {
		return nil, err
	}
	if err := session.load(); err != nil {
		session.Close()
		return nil, err
	}
	session.base = session.Meta()
	return session, nil
}

// open locks a session and opens its file.
func (s *Store) open(id string, flags int) (*Session, error) {
	held, err := takeLock(s.Dir(id), id)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(s.Path(id), os.O_RDWR|os.O_APPEND|flags, 0o600)
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
			err = errors.New("it is no regular file")
		}
		if err == nil {
			err = os.MkdirAll(s.TasksDir(id), 0o700)
		}
		if err != nil {
			f.Close()
		}
	}
	if err != nil {
		held.release()
		return nil, fmt.Errorf("session: open %s: %w", id, err)
	}
	return &Session{Thread: newThread(&s.opts, id, "", s.Path(id), f, held.release), store: s}, nil
}
