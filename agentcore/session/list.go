package session

import "time"

// Info is one line of a list of sessions.
type Info struct {
	ID      string
	Path    string
	Title   string // recorded, else the first prompt, cut to one line
	CWD     string
	Model   string
	Created time.Time
	Last    time.Time // of the latest row with a time, else the file's
	Turns   int
	Size    int64 // of the transcript, bytes
	CostUSD float64
	ForkOf  string
	InUse   bool
	// Problem says what is wrong with a session that cannot be listed properly.
	Problem string
}

// List tells of every session of the store, the latest first. Broken ones are
// listed with their problem. It reads the ends of files, not all of them.
func (s *Store) List() ([]Info, error) { return nil, errNotYet }

// Fork copies a session up to and including the row with the uuid at (empty: all
// of it) into a new one, which is opened. The original may be in use.
func (s *Store) Fork(id, at string) (*Session, error) { return nil, errNotYet }

// Delete removes a session with its subagents and the output of its tasks
// (AC-5). It fails with a [*LockedError] while somebody writes it. Tasks that
// still run are not ended: that is their context's to do, before.
func (s *Store) Delete(id string) error { return errNotYet }

func (s *Store) begin(meta Meta) (*Session, error) { return nil, errNotYet }

func (s *Store) resume(id string) (*Session, error) { return nil, errNotYet }
