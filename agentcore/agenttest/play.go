package agenttest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
)

// play goes through play.yaml.
func (st *stage) play() {
	st.t.Helper()
	for _, step := range st.s.play {
		if step.Steer != "" {
			st.queue("steer", st.agent.Steer(step.Steer))
		}
		if step.FollowUp != "" {
			st.queue("follow_up", st.agent.FollowUp(step.FollowUp))
		}
		if step.Reopen {
			st.reopen(step.Tear)
		}
		if step.Destroy {
			st.destroy()
		}
		st.tasks(step.Exit, step.Kill, step.Wait, step.Deliver, step.Pass)
		if step.Prompt != "" || step.Resume {
			st.run(step)
		}
	}
}

// queue shows what became of a message.
func (st *stage) queue(verb string, err error) {
	if err != nil {
		verb += ": " + err.Error()
	}
	st.out.line("-- %s", verb)
}

// run is one run, with what happens in it.
func (st *stage) run(step Step) {
	st.t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	r := &playing{stage: st, todo: step.Do, cancel: cancel}
	results := 0
	for e, err := range st.agent.Run(ctx, agentcore.RunOptions{Prompt: step.Prompt}) {
		if err != nil {
			st.out.line("-- the run could not begin: %v", err)
			return
		}
		if results > 0 {
			st.t.Errorf("%s comes behind the result (RT-9)", e.Kind)
		}
		if e.Kind == agentcore.EventResult && e.Depth == 0 {
			results++
		}
		if !r.crashed {
			st.sums.witness.Event(st.t, e)
		}
		text := st.out.event(e)
		r.act(text)
		if r.left {
			break
		}
	}
	st.out.flush()
	if r.crashed {
		return
	}
	if results != 1 && !r.left {
		st.t.Errorf("the run gave %d results (RT-9)", results)
	}
	if r.left {
		st.sums.left++
		st.sums.witness.Forget()
	}
	if len(r.todo) > 0 {
		st.t.Errorf("never happened in the run %q: %+v", step.Prompt, r.todo)
	}
	if err := sessiontest.Valid(st.sess.Messages()); err != nil {
		st.t.Errorf("after the run %q: %v", step.Prompt, err)
	}
}

// playing is a run and what is still to be done in it.
type playing struct {
	*stage
	todo    []Action
	seen    []string
	cancel  context.CancelCauseFunc
	left    bool
	crashed bool
}

// act does what was to happen at an event.
func (r *playing) act(text string) {
	r.seen = append(r.seen, text)
	var later []Action
	for _, a := range r.todo {
		if !r.saw(a.When) || !r.saw(a.And) {
			later = append(later, a)
			continue
		}
		r.out.settle() // a call that was said to begin has come to its tool
		r.do(a)
	}
	r.todo = later
}

// saw tells whether an event of the run began so.
func (r *playing) saw(prefix string) bool {
	return slices.ContainsFunc(r.seen, func(text string) bool { return strings.HasPrefix(text, prefix) })
}

func (r *playing) do(a Action) {
	switch {
	case a.Steer != "":
		r.queue("steer", r.agent.Steer(a.Steer))
	case a.FollowUp != "":
		r.queue("follow_up", r.agent.FollowUp(a.FollowUp))
	case a.Abort != "":
		r.out.line("-- abort %s: %v", a.Abort, r.agent.Abort(a.Abort, "the scenario aborts"))
	case a.Cancel != "":
		r.out.line("-- cancel %s: %v", a.Cancel, r.agent.CancelTool(r.out.callOf(a.Cancel)))
	case a.Leave:
		r.left = true
		r.out.line("-- the reader leaves")
	case a.EndCtx:
		r.out.line("-- the context ends")
		r.cancel(errors.New("the scenario ends the context"))
	case a.Crash:
		r.crash()
	}
	r.tasks(a.Exit, "", false, a.Deliver, 0)
	if a.Release != "" {
		r.jobs.release(a.Release)
		r.s.script.Release(a.Release)
	}
}

// crash remembers what is written now: the next reopening finds just this.
func (r *playing) crash() {
	r.crashed = true
	r.sums.witness.Forget() // their results belong to another run
	r.out.line("-- the program dies")
	r.out.mute(true)
	r.sums.sizes = map[string]int64{}
	r.must(filepath.WalkDir(r.store.Dir(r.sess.ID()), func(path string, d os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		info, err := d.Info()
		if err == nil {
			r.sums.sizes[path] = info.Size()
		}
		return err
	}))
	r.agent.Abort(agentcore.Now, "")
}

// reopen ends the agent and makes another one on the session that is read anew.
func (st *stage) reopen(tear bool) {
	st.t.Helper()
	st.out.mute(false)
	st.destroy()
	st.sums.before = st.sums.before.Add(st.agent.Stats().Usage)
	st.must(st.sess.Close())
	for path, size := range st.sums.sizes {
		st.must(os.Truncate(path, size))
		st.sums.crashed = true
	}
	if tear {
		info, err := os.Stat(st.sess.Path())
		st.must(err)
		st.must(os.Truncate(st.sess.Path(), info.Size()-20))
		st.sums.crashed = true
	}
	st.sums.sizes = nil
	st.out.line("-- reopened")
	var err error
	st.sess, err = st.store.Open(st.sess.ID())
	st.must(err)
	st.makeAgent()
}
