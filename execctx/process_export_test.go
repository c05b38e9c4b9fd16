package execctx

import "github.com/stophook/stophook/execctx/internal/proc"

// TestProcess is what tests put in the place of a process.
type TestProcess = process

// NewTestProcess gives a context that starts its processes by start.
func NewTestProcess(opts ProcessOptions, start func(proc.Config) (TestProcess, error)) *ProcessContext {
	return newProcess(opts, start)
}

// CloseLog closes the log of a task under it, as when a descriptor goes wrong.
func (c *ProcessContext) CloseLog(h Handle, taskID string) error {
	return c.find(h, taskID).log.file.Close()
}

// Path is where the log of a task lies.
func (l *outputLog) Path() string { return l.path }
