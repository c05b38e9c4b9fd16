package agentcore_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/execctx"
)

// slow is a mock whose reports of ends the test brings when it wants, as from a machine
// far away; noFiles hides where the output is.
type slow struct {
	*execctx.Mock
	noFiles bool

	mu   sync.Mutex
	held map[string]func()
}

func (s *slow) ExecBackground(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
	tell := req.OnExit
	req.OnExit = func(e execctx.ExitInfo) {
		if s.noFiles {
			e.OutputPath = ""
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held == nil {
			s.held = map[string]func(){}
		}
		s.held[e.TaskID] = func() { tell(e) }
	}
	made, err := s.Mock.ExecBackground(ctx, h, req)
	if s.noFiles {
		made.OutputPath = ""
	}
	return made, err
}

func (s *slow) ListBackground(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
	entries, err := s.Mock.ListBackground(ctx, h)
	for i := range entries {
		if s.noFiles {
			entries[i].OutputPath = ""
		}
	}
	return entries, err
}

func (s *slow) WaitBackground(ctx context.Context, h execctx.Handle, id string, timeout time.Duration) (*execctx.ExitInfo, error) {
	info, err := s.Mock.WaitBackground(ctx, h, id, timeout)
	if info != nil && s.noFiles {
		info.OutputPath = ""
	}
	return info, err
}

// report brings the reports of ends, in that order.
func (s *slow) report(ids ...string) {
	for _, id := range ids {
		s.mu.Lock()
		tell := s.held[id]
		s.mu.Unlock()
		tell()
		pass(time.Second) // of the bubble
		synctest.Wait()
	}
}

// AC-42, D-23: the order is that of the ends, whenever they were reported, and whether
// they were reported or listed.
func TestBackground_lateReports_AC42_D23(t *testing.T) {
	for _, reported := range [][]string{{"bash_3", "bash_1", "bash_2"}, {"bash_3", "bash_2"}, {"bash_2"}, nil} {
		var far *slow
		atWork(t, execctx.MockOptions{}, func(c *agentcore.Config) {
			far = &slow{Mock: c.Exec.(*execctx.Mock)}
			c.Exec = far
		}, []scripted.Step{launch("one", "two", "three"), say("On their way."), say("I see."), say("Nothing new.")}, func(t *testing.T, w *worked) {
			w.run("go", nil)
			for _, id := range []string{"bash_2", "bash_1", "bash_3"} {
				w.exit(id, 0)
			}
			far.report(reported...)
			w.run("and now?", nil)
			w.wantTold("bash_2", "bash_1", "bash_3")
			for _, id := range []string{"bash_1", "bash_2", "bash_3"} {
				if !slices.Contains(reported, id) {
					far.report(id) // too late: it was listed
				}
			}
			w.run("and now?", nil)
			w.wantTold()
		})
	}
}

// D-22: a task without a file is the same one whether its end was reported, listed or
// waited for.
func TestBackground_withoutFiles_D22_AC34_AC61(t *testing.T) {
	var far *slow
	atWork(t, execctx.MockOptions{}, func(c *agentcore.Config) {
		far = &slow{Mock: c.Exec.(*execctx.Mock), noFiles: true}
		c.Exec = far
	}, []scripted.Step{launch("one", "two", "three"), say("On their way."), say("I see."),
		{Tools: []scripted.Tool{use("wait_task", obj{"task_id": "bash_3"})}}, say("It is over."), say("Nothing new.")}, func(t *testing.T, w *worked) {
		w.run("go", nil)
		w.exit("bash_2", 0)
		w.exit("bash_1", 0)
		far.report("bash_1") // the other one is listed
		w.run("and now?", nil)
		w.wantTold("bash_2", "bash_1")
		time.AfterFunc(time.Second, func() { w.mock.Exit("bash_3", execctx.MockExit{}) })
		w.run("wait for it", nil)
		w.wantTold()
		far.report("bash_2", "bash_3")
		w.run("and now?", nil)
		w.wantTold()
		if w.agent.HasPendingTaskNotifications() {
			t.Error("ends are pending that were told")
		}
	})
}

// D-24, AC-35, D-51: an end that is reported while a run lists it is told once, to the
// model and to the host.
func TestBackground_reportedWhileListed_D24_AC35_AC84_D51(t *testing.T) {
	var far *slow
	var banners []string
	during := func() {}
	atWork(t, execctx.MockOptions{}, func(c *agentcore.Config) {
		far = &slow{Mock: c.Exec.(*execctx.Mock)}
		c.Exec = far
		c.OnTask = func(e task.Event) { banners = append(banners, e.TaskID) }
		c.Sweep = func(ctx context.Context, list func(context.Context) ([]execctx.TaskEntry, error)) ([]execctx.TaskEntry, error) {
			entries, err := list(ctx)
			during()
			return entries, err
		}
	}, []scripted.Step{launch("one", "two"), say("On their way."), say("I see."), say("Nothing new.")}, func(t *testing.T, w *worked) {
		w.run("go", nil)
		w.exit("bash_1", 0)
		w.exit("bash_2", 0)
		during = func() { during = func() {}; far.report("bash_1") }
		w.run("and now?", nil)
		if w.agent.HasPendingTaskNotifications() {
			t.Error("an end that was told waits to be told again")
		}
		far.report("bash_2")
		if got := slices.Concat(w.told(), banners); !slices.Equal(got, []string{"bash_2", "bash_1"}) {
			t.Errorf("the host was told of %v", got)
		}
		w.run("and now?", nil)
		w.wantTold()
	})
}
