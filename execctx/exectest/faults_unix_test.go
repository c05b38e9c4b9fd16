//go:build unix

package exectest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// brokenProcess is a process context with one fault.
type brokenProcess struct {
	*execctx.ProcessContext
	launch  func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error)
	kill    func(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error)
	write   func(h execctx.Handle, name string, data []byte) error
	destroy func(ctx context.Context, h execctx.Handle) error
}

func (b *brokenProcess) ExecBackground(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
	if b.launch != nil {
		return b.launch(ctx, h, req)
	}
	return b.ProcessContext.ExecBackground(ctx, h, req)
}

func (b *brokenProcess) KillBackground(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error) {
	if b.kill != nil {
		return b.kill(ctx, h, id)
	}
	return b.ProcessContext.KillBackground(ctx, h, id)
}

func (b *brokenProcess) WriteFile(ctx context.Context, h execctx.Handle, name string, data []byte) error {
	if b.write != nil {
		return b.write(h, name, data)
	}
	return b.ProcessContext.WriteFile(ctx, h, name, data)
}

func (b *brokenProcess) Destroy(ctx context.Context, h execctx.Handle) error {
	if b.destroy != nil {
		return b.destroy(ctx, h)
	}
	return b.ProcessContext.Destroy(ctx, h)
}

// Faults that only real processes and files can have.
func TestRun_seesFaultsOfProcesses(t *testing.T) {
	for what, tc := range map[string]struct {
		check string
		make  func(t *testing.T, b *brokenProcess)
	}{
		"a kill ends the first process only":   {"EX-5, EX-52: a kill ends the whole group", killsLeader},
		"a launch leaves a descriptor open":    {"EX-42", leavesOpen},
		"a file gets a new mode":               {"EX-53: a file keeps its mode", losesMode},
		"destroying leaves groups alone":       {"EX-47: destroying ends groups", leavesGroups},
		"SIGKILL comes without the grace":      {"EX-54, D-15", killsAtOnce},
		"a missing folder starts in the wrong": {"EX-38: a working directory that is not there", startsElsewhere},
	} {
		t.Run(what, func(t *testing.T) {
			at := slices.IndexFunc(checks(), func(c check) bool { return strings.HasPrefix(c.name, tc.check) })
			r := &recorder{TB: t}
			r.do(func() {
				checks()[at].on(r, func(testing.TB) Subject {
					const grace = 2 * time.Second
					b := &brokenProcess{ProcessContext: execctx.NewProcess(execctx.ProcessOptions{KillGrace: grace, MaxBackgroundTasks: 30})}
					tc.make(t, b)
					return Subject{Context: b, Dir: t.TempDir(), Grace: grace, Processes: true, Disk: true, Patience: 4 * time.Second}
				})
			})
			switch {
			case r.skipped:
				t.Skipf("%s is skipped here: %s", tc.check, &r.log)
			case !r.failed:
				t.Errorf("%s passes", tc.check)
			}
			t.Logf("%s", &r.log)
		})
	}
}

// killsLeader signals one process, and ends the others when the test is over.
func killsLeader(t *testing.T, b *brokenProcess) {
	b.kill = func(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error) {
		entries, err := b.ListBackground(ctx, h)
		if err != nil || len(entries) != 1 {
			t.Errorf("list: %v, %v", entries, err)
			return nil, err
		}
		code, info := 143, entries[0].ExitInfo
		err = syscall.Kill(entries[0].PID, syscall.SIGTERM)
		info.Status, info.ExitCode, info.Signal = execctx.StatusKilled, &code, "SIGTERM"
		return &info, err
	}
}

func leavesOpen(t *testing.T, b *brokenProcess) {
	b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
		launched, err := b.ProcessContext.ExecBackground(ctx, h, req)
		if err == nil {
			file, err := os.Open(launched.OutputPath)
			if err != nil {
				t.Error(err)
			}
			t.Cleanup(func() { file.Close() })
		}
		return launched, err
	}
}

func losesMode(_ *testing.T, b *brokenProcess) {
	b.write = func(h execctx.Handle, name string, data []byte) error {
		name = filepath.Join(h.CWD, name)
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return err
		}
		return os.WriteFile(name, data, 0o600)
	}
}

// leavesGroups does nothing the first time, which is the check's; the second is
// the cleanup's.
func leavesGroups(_ *testing.T, b *brokenProcess) {
	seen := map[string]bool{}
	b.destroy = func(ctx context.Context, h execctx.Handle) error {
		if !seen[h.ID] {
			seen[h.ID] = true
			return nil
		}
		return b.ProcessContext.Destroy(ctx, h)
	}
}

func killsAtOnce(_ *testing.T, b *brokenProcess) {
	b.kill = func(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error) {
		entries, err := b.ListBackground(ctx, h)
		if err == nil {
			err = syscall.Kill(-entries[0].PID, syscall.SIGKILL)
		}
		if err != nil {
			return nil, err
		}
		return b.WaitBackground(ctx, h, id, 0)
	}
}

func startsElsewhere(_ *testing.T, b *brokenProcess) {
	b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
		req.CWD = ""
		return b.ProcessContext.ExecBackground(ctx, h, req)
	}
}
