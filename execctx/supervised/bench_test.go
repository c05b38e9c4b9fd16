//go:build unix

package supervised

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

func benchContext(b *testing.B) (*Context, execctx.Handle, string) {
	dir := b.TempDir()
	c, err := New(Options{Dir: filepath.Join(dir, "store"), MaxBackgroundTasks: execctx.NoTaskLimit})
	if err != nil {
		b.Fatal(err)
	}
	h, err := c.Spawn(context.Background(), execctx.SpawnConfig{CWD: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.Destroy(context.Background(), h); err != nil {
			b.Error(err)
		}
		c.Close()
	})
	return c, h, dir
}

// A launch until the command runs and its record is on disk.
func BenchmarkLaunch(b *testing.B) {
	c, h, dir := benchContext(b)
	for b.Loop() {
		got, err := c.ExecBackground(context.Background(), h, execctx.LaunchRequest{Command: "exec sleep 1000", OutputDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if _, err := c.KillBackground(context.Background(), h, got.TaskID); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// A kill until the end is on disk and this program knows.
func BenchmarkKill(b *testing.B) {
	c, h, dir := benchContext(b)
	for b.Loop() {
		b.StopTimer()
		got, err := c.ExecBackground(context.Background(), h, execctx.LaunchRequest{Command: "exec sleep 1000", OutputDir: dir})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if info, err := c.KillBackground(context.Background(), h, got.TaskID); err != nil || info.Status != execctx.StatusKilled {
			b.Fatal(info, err)
		}
	}
}

// A list of 1,000 ended tasks, by a context that knows them and by a new one.
func BenchmarkList(b *testing.B) {
	c, h, _ := benchContext(b)
	for n := range 1000 {
		got, err := c.store.take(n + 1)
		if err != nil {
			b.Fatal(err)
		}
		code := 0
		err = writeRecord(filepath.Join(got.dir, fileExit), exitRecord{
			launchRecord: launchRecord{
				Version: recordVersion, TaskID: execctx.TaskID(n + 1), HandleID: h.ID, Command: "make test", CWD: got.dir,
				OutputPath: got.dir, StartedAt: time.Now(), Process: processID{PID: 1, Start: 1}, Mark: got.dir, Place: c.store.here,
			},
			Status: execctx.StatusExited, ExitCode: &code, EndedAt: time.Now(),
		}, false)
		if err != nil {
			b.Fatal(err)
		}
		got.release()
	}
	list := func(b *testing.B) {
		entries, err := c.ListBackground(context.Background(), h)
		if err != nil || len(entries) != 1000 {
			b.Fatal(len(entries), err)
		}
	}
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			list(b)
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			c.store.exits = map[int]*exitRecord{}
			list(b)
		}
	})
}
