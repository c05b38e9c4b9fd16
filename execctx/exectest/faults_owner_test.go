package exectest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stophook/stophook/execctx"
)

// onCallbacks gives a fault of how exits are told.
func onCallbacks(wrap func(b *broken, tell func(execctx.ExitInfo)) func(execctx.ExitInfo)) func(*broken) {
	return func(b *broken) {
		b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
			if req.OnExit != nil {
				req.OnExit = wrap(b, req.OnExit)
			}
			return b.Mock.ExecBackground(ctx, h, req)
		}
	}
}

// onStalls gives a fault of how silence is told.
func onStalls(wrap func(tell func(execctx.StallInfo)) func(execctx.StallInfo)) func(*broken) {
	return func(b *broken) {
		b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
			req.OnStall = wrap(req.OnStall)
			return b.Mock.ExecBackground(ctx, h, req)
		}
	}
}

func callbackFaults() []fault {
	twice := onCallbacks(func(_ *broken, tell func(execctx.ExitInfo)) func(execctx.ExitInfo) {
		return func(info execctx.ExitInfo) { tell(info); tell(info) }
	})
	never := onCallbacks(func(*broken, func(execctx.ExitInfo)) func(execctx.ExitInfo) { return nil })
	late := onCallbacks(func(_ *broken, tell func(execctx.ExitInfo)) func(execctx.ExitInfo) {
		return func(info execctx.ExitInfo) { go tell(info) }
	})
	return []fault{
		{what: "an exit is told twice", check: "EX-43, EX-52", make: twice},
		{what: "an exit is told twice in a race", check: "EX-43, EX-44", make: twice},
		{what: "an exit is not told", check: "EX-43, EX-52", make: never},
		{what: "a wait answers before the callback returned", check: "D-24: a wait", make: late},
		{what: "a kill answers before the callback returned", check: "D-24: a kill", make: late},
		{what: "destroying does not tell", check: "EX-47: exits of destroyed tasks", make: never},
		{what: "the status flips after the exit is told", check: "EX-41: the status flips", make: func(b *broken) {
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				entries, err := b.Mock.ListBackground(ctx, h)
				for i := range entries {
					entries[i].Status = execctx.StatusRunning
				}
				return entries, err
			}
		}},
		{what: "a stall is told twice", check: "EX-60, EX-61", make: onStalls(func(tell func(execctx.StallInfo)) func(execctx.StallInfo) {
			return func(info execctx.StallInfo) { tell(info); tell(info) }
		})},
		{what: "a stall is told once and never again", check: "EX-60: fresh output", make: onStalls(func(tell func(execctx.StallInfo)) func(execctx.StallInfo) {
			told := false
			return func(info execctx.StallInfo) {
				if !told {
					told = true
					tell(info)
				}
			}
		})},
		{what: "a terminated task stalls", check: "EX-62: a terminated task", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				time.AfterFunc(req.StallTimeout, func() { req.OnStall(execctx.StallInfo{}) })
				return b.Mock.ExecBackground(ctx, h, req)
			}
		}},
		{what: "a stall ends the task", check: "EX-60: a stall does not touch", make: func(b *broken) {
			b.launch = func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
				tell := req.OnStall
				req.OnStall = func(info execctx.StallInfo) {
					b.Exit(info.TaskID, execctx.MockExit{Signal: "SIGKILL"})
					tell(info)
				}
				return b.Mock.ExecBackground(ctx, h, req)
			}
		}},
	}
}

