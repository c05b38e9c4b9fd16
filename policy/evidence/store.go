package evidence

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// Errors of naming a store or a session.
var (
	// ErrNoSession means that the session id is empty, so nothing can be filed.
	ErrNoSession = errors.New("the session is unknown: pass --session ID or set CLAUDE_CODE_SESSION_ID")
	// ErrNoStateDir means that no folder for state is known.
	ErrNoStateDir = errors.New("no folder for state is known: set XDG_STATE_HOME to an absolute path, set HOME, or pass --state-dir")
	// ErrLockTimeout means that another process held the session's lock for too long.
	ErrLockTimeout = errors.New("the session's lock is held by another process")
)

// UnsafePathError reports something below the store's folder that is not what
// the store would have made: a symbolic link, a device, a file for a folder.
type UnsafePathError struct {
	Path    string
	Problem string // "is a symbolic link", "is not a regular file", "is not a folder"
}

func (e *UnsafePathError) Error() string {
	return fmt.Sprintf("%s %s: remove it, or choose another --state-dir", e.Path, e.Problem)
}

const (
	sessionsFolder  = "sessions"
	lockName        = "lock"
	defaultLockWait = 2 * time.Second
	maxFolderName   = 100 // bytes
	hashDigits      = 16
)

// Store is the folder in which all sessions are kept. The zero value of every
// field but Dir is usable; set fields before first use and not afterwards.
type Store struct {
	Dir   string           // required; may be reached through links, nothing below it may
	Now   func() time.Time // default time.Now
	NewID func() string    // ids of events; default 16 random hex digits
	Rand  io.Reader        // source of check ids; default crypto/rand
	// LockWait bounds the wait for a session's lock. Default 2 s.
	LockWait time.Duration
}

// DefaultDir is $XDG_STATE_HOME/stophook, or .local/state/stophook under home.
// A relative XDG_STATE_HOME is ignored, as the XDG base directory rules ask for.
// With neither it returns [ErrNoStateDir].
func DefaultDir(getenv func(string) string, home string) (string, error) {
	if base := getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "stophook"), nil
	}
	if filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "stophook"), nil
	}
	return "", ErrNoStateDir
}

// Session names one session. It touches no file. The errors are [ErrNoSession]
// and [ErrNoStateDir].
func (st Store) Session(id string) (*Session, error) {
	if id == "" {
		return nil, ErrNoSession
	}
	if st.Dir == "" {
		return nil, ErrNoStateDir
	}
	if st.Now == nil {
		st.Now = time.Now
	}
	if st.NewID == nil {
		st.NewID = randomID
	}
	if st.LockWait <= 0 {
		st.LockWait = defaultLockWait
	}
	return &Session{store: st, id: id, folder: folderName(id, foldsCase())}, nil
}

// Session is the evidence of one session. It holds no open files.
type Session struct {
	store  Store
	id     string
	folder string
}

// ID is the id as the host gave it.
func (s *Session) ID() string { return s.id }

// Path is the session's folder, which need not exist yet.
func (s *Session) Path() string {
	return filepath.Join(s.store.Dir, sessionsFolder, s.folder)
}

func (s *Session) now() time.Time { return s.store.Now().UTC().Round(0) }

func (s *Session) open(create bool) (folder, error) {
	return openFolder(s.store.Dir, []string{sessionsFolder, s.folder}, create)
}

// folderName turns an id into a name no other id gets. A clean id is its own
// name. Any other is spelled with underscores and closed with a hash of the
// whole id; an id that already looks closed like that is not clean either, so
// nobody can pick an id that lands in another session's folder. With fold
// (file systems that ignore case) capital letters need the hash as well.
func folderName(id string, fold bool) string {
	clean := len(id) <= maxFolderName && id[0] != '.' && !looksHashed(id)
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			clean = clean && !fold
			return r
		}
		clean = false
		return '_'
	}, id)
	if clean {
		return name
	}
	if name[0] == '.' {
		name = "_" + name[1:]
	}
	sum := sha256.Sum256([]byte(id))
	name = name[:min(len(name), maxFolderName-1-hashDigits)]
	return name + "-" + hex.EncodeToString(sum[:hashDigits/2])
}

func looksHashed(id string) bool {
	cut := len(id) - hashDigits - 1
	if cut < 0 || id[cut] != '-' {
		return false
	}
	for _, c := range []byte(id[cut+1:]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func randomID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b[:])
}
