//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/supervised"
	"github.com/stophook/stophook/internal/figures"
)

// The figures to reach, fsync included.
const (
	targetDurableLaunch = 15 * time.Millisecond // median
	targetDurableExit   = 3 * time.Millisecond  // median, from the end of the process to a waiter in another process
	targetDurableList   = 30 * time.Millisecond
	targetSupervisor    = 2 << 20 // proportional memory (PSS) a task
)

// waiterFlag makes this program wait for one task of a store: see waiter.
const waiterFlag = "-internal-waiter"

// measureSupervised takes the figures of the supervised context.
func measureSupervised(ctx context.Context, s setup, t *figures.Table) (err error) {
	store := filepath.Join(s.dir, "store")
	c, err := supervised.New(supervised.Options{Dir: store, MaxBackgroundTasks: execctx.NoTaskLimit})
	if err != nil {
		return err
	}
	h, err := c.Spawn(ctx, execctx.SpawnConfig{CWD: s.dir})
	if err != nil {
		return err
	}
	defer func() {
		if end := c.Destroy(ctx, h); err == nil {
			err = end
		}
	}()
	logs := filepath.Join(s.dir, "supervised")

	launches, err := timeLaunches(ctx, c, h, logs, s.durable)
	if err != nil {
		return err
	}
	t.Duration("launch until settled, median", figures.Median(launches), targetDurableLaunch)
	exits, err := timeForeignExits(ctx, c, h, store, logs, min(s.exits, 40))
	if err != nil {
		return err
	}
	t.Duration("SIGKILL from outside to a waiter in another process, median", figures.Median(exits), targetDurableExit)
	memory, err := supervisorMemory(ctx, c, h, logs, 30)
	if err != nil {
		t.Note(fmt.Sprintf("memory of supervisors not measured: %v", err))
	} else {
		t.Bytes("proportional memory of a supervisor", memory, targetSupervisor)
	}

	crowd, err := c.Spawn(ctx, execctx.SpawnConfig{CWD: s.dir})
	if err != nil {
		return err
	}
	for range s.listed {
		if _, err := execctx.Launch(ctx, c, crowd, execctx.LaunchRequest{Command: "true", OutputDir: logs}); err != nil {
			return err
		}
	}
	lists, err := timeLists(ctx, c, crowd, s.listed)
	if err != nil {
		return err
	}
	t.Duration(fmt.Sprintf("list of %d tasks, median", s.listed), figures.Median(lists), targetDurableList)
	return nil
}

// timeForeignExits ends processes from outside while another process waits for
// them.
func timeForeignExits(ctx context.Context, c execctx.ExecutionContext, h execctx.Handle, store, logs string, n int) ([]time.Duration, error) {
	var times []time.Duration
	for range n {
		task, err := execctx.Launch(ctx, c, h, execctx.LaunchRequest{Command: idle, OutputDir: logs})
		if err != nil {
			return nil, err
		}
		took, err := timeForeignExit(ctx, task, store, h.ID)
		if err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	return times, nil
}

func timeForeignExit(ctx context.Context, task execctx.Launched, store, handle string) (time.Duration, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	other := exec.CommandContext(ctx, self, waiterFlag, store, handle, task.TaskID)
	other.Stderr = os.Stderr
	out, err := other.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := other.Start(); err != nil {
		return 0, err
	}
	defer other.Wait()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		return 0, fmt.Errorf("the waiting process said nothing")
	}
	// It is on its way into the wait when it says so; give it the moment.
	time.Sleep(20 * time.Millisecond)
	start := time.Now()
	if err := syscall.Kill(-task.PID, syscall.SIGKILL); err != nil {
		return 0, err
	}
	if !lines.Scan() {
		return 0, fmt.Errorf("the waiting process did not see the end")
	}
	woken, err := strconv.ParseInt(lines.Text(), 10, 64)
	if err != nil {
		return 0, err
	}
	return time.Unix(0, woken).Sub(start), nil
}

// waiter is the other process: it says when it begins to wait, and when it woke.
func waiter(args []string, out io.Writer) error {
	if len(args) != 3 {
		return fmt.Errorf("want store, handle and task, got %q", args)
	}
	ctx := context.Background()
	c, err := supervised.New(supervised.Options{Dir: args[0]})
	if err != nil {
		return err
	}
	h, err := c.Spawn(ctx, execctx.SpawnConfig{HandleID: args[1]})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "waiting")
	info, err := execctx.Wait(ctx, c, h, args[2], time.Minute)
	woken := time.Now().UnixNano()
	if err != nil {
		return err
	}
	if info == nil || info.Status != execctx.StatusKilled {
		return fmt.Errorf("task %s: want it killed, got %+v", args[2], info)
	}
	_, err = fmt.Fprintln(out, woken)
	return err
}

// supervisorMemory gives the mean proportional set size of n supervisors at
// work.
func supervisorMemory(ctx context.Context, c execctx.ExecutionContext, h execctx.Handle, logs string, n int) (int64, error) {
	var sum int64
	var parents []int
	for range n {
		task, err := execctx.Launch(ctx, c, h, execctx.LaunchRequest{Command: idle, OutputDir: logs})
		if err != nil {
			return 0, err
		}
		parent, err := parentOf(task.PID)
		if err != nil {
			return 0, err
		}
		parents = append(parents, parent)
	}
	for _, pid := range parents {
		pss, err := proportional(pid)
		if err != nil {
			return 0, err
		}
		sum += pss
	}
	return sum / int64(n), nil
}

// parentOf is the supervisor of a task's process.
func parentOf(pid int) (int, error) {
	return statusField(fmt.Sprintf("/proc/%d/status", pid), "PPid:")
}

// proportional is the memory of a process in bytes, shared pages divided among
// those that share them.
func proportional(pid int) (int64, error) {
	kib, err := statusField(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:")
	return int64(kib) << 10, err
}

// statusField reads the number behind a name in one of the kernel's files.
func statusField(path, name string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, name)
}
