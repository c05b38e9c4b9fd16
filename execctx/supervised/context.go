//go:build unix

package supervised

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/stophook/stophook/execctx"
)

// handleType is the Type of handles of this package.
const handleType = "supervised"

// Context is an execution context with durable tasks on one machine. Foreground
// commands and files are those of a [execctx.ProcessContext]: commands in the
// foreground end with the program, and cannot be moved to the background.
//
// Its methods may be called from several goroutines; several Contexts, in one or
// in several programs, may work on one store.
type Context struct {
	opts  Options
	stamp string // of all log files of this context (EX-35)
	store *store
	near  *execctx.ProcessContext // runs what is in the foreground

	reapers sync.WaitGroup

	mu       sync.Mutex
	owners   map[string]*owner // by the handle's id
	children map[*child]bool   // supervisors that this program must reap
	closed   bool
}

// owner is one handle that is bound here. The context's lock guards it.
type owner struct {
	execctx.Handle
	env map[string]string

	starting  sync.WaitGroup // launches that were let in; grows only while gone is false
	gone      bool           // Destroy was called
	destroyed chan struct{}  // made with gone, closed when nothing is left
	failed    error          // why something is left; set before destroyed is closed
}

var (
	_ execctx.ExecutionContext     = (*Context)(nil)
	_ execctx.BackgroundExecutor   = (*Context)(nil)
	_ execctx.BackgroundKiller     = (*Context)(nil)
	_ execctx.BackgroundLister     = (*Context)(nil)
	_ execctx.BackgroundWaiter     = (*Context)(nil)
	_ execctx.BackgroundReassigner = (*Context)(nil)
)

// New opens a store, and creates it when it is missing. It starts nothing.
func New(opts Options) (*Context, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	store, err := openStore(opts.Dir, opts.Warn)
	if err != nil {
		return nil, fmt.Errorf("supervised: %w", err)
	}
	return &Context{
		opts: opts, stamp: execctx.FormatStamp(opts.Clock.Now()), store: store,
		near: execctx.NewProcess(execctx.ProcessOptions{
			CWD: opts.CWD, Env: opts.Env, KillGrace: opts.KillGrace, Clock: opts.Clock, NewID: opts.NewID, Warn: opts.Warn,
		}),
		owners: map[string]*owner{}, children: map[*child]bool{},
	}, nil
}

// Capabilities implements [execctx.Lifecycle] (EX-22, EX-80).
func (c *Context) Capabilities() execctx.Capabilities {
	return execctx.Capabilities{DetachedTasks: execctx.DetachedDurable}
}

// Spawn implements [execctx.Lifecycle]. An id whose tasks are in the store is
// bound to them (EX-81). An id that is bound here already gives the same handle
// again; a CWD or an Env then replaces the old one for later commands.
func (c *Context) Spawn(ctx context.Context, cfg execctx.SpawnConfig) (execctx.Handle, error) {
	if !utf8.ValidString(cfg.HandleID) {
		return execctx.Handle{}, fmt.Errorf("supervised: no handle can be called %q", cfg.HandleID)
	}
	for name, value := range cfg.Env {
		if err := checkVariable(name, value); err != nil {
			return execctx.Handle{}, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return execctx.Handle{}, errClosed
	}
	known := c.owners[cfg.HandleID]
	if known != nil && known.gone {
		return execctx.Handle{}, fmt.Errorf("%w: %s is being destroyed", execctx.ErrUnknownHandle, cfg.HandleID)
	}
	h, err := c.near.Spawn(ctx, cfg)
	if err != nil {
		return execctx.Handle{}, err
	}
	h.Type = handleType
	if known == nil {
		known = &owner{env: maps.Clone(cfg.Env)}
		c.owners[h.ID] = known
	} else if cfg.Env != nil {
		known.env = maps.Clone(cfg.Env)
	}
	known.Handle = h
	return h, nil
}

var errClosed = errors.New("supervised: the context is closed")

// enter lets a launch in: Destroy waits until leave is called and ends what was
// started. Error: [execctx.ErrUnknownHandle].
func (c *Context) enter(h execctx.Handle) (cwd string, env map[string]string, leave func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.owners[h.ID]
	if o == nil || o.gone || c.closed {
		return "", nil, nil, execctx.ErrUnknownHandle
	}
	o.starting.Add(1)
	return o.CWD, o.env, o.starting.Done, nil
}

// gone tells whether a handle is being destroyed here.
func (c *Context) gone(h execctx.Handle) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.owners[h.ID]
	return o != nil && o.gone
}

// bound tells whether a handle is usable here.
func (c *Context) bound(h execctx.Handle) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.owners[h.ID]
	return o != nil && !o.gone
}

// Close lets go of the store: tasks run on and can be found by any other context,
// which is what they are here for. Foreground commands are ended. Handles are
// unknown afterwards.
func (c *Context) Close() error {
	c.mu.Lock()
	c.closed = true
	owners := slices.Collect(maps.Values(c.owners))
	for child := range c.children {
		child.letGo()
	}
	c.mu.Unlock()
	var errs []error
	for _, o := range owners {
		errs = append(errs, c.near.Destroy(context.Background(), o.Handle))
	}
	c.mu.Lock()
	for _, o := range owners {
		if !o.gone {
			delete(c.owners, o.ID)
		}
	}
	c.mu.Unlock()
	c.reapers.Wait()
	return errors.Join(errs...)
}

// Exec implements [execctx.Executor].
func (c *Context) Exec(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error) {
	return c.near.Exec(ctx, h, req)
}

// ReadFile implements [execctx.Files].
func (c *Context) ReadFile(ctx context.Context, h execctx.Handle, path string) ([]byte, error) {
	return c.near.ReadFile(ctx, h, path)
}

// WriteFile implements [execctx.Files].
func (c *Context) WriteFile(ctx context.Context, h execctx.Handle, path string, data []byte) error {
	return c.near.WriteFile(ctx, h, path, data)
}

// ListFiles implements [execctx.Files].
func (c *Context) ListFiles(ctx context.Context, h execctx.Handle, path string) ([]execctx.FileInfo, error) {
	return c.near.ListFiles(ctx, h, path)
}

// inDir is name as seen from dir, and dir itself for no name.
func inDir(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

func checkVariable(name, value string) error {
	if name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0) {
		return fmt.Errorf("environment: %q cannot be set to %q", name, value)
	}
	return nil
}

// environment gives base with variables added over it, later ones over earlier
// ones, in a fixed order.
func environment(base []string, add ...map[string]string) ([]string, error) {
	all := map[string]string{}
	for _, vars := range add {
		for name, value := range vars {
			if err := checkVariable(name, value); err != nil {
				return nil, err
			}
			all[name] = value
		}
	}
	env := slices.DeleteFunc(slices.Clone(base), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, replaced := all[name]
		return replaced || name == supervisorMark
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		env = append(env, name+"="+all[name])
	}
	return env, nil
}