func ownerFaults() []fault {
	return []fault{
		{what: "a kill answers before the end", check: "EX-5: a kill answers", make: func(b *broken) {
			b.kill = func(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error) {
				go b.Mock.KillBackground(context.WithoutCancel(ctx), h, id)
				entries, _ := b.Mock.ListBackground(ctx, h)
				info := entries[0].ExitInfo
				info.Status = execctx.StatusKilled
				return &info, nil
			}
		}},
		{what: "a kill of an unknown id is an error", check: "EX-5: an unknown id", make: func(b *broken) {
			b.kill = func(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error) {
				info, err := b.Mock.KillBackground(ctx, h, id)
				if info == nil && err == nil {
					err = errors.New("no such task")
				}
				return info, err
			}
		}},
		{what: "a repeated kill answers nothing", check: "EX-5: a repeated kill", make: func(b *broken) {
			b.kill = func(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error) {
				if b.count(id) > 1 {
					return nil, nil
				}
				return b.Mock.KillBackground(ctx, h, id)
			}
		}},
		{what: "the list forgets terminated tasks", check: "EX-6: terminated tasks stay", make: func(b *broken) {
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				entries, err := b.Mock.ListBackground(ctx, h)
				return slices.DeleteFunc(entries, func(t execctx.TaskEntry) bool { return t.Ended() }), err
			}
		}},
		{what: "the list is in the order of texts", check: "EX-6: tasks are listed in the order", make: func(b *broken) {
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				entries, err := b.Mock.ListBackground(ctx, h)
				slices.SortFunc(entries, func(a, b execctx.TaskEntry) int {
					if a.TaskID < b.TaskID {
						return -1
					}
					return 1
				})
				return entries, err
			}
		}},
		{what: "all handles see all tasks", check: "EX-6: a handle lists its own", make: func(b *broken) {
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				var all []execctx.TaskEntry
				for _, id := range []string{"mock_1", "mock_2"} {
					entries, _ := b.Mock.ListBackground(ctx, execctx.Handle{ID: id})
					all = append(all, entries...)
				}
				return all, nil
			}
		}},
		{what: "snapshots share memory", check: "EX-12", make: func(b *broken) {
			shared := new(int)
			*shared = 3
			b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
				entries, err := b.Mock.ListBackground(ctx, h)
				for i := range entries {
					entries[i].ExitCode = shared
				}
				return entries, err
			}
		}},
		{what: "a wait that timed out is an error", check: "EX-7, D-19: a wait gives nothing when its timeout", make: func(b *broken) {
			b.wait = func(ctx context.Context, h execctx.Handle, id string, timeout time.Duration) (*execctx.ExitInfo, error) {
				info, err := b.Mock.WaitBackground(ctx, h, id, timeout)
				if info == nil {
					err = context.DeadlineExceeded
				}
				return info, err
			}
		}},
		{what: "a wait ends the task", check: "EX-7, D-19: a wait gives nothing when its caller", make: func(b *broken) {
			b.wait = func(ctx context.Context, h execctx.Handle, id string, timeout time.Duration) (*execctx.ExitInfo, error) {
				info, err := b.Mock.WaitBackground(ctx, h, id, timeout)
				if info == nil {
					b.Exit(id, execctx.MockExit{Signal: "SIGTERM"})
				}
				return info, err
			}
		}},
		{what: "a reassign moves terminated tasks", check: "EX-8, D-12: running tasks move", make: movesEnded},
		{what: "a reassign keeps the old callback", check: "EX-8, D-12: the exit is told", make: func(b *broken) {
			onCallbacks(func(b *broken, tell func(execctx.ExitInfo)) func(execctx.ExitInfo) {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.exits = func(info execctx.ExitInfo) execctx.ExitInfo { tell(info); return info }
				return tell
			})(b)
			b.reassign = func(ctx context.Context, req execctx.ReassignRequest) ([]execctx.TaskEntry, error) {
				now := req.OnExit
				req.OnExit = func(info execctx.ExitInfo) { now(b.exits(info)) }
				return b.Mock.ReassignBackground(ctx, req)
			}
		}},
		{what: "a reassign does nothing", check: "EX-8: a moved task is the new handle's", make: func(b *broken) {
			b.reassign = func(context.Context, execctx.ReassignRequest) ([]execctx.TaskEntry, error) { return nil, nil }
		}},
		{what: "destroying leaves tasks running", check: "EX-47: destroying ends every task", make: func(b *broken) {
			b.destroy = func(context.Context, execctx.Handle) error { return nil }
		}},
		{what: "destroying a second time is an error", check: "EX-48: destroying is safe", make: func(b *broken) {
			b.destroy = func(ctx context.Context, h execctx.Handle) error {
				if b.count(h.ID) > 1 {
					return execctx.ErrUnknownHandle
				}
				return b.Mock.Destroy(ctx, h)
			}
		}},
		{what: "destroying removes logs", check: "EX-49: files stay", make: func(b *broken) {
			b.destroy = func(ctx context.Context, h execctx.Handle) error {
				_ = b.WriteFile(ctx, h, "mine", nil)
				return b.Mock.Destroy(ctx, h)
			}
		}},
		{what: "SIGKILL comes at once", check: "EX-54, D-15", make: func(b *broken) {
			b.Mock = execctx.NewMock(execctx.MockOptions{OnLaunch: Play, KillGrace: 1})
		}},
	}
}

// movesEnded lists a terminated task under the handle that the running ones went
// to.
func movesEnded(b *broken) {
	b.reassign = func(ctx context.Context, req execctx.ReassignRequest) ([]execctx.TaskEntry, error) {
		moved, err := b.Mock.ReassignBackground(ctx, req)
		left, _ := b.Mock.ListBackground(ctx, req.From)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.moved = map[string][]execctx.TaskEntry{req.To.ID: left, req.From.ID: nil}
		return append(left, moved...), err
	}
	b.list = func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
		entries, err := b.Mock.ListBackground(ctx, h)
		b.mu.Lock()
		defer b.mu.Unlock()
		if more, ok := b.moved[h.ID]; ok && more == nil {
			return nil, err
		}
		return append(b.moved[h.ID], entries...), err
	}
}

