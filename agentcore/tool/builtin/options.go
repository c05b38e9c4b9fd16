package builtin

import (
	"time"

	"github.com/stophook/stophook/agentcore/tool"
)

// Options sets up the tools. The zero value is usable.
type Options struct {
	Shell ShellOptions
	// MaxFileBytes is the largest file that edit and grep take; 0: 10 MiB.
	MaxFileBytes int64
	// NoIgnore makes searches look at what .gitignore files name, too.
	NoIgnore bool
}

// ShellOptions sets up the shell tool. The zero value is usable.
type ShellOptions struct {
	// DefaultTimeout is that of calls that give none; 0: 2 minutes.
	DefaultTimeout time.Duration
	// MaxTimeout is the longest that a call may ask for; 0: 10 minutes.
	MaxTimeout time.Duration
	// Env is added to the environment of every command.
	Env map[string]string
	// MaxOutput is how much output is kept, in bytes; 0: [tool.DefaultMaxOutput].
	MaxOutput int
	// NoBackground keeps commands in the foreground, whatever the agent offers
	// (AC-3).
	NoBackground bool
}

func (o Options) maxFile() int64 {
	if o.MaxFileBytes > 0 {
		return o.MaxFileBytes
	}
	return 10 << 20
}

// All gives every tool, in a fixed order. Those for background tasks come last and
// drop out where an agent does not offer it ([tool.AdaptAll]).
func All(opts Options) []tool.Tool {
	tools := []tool.Tool{
		NewShell(opts.Shell), NewReadFile(opts), NewWriteFile(opts), NewEdit(opts),
		NewGlob(opts), NewGrep(opts), NewListFiles(opts),
	}
	if opts.Shell.NoBackground {
		return tools
	}
	return append(tools, NewShellKill(), NewWaitTask())
}

// ReadOnly gives the tools that change nothing, in the order of All and without
// wait_task: nothing among them starts a task.
func ReadOnly(opts Options) []tool.Tool {
	return []tool.Tool{NewReadFile(opts), NewGlob(opts), NewGrep(opts), NewListFiles(opts)}
}

// atLeast1 bounds optional integers from below; most bounds them from above, 0 not.
func atLeast1(s schemaRef, most float64, names ...string) {
	one := 1.0
	for _, name := range names {
		s.Properties[name].Minimum = &one
		if most > 0 {
			s.Properties[name].Maximum = &most
		}
	}
}
