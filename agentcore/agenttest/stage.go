package agenttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// stage is a scenario at work: an agent, its session, and what is seen of them. It
// belongs to the test's goroutine.
type stage struct {
	t     *testing.T
	s     *scenario
	work  string // the working directory
	store *session.Store
	sess  *session.Session
	agent *agentcore.Agent
	meter *Meter
	jobs  *jobs
	exec  *execctx.Mock
	out   *printer
	sums  sums
}

func newStage(t *testing.T, s *scenario, root string) *stage {
	t.Helper()
	st := &stage{t: t, s: s, work: filepath.Join(root, "work"), meter: NewMeter(s.script), jobs: newJobs()}
	st.out = newPrinter(st.work, filepath.Join(root, "store"))
	for _, f := range s.files {
		name := filepath.Join(st.work, filepath.FromSlash(f.Name))
		st.must(os.MkdirAll(filepath.Dir(name), 0o755))
		st.must(os.WriteFile(name, f.Data, 0o644))
	}
	st.must(os.MkdirAll(st.work, 0o755))
	switch {
	case s.setup.Background != nil:
		st.exec = s.setup.Background.mock()
	case s.setup.Exec:
		st.exec = execctx.NewMock(execctx.MockOptions{CWD: "/mock"})
	}
	var err error
	st.store, err = session.NewStore(session.Options{Root: filepath.Join(root, "store"), NewID: numbers("row-")})
	st.must(err)
	st.sess, err = st.store.Create(session.Meta{ID: "session", CWD: st.work, Model: "m"})
	st.must(err)
	st.makeAgent()
	return st
}

// numbers gives ids that rise.
func numbers(prefix string) func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("%s%d", prefix, n.Add(1)) }
}

func (st *stage) must(err error) {
	st.t.Helper()
	if err != nil {
		st.t.Fatal(err)
	}
}

// makeAgent makes the agent of the present session.
func (st *stage) makeAgent() {
	st.t.Helper()
	set := st.s.setup
	cfg := agentcore.Config{Model: st.meter, ModelName: "m", System: set.System, Session: st.sess, NewID: numbers("id"),
		PermissionMode: "default", Behavior: set.Behavior.behavior(), Prices: set.prices(), Warn: func(string) {}}
	if set.Retry {
		cfg.Model = model.Retry(st.meter, model.RetryOptions{Sleep: func(context.Context, time.Duration) error { return nil }})
	}
	for _, j := range set.Tools {
		t, err := st.jobs.tool(j)
		st.must(err)
		cfg.Tools = append(cfg.Tools, t)
	}
	for _, sub := range set.Subagents {
		cfg.Subagents = append(cfg.Subagents, agentcore.Subagent{Name: sub.Name, Use: "parts of the work", System: sub.System,
			Tools: sub.Tools, MaxTurns: sub.MaxTurns, ShareHandle: sub.ShareHandle})
	}
	if st.exec != nil {
		cfg.Exec = st.exec
	}
	if set.Background != nil {
		set.Background.configure(&cfg)
	}
	cfg.Gate, cfg.Ask = st.gate(), st.asker()
	cfg.Bus = st.bus()
	cfg.Commands = st.commands()
	var err error
	st.agent, err = agentcore.New(cfg)
	st.must(err)
}

func (st *stage) gate() tool.Gate {
	g := st.s.setup.Gate
	if g == nil {
		return nil
	}
	if g.Fail {
		return tool.GateFunc(func(context.Context, tool.Request) (tool.Decision, error) {
			return tool.Decision{Permission: tool.Allow}, errors.New("the gate is broken")
		})
	}
	rules, err := tool.ParseRules(tool.RuleOptions{Mode: g.Mode, Allow: g.Allow, Ask: g.Ask, Deny: g.Deny})
	st.must(err)
	return rules
}

func (st *stage) asker() tool.Asker {
	if st.s.setup.Ask == "" {
		return nil
	}
	return func(_ context.Context, req tool.Request, reason string) (bool, error) {
		st.out.settle()
		st.out.note("-- asked about %s: %q", req.Tool.Name, reason)
		return st.s.setup.Ask == "yes", nil
	}
}

// commands are the hooks of settings.json.
func (st *stage) commands() *hook.Commands {
	if st.s.settings == nil {
		return nil
	}
	path := filepath.Join(st.work, partSettings)
	st.must(os.WriteFile(path, st.s.settings, 0o600))
	settings, err := hook.LoadSettings(path)
	st.must(err)
	return hook.NewCommands(settings, hook.Options{ProjectDir: st.work, Env: []string{"PATH=" + os.Getenv("PATH")}})
}

// messages is the conversation as the model would get it.
func (st *stage) messages() string { return st.out.neutral.Replace(printMessages(st.sess.Messages())) }

// close looks at what is left.
func (st *stage) close() {
	st.t.Helper()
	st.check()
	if err := st.sess.Close(); err != nil {
		st.t.Errorf("close the session: %v", err)
	}
	if err := st.s.script.Done(); err != nil {
		st.t.Error(err)
	}
}

// finish ends the agent and gives what was seen, and in which order the execution
// context was called.
func (st *stage) finish() string {
	st.t.Helper()
	st.jobs.finish(st.s.setup.Tools)
	if st.s.setup.Background != nil {
		st.oracle()
	}
	st.destroy()
	text := st.out.text()
	if st.s.setup.Exec {
		for _, c := range st.exec.Calls(execctx.MockSeamSpawn, execctx.MockSeamDestroy) {
			text += fmt.Sprintf("context %s %s\n", c.Seam, c.Handle.ID)
		}
	}
	return text
}

func (st *stage) destroy() {
	st.t.Helper()
	if err := st.agent.Destroy(context.Background()); err != nil {
		st.out.line("-- destroy: %v", err)
	}
}
