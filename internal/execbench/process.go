//go:build unix

package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/internal/figures"
)

// The figures to reach.
const (
	targetLaunch      = 5 * time.Millisecond   // median
	targetLaunchWorst = 100 * time.Millisecond // of all
	targetExit        = 2 * time.Millisecond   // median, from the end of the process to OnExit
	targetList        = time.Millisecond
	targetTaskBytes   = 64 << 10 // of our memory, a running task
)

// idle runs until it is killed, as one process.
const idle = "exec sleep 3600"

// measureProcess takes the figures of the process context.
func measureProcess(ctx context.Context, s setup, t *figures.Table) (err error) {
	c := execctx.NewProcess(execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit})
	h, err := c.Spawn(ctx, execctx.SpawnConfig{CWD: s.dir})
	if err != nil {
		return err
	}
	defer func() {
		if end := c.Destroy(ctx, h); err == nil {
			err = end
		}
	}()
	logs := filepath.Join(s.dir, "process")

	plain, err := plainStarts(s.exits)
	if err != nil {
		return err
	}
	launches, err := timeLaunches(ctx, c, h, logs, s.launches)
	if err != nil {
		return err
	}
	t.Duration("os/exec start and wait of `true`, median, to compare", plain, 0)
	t.Duration("launch until settled, median", figures.Median(launches), targetLaunch)
	t.Duration("launch until settled, worst", slices.Max(launches), targetLaunchWorst)

	exits, err := timeExits(ctx, c, h, logs, s.exits)
	if err != nil {
		return err
	}
	t.Duration("SIGKILL from outside to OnExit, median", figures.Median(exits), targetExit)

	crowd, err := c.Spawn(ctx, execctx.SpawnConfig{CWD: s.dir})
	if err != nil {
		return err
	}
	defer func() {
		if end := c.Destroy(ctx, crowd); err == nil {
			err = end
		}
	}()
	perTask, err := taskMemory(ctx, c, crowd, logs, s.listed)
	if err != nil {
		return err
	}
	lists, err := timeLists(ctx, c, crowd, s.listed)
	if err != nil {
		return err
	}
	t.Duration(fmt.Sprintf("list of %d running tasks, median", s.listed), figures.Median(lists), targetList)
	t.Bytes("our memory a running task (heap and stacks)", perTask, targetTaskBytes)
	return nil
}

// plainStarts is what the system and os/exec take without us.
func plainStarts(n int) (time.Duration, error) {
	var times []time.Duration
	for range n {
		start := time.Now()
		if err := exec.Command("/bin/sh", "-c", "true").Run(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(start))
	}
	return figures.Median(times), nil
}

// timeLaunches starts n commands one after the other, each ended before the
// next one.
func timeLaunches(ctx context.Context, c execctx.ExecutionContext, h execctx.Handle, logs string, n int) ([]time.Duration, error) {
	var times []time.Duration
	for range n {
		start := time.Now()
		task, err := execctx.Launch(ctx, c, h, execctx.LaunchRequest{Command: "true", OutputDir: logs})
		times = append(times, time.Since(start))
		if err != nil {
			return nil, err
		}
		if _, err := execctx.Wait(ctx, c, h, task.TaskID, 0); err != nil {
			return nil, err
		}
	}
	return times, nil
}

// timeExits ends processes behind the context's back and takes the time until
// the callback.
func timeExits(ctx context.Context, c execctx.ExecutionContext, h execctx.Handle, logs string, n int) ([]time.Duration, error) {
	var times []time.Duration
	for range n {
		told := make(chan time.Time, 1)
		task, err := execctx.Launch(ctx, c, h, execctx.LaunchRequest{
			Command: idle, OutputDir: logs, OnExit: func(execctx.ExitInfo) { told <- time.Now() },
		})
		if err != nil {
			return nil, err
		}
		start := time.Now()
		if err := syscall.Kill(-task.PID, syscall.SIGKILL); err != nil {
			return nil, err
		}
		times = append(times, (<-told).Sub(start))
	}
	return times, nil
}

// taskMemory starts n tasks that stay and gives what one of them costs this
// program.
func taskMemory(ctx context.Context, c execctx.ExecutionContext, h execctx.Handle, logs string, n int) (int64, error) {
	before := ownMemory()
	for range n {
		if _, err := execctx.Launch(ctx, c, h, execctx.LaunchRequest{
			Command: idle, OutputDir: logs, MaxOutputBytes: 1 << 20,
			StallTimeout: time.Hour, OnStall: func(execctx.StallInfo) {}, OnExit: func(execctx.ExitInfo) {},
		}); err != nil {
			return 0, err
		}
	}
	return (ownMemory() - before) / int64(n), nil
}

// ownMemory is heap and stacks in use, after a collection.
func ownMemory() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// timeLists lists a hundred times; n tasks must be there.
func timeLists(ctx context.Context, c execctx.ExecutionContext, h execctx.Handle, n int) ([]time.Duration, error) {
	var times []time.Duration
	for range 100 {
		start := time.Now()
		tasks, err := execctx.List(ctx, c, h)
		times = append(times, time.Since(start))
		if err != nil {
			return nil, err
		}
		if len(tasks) != n {
			return nil, fmt.Errorf("%d tasks are listed, %d were started", len(tasks), n)
		}
	}
	return times, nil
}
