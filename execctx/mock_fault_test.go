package execctx_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx"
)

var errScripted = errors.New("scripted")

// seams makes one call at each seam, on a handle that has a running task and a
// running foreground command.
func (m mocked) seams(ctx context.Context) map[execctx.MockSeam]func() error {
	call, _ := m.StartExec(m.t.Context(), m.h, execctx.ExecRequest{Command: "runs", OutputDir: "/tasks"})
	task := m.launch("runs")
	launch := execctx.LaunchRequest{Command: "x", OutputDir: "/tasks"}
	return map[execctx.MockSeam]func() error{
		execctx.MockSeamSpawn: func() error { _, err := m.Spawn(ctx, execctx.SpawnConfig{}); return err },
		execctx.MockSeamExec:  func() error { _, err := m.Exec(ctx, m.h, execctx.ExecRequest{Command: "x"}); return err },
		execctx.MockSeamStartExec: func() error {
			_, err := m.StartExec(ctx, m.h, execctx.ExecRequest{Command: "x"})
			return err
		},
		execctx.MockSeamMove:   func() error { _, err := call.Move(execctx.MoveRequest{}); return err },
		execctx.MockSeamLaunch: func() error { _, err := m.ExecBackground(ctx, m.h, launch); return err },
		execctx.MockSeamKill:   func() error { _, err := m.KillBackground(ctx, m.h, task.TaskID); return err },
		execctx.MockSeamList:   func() error { _, err := m.ListBackground(ctx, m.h); return err },
		execctx.MockSeamWait:   func() error { _, err := m.WaitBackground(ctx, m.h, task.TaskID, 1); return err },
		execctx.MockSeamReassign: func() error {
			_, err := m.ReassignBackground(ctx, execctx.ReassignRequest{From: m.h, To: m.h})
			return err
		},
		execctx.MockSeamReadFile:  func() error { _, err := m.ReadFile(ctx, m.h, task.OutputPath); return err },
		execctx.MockSeamWriteFile: func() error { return m.WriteFile(ctx, m.h, "x", nil) },
		execctx.MockSeamListFiles: func() error { _, err := m.ListFiles(ctx, m.h, "/tasks"); return err },
		execctx.MockSeamDestroy:   func() error { return m.Destroy(ctx, m.h) },
	}
}

// inOrder is the seams with the destroying one last: nothing works after it.
func inOrder(seams map[execctx.MockSeam]func() error) []execctx.MockSeam {
	var names []execctx.MockSeam
	for name := range seams {
		if name != execctx.MockSeamDestroy {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return append(names, execctx.MockSeamDestroy)
}

func onExecRuns() execctx.MockOptions {
	return execctx.MockOptions{OnExec: func(run execctx.MockRun) execctx.MockScript {
		if run.Command == "runs" {
			return execctx.MockScript{}
		}
		return execctx.MockScript{Exit: &execctx.MockExit{}}
	}}
}

func TestMock_failsAtEverySeam_EX71(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMocked(t, onExecRuns())
		seams := m.seams(t.Context())
		for _, seam := range inOrder(seams) {
			call := seams[seam]
			m.Fail(seam, errScripted, nil)
			err := call()
			if !errors.Is(err, errScripted) {
				t.Errorf("%s: %v, want the scripted error", seam, err)
			}
			var failed *execctx.LaunchError
			if errors.As(err, &failed) != (seam == execctx.MockSeamLaunch) {
				t.Errorf("%s: %T, want a LaunchError of a launch only", seam, err)
			}
			if err := call(); err != nil {
				t.Errorf("%s after the scripted error: %v", seam, err)
			}
			m.FailAlways(seam, errScripted)
			for range 2 {
				if err := call(); !errors.Is(err, errScripted) {
					t.Errorf("%s: %v, want the scripted error each time", seam, err)
				}
			}
			m.FailAlways(seam, nil)
		}
	})
}

func TestMock_hangsAtEverySeam_EX71(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errScripted)
		defer cancel()
		m := newMocked(t, onExecRuns())
		seams := m.seams(ctx)
		for _, seam := range inOrder(seams) {
			hang := m.Hang(seam)
			answered := make(chan error, 1)
			go func() { answered <- seams[seam]() }()
			<-hang.Reached()
			elapse(time.Second)
			select {
			case err := <-answered:
				t.Errorf("%s answered: %v", seam, err)
			default:
			}
			hang.Release()
			hang.Release()
			if err := <-answered; err != nil {
				t.Errorf("%s, released: %v", seam, err)
			}
		}
		m = newMocked(t, onExecRuns())
		seams = m.seams(ctx)
		for _, seam := range inOrder(seams) {
			hang := m.Hang(seam)
			if seam == execctx.MockSeamMove {
				continue // has no context to end
			}
			start := time.Now()
			err := seams[seam]()
			if wait := seam == execctx.MockSeamWait; wait != (err == nil) || !wait && !errors.Is(err, errScripted) {
				t.Errorf("%s, given up after %v: %v", seam, time.Since(start), err)
			}
			hang.Release()
		}
		if got := m.Running(); !cmp.Equal(got, []string{"bash_1", "exec_1"}) {
			t.Errorf("running after calls that had no effect: %v", got)
		}
		if err := m.Destroy(t.Context(), m.h); err != nil {
			t.Error(err)
		}
	})
}

