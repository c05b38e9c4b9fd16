package execctx

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// DefaultMaxBackgroundTasks is how many tasks may run at once in a
// [ProcessContext] when its options do not say (EX-45, D-14).
const DefaultMaxBackgroundTasks = 8

// NoTaskLimit, as ProcessOptions.MaxBackgroundTasks, lifts the limit.
const NoTaskLimit = -1

// ProcessOptions sets up a [ProcessContext]. The zero value is usable.
type ProcessOptions struct {
	// CWD is the working directory of handles that give none; empty: that of
	// this program when the handle is made.
	CWD string
	// Env is the environment that commands start from, as K=V; nil: that of this
	// program when the context is made. Handles and requests add to it.
	Env []string
	// MaxBackgroundTasks limits the tasks that run at once, of all handles
	// together; 0: [DefaultMaxBackgroundTasks], negative: no limit. (D-14 writes
	// no limit as 0. Here the zero value is the safe one.)
	MaxBackgroundTasks int
	// KillGrace is the time from SIGTERM to SIGKILL; 0: 5 s (D-15).
	KillGrace time.Duration
	// Clock tells the time, ends waits and watches for silence; nil:
	// [SystemClock].
	Clock Clock
	// NewID makes the id of a handle that is given none; nil: random ones. An id
	// that is in use makes Spawn fail.
	NewID func() string
	// Warn is told what no call can return: a callback that panicked, a process
	// that even SIGKILL did not end. It is called with nothing locked, from any
	// goroutine, by several at once. Nil: slog.Default gets it.
	Warn func(error)
}

// ProcessContext runs commands as child processes of this program, each in a
// process group of its own, through /bin/sh -c (EX-30). Its tasks live no longer
// than the program: what Destroy was not called for goes on as an orphan when
// the program is killed (EX-51).
//
// On Windows it runs nothing: its capability is [DetachedNone], and commands fail
// with an error that says so (D-50).
type ProcessContext struct {
	opts  ProcessOptions // with defaults filled in
	stamp string         // of all log files of this context (EX-35)
	start startProcess

	// launching is held while a task gets its id and its file and is started, so
	// that ids have no gaps and follow the order of starts (EX-33). A channel,
	// because who waits for it must heed a context.
	launching chan struct{}

	// mu guards everything below and what owners and tasks say it guards. It is
	// never held across a callback, a wait, file access or the start of a
	// process. Locks of a log, or of a foreground call, are never taken under it.
	mu      sync.Mutex
	owners  map[string]*owner // by the handle's id
	lastID  int               // number of the newest task
	running int               // background tasks
}

// startProcess is proc.Start, or what a test puts in its place.
type startProcess func(proc.Config) (process, error)

// process is what the context needs of a proc.Process.
type process interface {
	PID() int
	Terminate()
	TerminateNow()
	Done() <-chan struct{}
	End() proc.End
	Vacant() bool
	Release() (left []int)
}

// owner is one handle and what runs for it, in two registries that are never
// merged (EX-14). The context's lock guards what can change.
type owner struct {
	Handle
	env   []string                // complete, for commands that add nothing
	tasks []*task                 // background, also ended ones, in the order of ids
	calls map[foreground]struct{} // foreground, until they are over

	// kept are ended foreground commands that left something running in their
	// group.
	kept []process

	// starting counts starts that were let in and have not registered what they
	// started, or failed. It grows only while gone is false.
	starting sync.WaitGroup

	gone      bool          // Destroy was called: unknown to everybody else
	destroyed chan struct{} // made with gone, closed when nothing is left
}

// foreground is a foreground call as Destroy sees it.
type foreground interface {
	// terminate asks the command's group to end and returns at once.
	terminate()
	// ended is closed when the command is over, or was moved.
	ended() <-chan struct{}
}

var (
	_ Lifecycle            = (*ProcessContext)(nil)
	_ BackgroundExecutor   = (*ProcessContext)(nil)
	_ BackgroundKiller     = (*ProcessContext)(nil)
	_ BackgroundLister     = (*ProcessContext)(nil)
	_ BackgroundWaiter     = (*ProcessContext)(nil)
	_ BackgroundReassigner = (*ProcessContext)(nil)
)

