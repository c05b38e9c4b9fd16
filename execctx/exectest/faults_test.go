package exectest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// fault is one thing wrong with a context, and a check that must see it.
type fault struct {
	what  string
	check string // beginning of its name
	opts  execctx.MockOptions
	make  func(b *broken)
}

// A suite that cannot fail is worth nothing: each fault makes the check fail that
// is there for it, and that check passes without the fault.
func TestRun_seesFaults(t *testing.T) {
	for _, part := range [][]fault{launchFaults(), exitFaults(), callbackFaults(), ownerFaults(), foregroundFaults(), durableFaults()} {
		for _, f := range part {
			t.Run(f.what, func(t *testing.T) { f.mustBeSeen(t) })
		}
	}
}

func (f fault) mustBeSeen(t *testing.T) {
	at := slices.IndexFunc(checks(), func(c check) bool { return strings.HasPrefix(c.name, f.check) })
	if at < 0 {
		t.Fatalf("no check %q", f.check)
	}
	c := checks()[at]
	f.opts.KillGrace = 5 * time.Second
	whole := recorded(t, c, func(testing.TB) Subject { return mockSubject(f.opts) })
	if whole.failed || whole.skipped {
		t.Fatalf("without the fault %q fails or is skipped:\n%s", c.name, &whole.log)
	}
	faulty := recorded(t, c, func(testing.TB) Subject {
		s := mockSubject(f.opts)
		b := &broken{Mock: s.Context.(*execctx.Mock)}
		f.make(b)
		s.Context = b
		return s
	})
	if !faulty.failed {
		t.Errorf("%q passes", c.name)
	}
	t.Logf("%s:\n%s", c.name, &faulty.log)
}

func launchFaults() []fault {
	return []fault{
		{what: "a launch waits for the end", check: "EX-2: a launch answers", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				launched, err := b.Mock.ExecBackground(ctx, h, req)
				_, _ = b.Mock.WaitBackground(ctx, h, launched.TaskID, time.Second)
				_ = b.WriteFile(ctx, h, goFile, nil)
				_, _ = b.Mock.WaitBackground(ctx, h, launched.TaskID, 0)
				return launched, err
			}
		}},
		{what: "a launch takes half a second", check: "EX-3", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				<-time.After(500 * time.Millisecond)
				return b.Mock.ExecBackground(ctx, h, req)
			}
		}},
		{what: "the end of a launch's context ends the task", check: "EX-2: the context of a launch", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				launched, err := b.Mock.ExecBackground(ctx, h, req)
				context.AfterFunc(ctx, func() { _, _ = b.Mock.KillBackground(context.Background(), h, launched.TaskID) })
				return launched, err
			}
		}},
		{what: "the environment of a request is ignored", check: "EX-2: working directory", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				req.Env = nil
				return b.Mock.ExecBackground(ctx, h, req)
			}
		}},
		{what: "the list finds no exit", check: "EX-4: the exit callback is optional", make: func(b *broken) {
			b.list = func(context.Context, execctx.Handle) ([]execctx.TaskEntry, error) { return nil, nil }
		}},
		{what: "a pull context calls back", check: "EX-4, EX-80", opts: execctx.MockOptions{Pull: true}, make: func(b *broken) {
			b.Mock = execctx.NewMock(execctx.MockOptions{OnLaunch: Play})
			b.capabilities = func() execctx.Capabilities { return execctx.Capabilities{} }
		}},
		{what: "ids begin anew for each handle", check: "EX-33", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				launched, err := b.Mock.ExecBackground(ctx, h, req)
				launched.TaskID = execctx.TaskID(b.count(h.ID))
				return launched, err
			}
		}},
		{what: "an id is trimmed before it is looked up", check: "EX-34", make: func(b *broken) {
			b.kill = func(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error) {
				return b.Mock.KillBackground(ctx, h, strings.TrimSpace(id))
			}
		}},
		{what: "each task has a stamp of its own", check: "EX-35", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				<-time.After(time.Millisecond)
				launched, err := b.Mock.ExecBackground(ctx, h, req)
				launched.OutputPath = req.OutputDir + "/" + execctx.LogName(launched.TaskID, execctx.FormatStamp(time.Now()))
				return launched, err
			}
		}},
		{what: "there is no limit", check: "EX-45, D-14", make: func(b *broken) {
			unlimited := execctx.NewMock(execctx.MockOptions{MaxBackgroundTasks: -1, OnLaunch: Play})
			b.Mock = unlimited
		}},
		{what: "a failed launch has no type", check: "EX-38: a launch that fails", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				launched, err := b.Mock.ExecBackground(ctx, h, req)
				if err != nil {
					err = errors.New("no")
				}
				return launched, err
			}
		}},
		{what: "the capability is another word", check: "EX-20", make: func(b *broken) {
			b.capabilities = func() execctx.Capabilities { return execctx.Capabilities{DetachedTasks: "forever", Push: true} }
		}},
		{what: "a destroyed handle works", check: "EX-47: a destroyed or unknown handle", make: func(b *broken) {
			b.exec = func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error) {
				result, err := b.Mock.Exec(ctx, h, req)
				if errors.Is(err, execctx.ErrUnknownHandle) {
					err = nil
				}
				return result, err
			}
		}},
	}
}

