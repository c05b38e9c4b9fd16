package execctx

import "context"

// ExecutionContext is a place where commands run and files lie. All methods may
// be called from several goroutines at once.
type ExecutionContext interface {
	Lifecycle
	Executor
	Files
}

// Lifecycle binds owners to a context and releases what they hold.
type Lifecycle interface {
	// Capabilities says what the context can do. It never changes.
	Capabilities() Capabilities
	// Spawn gives a handle, ready to use. The working directory is created when
	// it is missing.
	Spawn(ctx context.Context, cfg SpawnConfig) (Handle, error)
	// Destroy ends every process that runs for the handle, foreground and
	// background, waits until their output is flushed and closed, and forgets
	// the tasks; output files stay (EX-47, EX-49). It is safe with nothing to
	// end, and to repeat (EX-48). When ctx ends first it returns the reason; the
	// processes are killed all the same.
	Destroy(ctx context.Context, h Handle) error
}

// Executor runs commands in the foreground.
type Executor interface {
	// Exec runs a command and waits for its end (EX-53). A non-zero exit or a
	// timeout is a result and no error. When ctx ends, the whole process group is
	// ended and the result so far comes with the context's cause as the error.
	Exec(ctx context.Context, h Handle, req ExecRequest) (ExecResult, error)
}

// Files reaches the files of a context. Relative paths start at the handle's
// working directory. There is no policy about paths here: whoever offers these
// to a model restricts them first.
type Files interface {
	// ReadFile gives the content of a file; errors match fs.ErrNotExist and the
	// like.
	ReadFile(ctx context.Context, h Handle, path string) ([]byte, error)
	// WriteFile replaces a file as a whole or not at all, creating the folders
	// above it. An existing file keeps its mode; a new one gets 0644.
	WriteFile(ctx context.Context, h Handle, path string, data []byte) error
	// ListFiles gives the entries of a folder, by name, not descending.
	ListFiles(ctx context.Context, h Handle, path string) ([]FileInfo, error)
}

// Handle names one owner of work in a context. It is a value: it can be stored
// and, with a durable context, used by another process later (EX-81).
type Handle struct {
	ID   string `json:"id"`
	Type string `json:"type"` // of the context: process, mock, supervised, …
	CWD  string `json:"cwd"`  // absolute
}

// SpawnConfig says what a new handle is bound to. The zero value is usable.
type SpawnConfig struct {
	// HandleID binds to a known id: in a durable context the tasks of an earlier
	// process on that id are found again. Empty: a new one is made.
	HandleID string
	// CWD is where commands run. Empty: the context's own, by default the
	// working directory of this program.
	CWD string
	// Env is added to the environment of the handle's commands, over the
	// context's.
	Env map[string]string
}

// FileInfo is one entry of a folder.
type FileInfo struct {
	Name string `json:"name"`
	Dir  bool   `json:"dir,omitempty"`
	Size int64  `json:"size"` // bytes; 0 for folders
}
