package execctx_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// patience is how long a test waits for what must happen. Nothing that passes
// comes near it.
const patience = time.Minute

// spawn gives a handle in a folder of its own, destroyed when the test ends.
func spawn(t testing.TB, c *execctx.ProcessContext) execctx.Handle {
	t.Helper()
	h, err := c.Spawn(context.Background(), execctx.SpawnConfig{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { destroy(t, c, h) })
	return h
}

func destroy(t testing.TB, c *execctx.ProcessContext, h execctx.Handle) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.Destroy(ctx, h); err != nil {
		t.Errorf("destroy: %v", err)
	}
}

// newContext gives a context of real processes and a handle.
func newContext(t testing.TB, opts execctx.ProcessOptions) (*execctx.ProcessContext, execctx.Handle) {
	t.Helper()
	c := execctx.NewProcess(opts)
	return c, spawn(t, c)
}

// launch starts a task with its log under the handle's folder, unless change
// says otherwise.
func launch(t testing.TB, c *execctx.ProcessContext, h execctx.Handle, command string, change ...func(*execctx.LaunchRequest)) execctx.Launched {
	t.Helper()
	req := execctx.LaunchRequest{Command: command, OutputDir: "tasks"}
	for _, f := range change {
		f(&req)
	}
	launched, err := c.ExecBackground(context.Background(), h, req)
	if err != nil {
		t.Fatalf("launch %q: %v", command, err)
	}
	return launched
}

func onExit(f func(execctx.ExitInfo)) func(*execctx.LaunchRequest) {
	return func(r *execctx.LaunchRequest) { r.OnExit = f }
}

func limited(n int64) func(*execctx.LaunchRequest) {
	return func(r *execctx.LaunchRequest) { r.MaxOutputBytes = n }
}

func in(dir string) func(*execctx.LaunchRequest) {
	return func(r *execctx.LaunchRequest) { r.OutputDir = dir }
}

// ended waits for the end of a task.
func ended(t testing.TB, c *execctx.ProcessContext, h execctx.Handle, id string) execctx.ExitInfo {
	t.Helper()
	info, err := c.WaitBackground(context.Background(), h, id, patience)
	if err != nil || info == nil {
		t.Fatalf("wait for %s: %v, %v", id, info, err)
	}
	return *info
}

func kill(t testing.TB, c *execctx.ProcessContext, h execctx.Handle, id string) execctx.ExitInfo {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	info, err := c.KillBackground(ctx, h, id)
	if err != nil || info == nil {
		t.Fatalf("kill %s: %v, %v", id, info, err)
	}
	return *info
}

func list(t testing.TB, c *execctx.ProcessContext, h execctx.Handle) []execctx.TaskEntry {
	t.Helper()
	entries, err := c.ListBackground(context.Background(), h)
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	return entries
}

// ids are those listed.
func ids(t testing.TB, c *execctx.ProcessContext, h execctx.Handle) []string {
	t.Helper()
	var got []string
	for _, entry := range list(t, c, h) {
		got = append(got, entry.TaskID)
	}
	return got
}

func readLog(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// until polls for what another process does.
func until(t testing.TB, what string, met func() bool) {
	t.Helper()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(patience); !met(); <-again.C {
		if time.Now().After(deadline) {
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

// pass lets the time of a bubble go by.
func pass(d time.Duration) { <-time.After(d) }

// recv takes from a channel, or fails after the patience.
func recv[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("not in %v: %s", patience, what)
		panic("unreachable")
	}
}

// warnings collects what a context has no other way out for.
type warnings struct {
	mu  sync.Mutex
	all []error
}

func (w *warnings) add(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, err)
}

func (w *warnings) list() []error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]error(nil), w.all...)
}

// touch makes a file that a command waits for.
func touch(t testing.TB, h execctx.Handle, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.CWD, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func fileExists(h execctx.Handle, name string) bool {
	_, err := os.Stat(filepath.Join(h.CWD, name))
	return err == nil
}