func foregroundFaults() []fault {
	return []fault{
		{what: "a failing command is an error", check: "EX-53: a foreground command gives", make: func(b *broken) {
			b.exec = func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error) {
				result, err := b.Mock.Exec(ctx, h, req)
				if err == nil && result.ExitCode != nil && *result.ExitCode != 0 {
					err = errors.New("exit status")
				}
				return result, err
			}
		}},
		{what: "a timeout is an error", check: "EX-53: a timeout ends the command", make: func(b *broken) {
			b.exec = func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error) {
				result, err := b.Mock.Exec(ctx, h, req)
				if result.TimedOut {
					err = context.DeadlineExceeded
				}
				return result, err
			}
		}},
		{what: "only the head of the output is kept", check: "EX-53: output beyond the limit", make: func(b *broken) {
			b.exec = func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error) {
				limit := req.MaxOutputBytes
				req.MaxOutputBytes = 0
				result, err := b.Mock.Exec(ctx, h, req)
				result.DroppedBytes = max(int64(len(result.Output))-limit, 0)
				result.Output = result.Output[:min(limit, int64(len(result.Output)))]
				return result, err
			}
		}},
		{what: "a caller that gave up gets no cause", check: "EX-53: a caller that gives up", make: func(b *broken) {
			b.exec = func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error) {
				result, err := b.Mock.Exec(ctx, h, req)
				if err != nil {
					err = ctx.Err()
				}
				return result, err
			}
		}},
		{what: "foreground commands are listed as tasks", check: "EX-14: a foreground command is none", make: func(b *broken) {
			b.exec = func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error) {
				launched, err := b.Mock.ExecBackground(ctx, h, execctx.LaunchRequest{Command: req.Command, OutputDir: h.CWD})
				if err != nil {
					return execctx.ExecResult{}, err
				}
				info, err := b.Mock.WaitBackground(ctx, h, launched.TaskID, 0)
				data, _ := b.Mock.ReadFile(ctx, h, launched.OutputPath)
				return execctx.ExecResult{Output: data, ExitCode: info.ExitCode}, err
			}
		}},
		{what: "a move starts the command anew", check: "EX-53, D-03", make: onCalls(func(c brokenCall) (execctx.Launched, error) {
			launched, err := c.ForegroundCall.Move(c.move)
			launched.PID++
			return launched, err
		})},
		{what: "what has ended can be moved", check: "EX-53: a command that has ended", make: onCalls(func(c brokenCall) (execctx.Launched, error) {
			launched, _ := c.ForegroundCall.Move(c.move)
			return launched, nil
		})},
		{what: "a moved command's exit is not told", check: "EX-43: the exit of a moved", make: onCalls(func(c brokenCall) (execctx.Launched, error) {
			c.move.OnExit = nil
			return c.ForegroundCall.Move(c.move)
		})},
		{what: "files are listed in no order", check: "EX-53: folders are listed", make: func(b *broken) {
			b.files = func(ctx context.Context, h execctx.Handle, name string) ([]execctx.FileInfo, error) {
				infos, err := b.Mock.ListFiles(ctx, h, name)
				slices.Reverse(infos)
				return infos, err
			}
		}},
		{what: "a missing file is another error", check: "EX-53: what is not there", make: func(b *broken) {
			b.read = func(ctx context.Context, h execctx.Handle, name string) ([]byte, error) {
				data, err := b.Mock.ReadFile(ctx, h, name)
				if err != nil {
					err = errors.New("cannot")
				}
				return data, err
			}
		}},
		{what: "a write appends", check: "EX-53: what is written", make: func(b *broken) {
			b.write = func(ctx context.Context, h execctx.Handle, name string, data []byte) error {
				old, _ := b.Mock.ReadFile(ctx, h, name)
				return b.Mock.WriteFile(ctx, h, name, append(old, data...))
			}
		}},
	}
}

// brokenCall is a foreground call that is moved in another way.
type brokenCall struct {
	execctx.ForegroundCall
	how  func(c brokenCall) (execctx.Launched, error)
	move execctx.MoveRequest
}

func (c brokenCall) Move(req execctx.MoveRequest) (execctx.Launched, error) {
	c.move = req
	return c.how(c)
}

func onCalls(how func(c brokenCall) (execctx.Launched, error)) func(*broken) {
	return func(b *broken) {
		b.start = func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ForegroundCall, error) {
			call, err := b.Mock.StartExec(ctx, h, req)
			if err != nil {
				return nil, err
			}
			return brokenCall{ForegroundCall: call, how: how}, nil
		}
	}
}