// NewProcess gives a context without handles.
func NewProcess(opts ProcessOptions) *ProcessContext {
	return newProcess(opts, func(cfg proc.Config) (process, error) {
		p, err := proc.Start(cfg)
		if err != nil {
			return nil, err // not p: a nil *Process is no nil process
		}
		return p, nil
	})
}

func newProcess(opts ProcessOptions, start startProcess) *ProcessContext {
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	if opts.MaxBackgroundTasks == 0 {
		opts.MaxBackgroundTasks = DefaultMaxBackgroundTasks
	}
	if opts.KillGrace <= 0 {
		opts.KillGrace = proc.DefaultGrace
	}
	if opts.Clock == nil {
		opts.Clock = SystemClock{}
	}
	if opts.NewID == nil {
		opts.NewID = func() string { return "process_" + strings.ToLower(rand.Text()) }
	}
	if opts.Warn == nil {
		opts.Warn = func(err error) { slog.Default().Warn(err.Error()) }
	}
	return &ProcessContext{
		opts: opts, stamp: FormatStamp(opts.Clock.Now()), start: start,
		launching: make(chan struct{}, 1), owners: map[string]*owner{},
	}
}

// Capabilities implements [Lifecycle] (EX-22, D-50).
func (c *ProcessContext) Capabilities() Capabilities {
	if runtime.GOOS == "windows" {
		return Capabilities{DetachedTasks: DetachedNone}
	}
	return Capabilities{DetachedTasks: DetachedProcessLifetime, Push: true}
}

// Spawn implements [Lifecycle]. An id that the context knows gives the same
// handle again; a CWD or an Env then replaces the old one for later commands.
func (c *ProcessContext) Spawn(ctx context.Context, cfg SpawnConfig) (Handle, error) {
	if ctx.Err() != nil {
		return Handle{}, context.Cause(ctx)
	}
	dir, err := filepath.Abs(inDir(c.opts.CWD, cfg.CWD))
	if err != nil {
		return Handle{}, fmt.Errorf("find the working directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Handle{}, fmt.Errorf("create the working directory: %w", err)
	}
	env, err := addEnv(c.opts.Env, cfg.Env)
	if err != nil {
		return Handle{}, err
	}
	id := cfg.HandleID
	if id == "" {
		id = c.opts.NewID()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.owners[id]
	if o == nil || o.gone {
		o = &owner{Handle: Handle{ID: id, Type: "process", CWD: dir}, env: env, calls: map[foreground]struct{}{}}
		c.owners[id] = o
		return o.Handle, nil
	}
	if cfg.HandleID == "" {
		return Handle{}, fmt.Errorf("execctx: new handle: the id %q is in use", id)
	}
	if cfg.CWD != "" {
		o.CWD = dir
	}
	if cfg.Env != nil {
		o.env = env
	}
	return o.Handle, nil
}

// place is where and with what a command of a handle starts.
type place struct {
	dir string // the handle's
	env []string
}

// enter lets a start in: Destroy waits until leave is called, by when what was
// started is registered with the owner, and ends it then. Error:
// [ErrUnknownHandle].
func (c *ProcessContext) enter(h Handle) (o *owner, at place, leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o = c.owners[h.ID]
	if o == nil || o.gone {
		return nil, place{}, nil, ErrUnknownHandle
	}
	o.starting.Add(1)
	return o, place{dir: o.CWD, env: o.env}, o.starting.Done, nil
}

// resolve gives the directory and environment of one command.
func (p place) resolve(cwd string, add map[string]string) (dir string, env []string, err error) {
	env, err = addEnv(p.env, add)
	return inDir(p.dir, cwd), env, err
}

// inDir is name as seen from dir, and dir itself for no name.
func inDir(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// addEnv gives base with variables added over it, in a fixed order. Base is not
// changed.
func addEnv(base []string, add map[string]string) ([]string, error) {
	if len(add) == 0 {
		return base, nil
	}
	env := slices.DeleteFunc(slices.Clone(base), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, replaced := add[name]
		return replaced
	})
	inherited := len(env)
	for name, value := range add {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
			return nil, fmt.Errorf("environment: %q cannot be set to %q", name, value)
		}
		env = append(env, name+"="+value)
	}
	slices.Sort(env[inherited:])
	return env, nil
}
