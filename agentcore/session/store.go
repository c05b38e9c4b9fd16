package session

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// SyncPolicy says when rows are forced to the disk (fsync). A row always
// survives the end of this process; only a crash of the whole machine can take
// what the system had not written yet.
type SyncPolicy int

const (
	SyncNever SyncPolicy = iota // when the system likes; the default
	SyncRuns                    // at the end of every run, and on Close
	SyncRows                    // every append: costs a disk's latency each
)

// DefaultMaxRow bounds one row, in bytes.
const DefaultMaxRow = 64 << 20

// Options set up a [Store]. Only Root is required.
type Options struct {
	// Root is the folder that holds sessions/. It is made when it is needed.
	Root string
	// Now is the clock of rows; nil: time.Now. Called from every thread's
	// goroutine.
	Now func() time.Time
	// NewID makes ids of sessions, rows and prompts; nil: random UUIDs. Called
	// from every thread's goroutine.
	NewID func() string
	// Version stands in every row as the host's version; empty: "agentcore".
	Version string
	// Sync says when rows are forced to the disk.
	Sync SyncPolicy
	// MaxRow is the length in bytes above which a row is refused when written and
	// skipped when read; 0: [DefaultMaxRow].
	MaxRow int
	// Warn hears of damage that was worked around, such as torn rows; nil: nobody.
	Warn func(message string)
}

// Store is a folder of sessions. Its methods may be called concurrently, also
// from several processes.
type Store struct {
	opts Options
}

// NewStore checks the options. It touches nothing on the disk.
func NewStore(opts Options) (*Store, error) {
	if opts.Root == "" {
		return nil, errors.New("session: no root folder: set Options.Root")
	}
	root, err := filepath.Abs(opts.Root)
	if err != nil {
		return nil, fmt.Errorf("session: root folder: %w", err)
	}
	opts.Root = root
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.NewID == nil {
		opts.NewID = NewUUID
	}
	if opts.Warn == nil {
		opts.Warn = func(string) {}
	}
	opts.Version = cmp.Or(opts.Version, "agentcore")
	if opts.MaxRow <= 0 {
		opts.MaxRow = DefaultMaxRow
	}
	return &Store{opts: opts}, nil
}

// Root is the store's folder, absolute.
func (s *Store) Root() string { return s.opts.Root }

// Dir is the folder of a session, whether it exists or not.
func (s *Store) Dir(id string) string { return filepath.Join(s.opts.Root, "sessions", id) }

// Path is the transcript of a session, whether it exists or not.
func (s *Store) Path(id string) string { return filepath.Join(s.Dir(id), id+".jsonl") }

// TasksDir is where a session's tasks write their output (AC-5). It is below the
// session's folder and goes with it.
func (s *Store) TasksDir(id string) string { return filepath.Join(s.Dir(id), "tasks") }

// Create makes a new session and holds it for writing. It fails when the id is
// taken.
func (s *Store) Create(meta Meta) (*Session, error) {
	id := meta.ID
	if id == "" {
		id = s.opts.NewID()
	}
	if err := checkID("session", id); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(s.opts.Root, "sessions"), 0o700); err != nil {
		return nil, fmt.Errorf("session: make the store: %w", err)
	}
	if err := os.Mkdir(s.Dir(id), 0o700); err != nil {
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("session: %s exists already: open it, or leave the id to the store: %w", id, err)
		}
		return nil, fmt.Errorf("session: make folder: %w", err)
	}
	meta.ID = id
	return s.begin(meta)
}

// Open takes up a session for writing where it ended. It fails with a
// [*NotFoundError], or a [*LockedError] while somebody else writes.
func (s *Store) Open(id string) (*Session, error) {
	if err := checkID("session", id); err != nil {
		return nil, err
	}
	return s.resume(id)
}

// checkID keeps ids usable as file names, everywhere.
func checkID(what, id string) error {
	ok := id != "" && len(id) <= 128 && strings.IndexFunc(id, func(c rune) bool {
		return !(c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	}) < 0
	if !ok {
		return fmt.Errorf("session: %q is no %s id: use up to 128 letters, digits, hyphens and underscores", id, what)
	}
	return nil
}
