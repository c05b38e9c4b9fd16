//go:build !unix

package supervised

import (
	"context"
	"time"

	"github.com/stophook/stophook/execctx"
)

// Context cannot be had on this system.
type Context struct{ execctx.ExecutionContext }

// New fails with [ErrUnsupported].
func New(opts Options) (*Context, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	return nil, ErrUnsupported
}

// RunIfSupervisor does nothing: no program is started as a supervisor.
func RunIfSupervisor() {}

// Main panics: there are no supervisors on this system.
func Main() { panic(ErrUnsupported) }

// Close does nothing.
func (c *Context) Close() error { return nil }

// ReadOutput fails with [ErrUnsupported].
func (c *Context) ReadOutput(context.Context, execctx.Handle, string, int64, int) ([]byte, int64, error) {
	return nil, 0, ErrUnsupported
}

// LastOutput fails with [ErrUnsupported].
func (c *Context) LastOutput(context.Context, execctx.Handle, string) (time.Time, error) {
	return time.Time{}, ErrUnsupported
}

// Prune fails with [ErrUnsupported].
func (c *Context) Prune(context.Context, time.Duration, bool) (int, error) { return 0, ErrUnsupported }
