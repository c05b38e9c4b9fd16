package agentcore

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/stophook/stophook/agentcore/continuation"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/policy/hookio"
)

// read looks whether a call read the output of a task that had ended when the read
// began: then the model knows the end, and it is told no more (AC-62). The read of a log
// that still grows says nothing about the end. It runs when a call is recorded.
func (b *background) read(ctx context.Context, c *call) {
	if c.block.Name != "read_file" && c.block.Name != "read" || c.result.IsError || !b.a.offer.Background {
		return
	}
	var in struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(c.input, &in) != nil || in.Path == "" {
		return
	}
	path := in.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.env.Handle.CWD, path)
	}
	path = filepath.Clean(path)
	if !strings.HasPrefix(path, filepath.Clean(b.a.cfg.Session.TasksDir())+string(filepath.Separator)) {
		return
	}
	for _, e := range b.ends(ctx) {
		if e.OutputPath == path && c.started.After(e.EndedAt) {
			b.learned(e)
		}
	}
}

// ends are all ends that are known here: those that wait, and those that are listed.
func (b *background) ends(ctx context.Context) []task.Exit {
	exits := b.queued()
	h := b.a.keptHandle()
	if h == nil {
		return exits
	}
	entries, err := execctx.List(ctx, b.a.cfg.Exec, *h)
	if err != nil {
		return exits
	}
	for _, e := range entries {
		if exit, over := task.FromEntry(*h, e); over && !dated(exits, exit) {
			exits = append(exits, exit)
		}
	}
	return exits
}

// prompted says that a person's prompt begins: what was launched before is not of its
// turn.
func (b *background) prompted() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prompt = len(b.tasks)
}

// owed are the tasks of the present turn whose end the model does not know: it is paid
// by an outcome and by nothing else (D-08, D-09).
func (b *background) owed() []continuation.Task {
	b.mu.Lock()
	defer b.mu.Unlock()
	var owed []continuation.Task
	for _, k := range b.tasks[min(b.prompt, len(b.tasks)):] {
		if !b.latch.Has(k.key()) {
			owed = append(owed, continuation.Task{ID: k.id, Command: k.command, OutputPath: k.path})
		}
	}
	return owed
}

// runningTasks is what hooks are told of the work that goes on; nil when it cannot be
// told.
func (a *Agent) runningTasks(ctx context.Context) *[]hookio.BackgroundTask {
	running := []hookio.BackgroundTask{}
	h := a.keptHandle()
	if h == nil || !a.offer.Background {
		return &running
	}
	entries, err := execctx.List(ctx, a.cfg.Exec, *h)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !e.Ended() {
			running = append(running, hookio.BackgroundTask{ID: e.TaskID, Type: "shell", Status: string(e.Status), Command: e.Command})
		}
	}
	return &running
}