// onExits gives a fault that changes exits wherever they show.
func onExits(change func(*execctx.ExitInfo)) func(*broken) {
	return func(b *broken) {
		b.exits = func(info execctx.ExitInfo) execctx.ExitInfo {
			change(&info)
			return info
		}
	}
}

func exitFaults() []fault {
	return []fault{
		{what: "a signal's code is its number", check: "EX-10: a signal's exit code", make: onExits(func(info *execctx.ExitInfo) {
			if code, _ := info.Code(); info.Signal != "" {
				code -= 128
				info.ExitCode = &code
			}
		})},
		{what: "a signal from outside is an exit", check: "EX-10, D-41", make: onExits(func(info *execctx.ExitInfo) {
			info.Status = execctx.StatusExited
		})},
		{what: "our kill of a task that had its own code is an exit", check: "D-41", make: onExits(func(info *execctx.ExitInfo) {
			if info.Signal == "" {
				info.Status = execctx.StatusExited
			}
		})},
		{what: "the command is missing", check: "EX-9: an exit says", make: onExits(func(info *execctx.ExitInfo) { info.Command = "" })},
		{what: "the list tells another code", check: "EX-9: every way", make: func(b *broken) {
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				entries, err := b.Mock.ListBackground(ctx, h)
				for i := range entries {
					entries[i].DurationMS += 7
				}
				return entries, err
			}
		}},
		{what: "the end is when it was looked at", check: "EX-11: a terminated task", make: func(b *broken) {
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				entries, err := b.Mock.ListBackground(ctx, h)
				for i := range entries {
					entries[i].EndedAt = time.Now()
				}
				return entries, err
			}
		}},
		{what: "a running task has a code", check: "EX-11: a running task", make: func(b *broken) {
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				entries, err := b.Mock.ListBackground(ctx, h)
				for i := range entries {
					entries[i].ExitCode = new(int)
				}
				return entries, err
			}
		}},
		{what: "dropped bytes are not counted", check: "EX-46", make: func(b *broken) {
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				entries, err := b.Mock.ListBackground(ctx, h)
				for i := range entries {
					data, _ := b.ReadFile(ctx, h, entries[i].OutputPath)
					entries[i].BytesWritten = int64(len(data))
				}
				return entries, err
			}
		}},
		{what: "the marker is missing", check: "EX-39: past the cap", make: func(b *broken) {
			b.read = func(ctx context.Context, h execctx.Handle, name string) ([]byte, error) {
				data, err := b.Mock.ReadFile(ctx, h, name)
				head, _, _ := bytes.Cut(data, []byte("<output-truncated"))
				return head, err
			}
		}},
		{what: "the tail is kept", check: "EX-39: past the cap", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				req.MaxOutputBytes = 0
				return b.Mock.ExecBackground(ctx, h, req)
			}
		}},
		{what: "there is a cap nobody asked for", check: "EX-39: without a cap", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				req.MaxOutputBytes = 4096
				return b.Mock.ExecBackground(ctx, h, req)
			}
		}},
		{what: "the cap kills", check: "EX-40", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				launched, err := b.Mock.ExecBackground(ctx, h, req)
				b.Exit(launched.TaskID, execctx.MockExit{Signal: "SIGPIPE"})
				return launched, err
			}
		}},
		{what: "the status flips before the log is complete", check: "EX-41: a task shows as terminated", make: lateLog},
		{what: "the exit is told before the log is complete", check: "EX-41: the exit comes", make: lateLog},
		{what: "a wait answers before the log is complete", check: "EX-41: a wait answers", make: lateLog},
	}
}

// lateLog shows the last bytes of a log only after somebody missed them.
func lateLog(b *broken) {
	b.read = func(ctx context.Context, h execctx.Handle, name string) ([]byte, error) {
		data, err := b.Mock.ReadFile(ctx, h, name)
		if b.count(name) == 1 && len(data) > 0 {
			data = data[:len(data)-1]
		}
		return data, err
	}
}

func durableFaults() []fault {
	durable := execctx.MockOptions{DetachedTasks: execctx.DetachedDurable}
	return []fault{
		{what: "a durable context pushes", check: "EX-80", opts: durable, make: func(b *broken) {
			b.capabilities = func() execctx.Capabilities {
				return execctx.Capabilities{DetachedTasks: execctx.DetachedDurable, Push: true}
			}
		}},
		{what: "a new context has forgotten the tasks", check: "EX-81: a new context finds", opts: durable, make: forgets},
		{what: "a new context does not wait", check: "EX-81: a new context waits", opts: durable, make: forgets},
		{what: "a new context does not kill", check: "EX-81: a new context kills", opts: durable, make: forgets},
		{what: "a new context begins its ids anew", check: "EX-81, EX-33", opts: durable, make: forgets},
		{what: "two contexts share a file", check: "EX-36", opts: durable, make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				launched, err := b.Mock.ExecBackground(ctx, h, req)
				launched.OutputPath = req.OutputDir + "/" + execctx.LogName("bash_1", "20200101-000000-000")
				return launched, err
			}
		}},
	}
}

// forgets makes the first context one that has a store of its own.
func forgets(b *broken) {
	b.Mock = execctx.NewMock(execctx.MockOptions{DetachedTasks: execctx.DetachedDurable, OnLaunch: Play})
}