// A destroy that hangs is what an agent's time limit is for.
func TestMock_destroyOfWhatIgnoresAll_EX71(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMocked(t, execctx.MockOptions{KillGrace: time.Hour, OnLaunch: func(execctx.MockRun) execctx.MockScript {
			return execctx.MockScript{Term: &execctx.MockTerm{Ignore: true}}
		}})
		m.launch("x")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := m.Destroy(ctx, m.h); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("destroy: %v", err)
		}
		if err := m.Destroy(t.Context(), m.h); err != nil {
			t.Errorf("destroy with the time it takes: %v", err)
		}
	})
}

func TestMock_failsInTheMiddleOfAReassign_EX71(t *testing.T) {
	m := newMocked(t, execctx.MockOptions{})
	to := m.spawn("parent")
	for range 3 {
		m.launch("x")
	}
	m.FailReassign(2, errScripted)
	req := execctx.ReassignRequest{From: m.h, To: to}
	moved, err := m.ReassignBackground(t.Context(), req)
	if !errors.Is(err, errScripted) || len(moved) != 2 || len(m.list()) != 1 {
		t.Errorf("D-12: moved %v, %v, left %v", moved, err, m.list())
	}
	if moved, err = m.ReassignBackground(t.Context(), req); err != nil || len(moved) != 1 {
		t.Errorf("the next one moved %v, %v", moved, err)
	}
}

func TestMock_scriptedLaunchError_EX71(t *testing.T) {
	m := newMocked(t, execctx.MockOptions{
		OnLaunch: func(run execctx.MockRun) execctx.MockScript {
			if run.Command == "bad" {
				return execctx.MockScript{Err: errScripted}
			}
			return execctx.MockScript{}
		},
		OnExec: func(execctx.MockRun) execctx.MockScript { return execctx.MockScript{Err: errScripted} },
	})
	_, err := m.ExecBackground(t.Context(), m.h, execctx.LaunchRequest{Command: "bad", OutputDir: "/tasks", StallTimeout: time.Hour})
	var failed *execctx.LaunchError
	if !errors.As(err, &failed) || !errors.Is(err, errScripted) {
		t.Errorf("launch: %v", err)
	}
	if infos, _ := m.ListFiles(t.Context(), m.h, "/tasks"); len(infos) > 0 || len(m.list()) > 0 {
		t.Errorf("left %v, %v", infos, m.list())
	}
	if task := m.launch("good"); task.TaskID != "bash_1" {
		t.Errorf("EX-33: the next id is %s", task.TaskID)
	}
	if _, err := m.Exec(t.Context(), m.h, execctx.ExecRequest{Command: "x"}); !errors.Is(err, errScripted) {
		t.Errorf("exec: %v", err)
	}
	if got := m.Running(); !cmp.Equal(got, []string{"bash_1"}) {
		t.Errorf("running %v", got)
	}
}

func TestMock_calls(t *testing.T) {
	var on []execctx.MockSeam
	m := newMocked(t, execctx.MockOptions{OnCall: func(_ context.Context, call execctx.MockCall) error {
		on = append(on, call.Seam)
		if call.Path == "secret" {
			return fs.ErrPermission
		}
		return nil
	}})
	m.launch("x")
	m.list()
	_, _ = m.KillBackground(t.Context(), m.h, "bash_1")
	if _, err := m.ReadFile(t.Context(), m.h, "secret"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("read: %v", err)
	}
	want := []execctx.MockSeam{"spawn", "launch", "list", "kill", "read file"}
	var got []execctx.MockSeam
	for _, call := range m.Calls() {
		got = append(got, call.Seam)
	}
	if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(on, want) {
		t.Errorf("calls (-want +got):\n%s, told %v", diff, on)
	}
	kills := m.Calls(execctx.MockSeamKill, execctx.MockSeamWait)
	if len(kills) != 1 || kills[0].TaskID != "bash_1" || kills[0].Handle != m.h {
		t.Errorf("kills %+v", kills)
	}
	launches := m.Calls(execctx.MockSeamLaunch)
	if req, ok := launches[0].Request.(execctx.LaunchRequest); !ok || req.OutputDir != "/tasks" || launches[0].Command != "x" {
		t.Errorf("launch %+v", launches[0])
	}
}
