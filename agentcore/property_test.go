package agentcore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/agenttest"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
	"github.com/stophook/stophook/agentcore/tool"
)

// What holds of every run, whatever the model says and others do meanwhile: a model
// that answers at random, tools of all kinds, gates, stops that are held, subagents,
// and messages, cancels, aborts and readers that leave at random moments.
func TestRun_property_RT1_RT2_RT3_RT4_RT5_RT8_RT9_RT12_AC181(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt)
		defer w.close()
		for range rapid.IntRange(1, 4).Draw(rt, "runs") {
			w.run()
			if rapid.IntRange(0, 3).Draw(rt, "restart") == 0 {
				w.restart()
			}
		}
		w.check()
	})
}

// world is an agent among random others. It belongs to the test's goroutine, but for
// the fields behind the mutex of its own types.
type world struct {
	t       *rapid.T
	root    string
	store   *session.Store
	sess    *session.Session
	agent   *agentcore.Agent
	meter   *agenttest.Meter
	witness agenttest.Witness
	heard   heard
	jobs    *blockers
	before  model.Usage
	runs    int
	left    int
	kids    []string
	newID   func() string
	steers  []string // what was sent, each text once
}

func newWorld(t *rapid.T) *world {
	root, err := os.MkdirTemp("", "agentcore-property-")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, jobs: newBlockers(), newID: ids()}
	w.store, err = session.NewStore(session.Options{Root: root, NewID: ids()})
	w.must(err)
	w.sess, err = w.store.Create(session.Meta{CWD: root})
	w.must(err)
	w.meter = agenttest.NewMeter(randomModel(drawAnswers(t)))
	w.newAgent()
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) newAgent() {
	bus := hook.NewBus(nil)
	w.heard.listen(bus, rapid.IntRange(0, 3).Draw(w.t, "held stops"))
	var err error
	w.agent, err = agentcore.New(agentcore.Config{Model: w.meter, ModelName: "m", Session: w.sess, Bus: bus, NewID: w.newID,
		Tools: randomTools(w.jobs), Subagents: []agentcore.Subagent{agentcore.GeneralSubagent()}, Warn: func(string) {},
		Gate: tool.GateFunc(func(_ context.Context, r tool.Request) (tool.Decision, error) {
			if r.Tool.Name == "denied" {
				return tool.Decision{Permission: tool.Deny}, nil
			}
			return tool.Decision{Permission: tool.Allow}, nil
		}),
		Behavior: agentcore.Behavior{MaxTurns: rapid.SampledFrom([]int{3, 12}).Draw(w.t, "turns"), MaxDepth: 2, MaxContinues: 1,
			StopBlockCap: 2, MaxParallel: rapid.IntRange(1, 3).Draw(w.t, "parallel")}})
	w.must(err)
}

// run is one run, in which something may happen at every event.
func (w *world) run() {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	prompt := ""
	if rapid.IntRange(0, 4).Draw(w.t, "prompt") > 0 {
		prompt = fmt.Sprintf("prompt %d", w.runs)
	}
	hands := rapid.SliceOfN(rapid.SampledFrom(moves), 0, 12).Draw(w.t, "moves")
	results, left := 0, false
	for e, err := range w.agent.Run(ctx, agentcore.RunOptions{Prompt: prompt}) {
		if err != nil {
			if !errors.Is(err, agentcore.ErrNoPrompt) || prompt != "" {
				w.t.Fatalf("run: %v", err)
			}
			return
		}
		w.see(e, results)
		if e.Kind == agentcore.EventResult && e.Depth == 0 {
			results++
			continue
		}
		if len(hands) > 0 {
			left = w.move(hands[0], e, cancel)
			hands = hands[1:]
		}
		if e.Kind == agentcore.EventToolStart {
			w.jobs.release(e.CallID)
		}
		if left {
			break
		}
	}
	w.runs++
	if left {
		w.left++
		w.witness.Forget()
	} else if results != 1 {
		w.t.Errorf("%d results (RT-9)", results)
	}
	if w.agent.Running() {
		w.t.Error("it runs after its end")
	}
	if err := sessiontest.Valid(w.sess.Messages()); err != nil {
		w.t.Errorf("after run %d: %v (RT-42)", w.runs, err)
	}
}

func (w *world) see(e agentcore.Event, results int) {
	if results > 0 {
		w.t.Errorf("%s behind the result (RT-9)", e.Kind)
	}
	if e.Run == "" || e.Session != w.sess.ID() || (e.Agent == "") != (e.Depth == 0) {
		w.t.Errorf("whose event is this: %+v", e)
	}
	if e.Kind == agentcore.EventChildStart {
		w.kids = append(w.kids, e.Child)
	}
	w.witness.Event(w.t, e)
}

// moves are what others do at an event.
var moves = []string{"", "", "", "", "", "steer", "follow up", "cancel", "now", "after model", "after tools", "leave", "end"}

func (w *world) move(move string, e agentcore.Event, cancel context.CancelCauseFunc) (leave bool) {
	text := fmt.Sprintf("message %d", len(w.steers))
	switch move {
	case "steer":
		w.must(w.agent.Steer(text))
		w.steers = append(w.steers, text)
	case "follow up":
		w.must(w.agent.FollowUp(text))
		w.steers = append(w.steers, text)
	case "cancel":
		w.agent.CancelTool(e.CallID)
	case "now":
		w.agent.Abort(agentcore.Now, "")
	case "after model":
		w.agent.Abort(agentcore.AfterModel, "")
	case "after tools":
		w.agent.Abort(agentcore.AfterTools, "")
	case "end":
		cancel(errors.New("the caller has enough"))
	}
	return move == "leave"
}

func (w *world) restart() {
	w.must(w.agent.Destroy(context.Background()))
	w.before = w.before.Add(w.agent.Stats().Usage)
	w.must(w.sess.Close())
	var err error
	w.sess, err = w.store.Open(w.sess.ID())
	w.must(err)
	// What was queued between runs only, nobody recorded.
	w.newAgent()
}

// check is what has to be true at the end.
func (w *world) check() {
	w.checkMessages()
	w.must(w.agent.Destroy(context.Background()))
	total, _ := w.meter.Total()
	if got := w.before.Add(w.agent.Stats().Usage); got != total {
		w.t.Errorf("the agent counts %+v, the model reported %+v (RT-8)", got, total)
	}
	if got := w.sess.Totals().Usage; got != total {
		w.t.Errorf("the session counts %+v, the model reported %+v (RT-8)", got, total)
	}
	agenttest.CheckAnswered(w.t, w.sess)
	w.heard.check(w.t, w.runs)
	if w.left == 0 {
		if w.witness.Usage != total {
			w.t.Errorf("results count %+v, the model reported %+v (RT-8)", w.witness.Usage, total)
		}
		w.witness.Check(w.t, w.sess)
	}
	for _, id := range w.kids {
		thread, err := w.sess.Subagent(id, session.Meta{})
		w.must(err)
		if err := sessiontest.Valid(thread.Messages()); err != nil {
			w.t.Errorf("subagent %s: %v", id, err)
		}
		w.must(thread.Close())
	}
	w.checkReopened()
}

// checkMessages wants every message of a person in the conversation once, or else in
// the queue of the agent and of the session (RT-4): an abort loses none, nor does a
// program that ends.
func (w *world) checkMessages() {
	queued := w.agent.Queued()
	if diff := cmp.Diff(queued, w.sess.Queued(), cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("queued by the agent and not by the session, or the reverse (-agent +session):\n%s", diff)
	}
	found := slices.Clone(queued)
	for _, m := range w.sess.Messages() {
		for _, b := range m.Content {
			if b.Type == model.BlockText && m.Role == model.RoleUser && slices.Contains(w.steers, b.Text) {
				found = append(found, b.Text)
			}
		}
	}
	slices.Sort(found)
	sent := slices.Sorted(slices.Values(w.steers))
	if diff := cmp.Diff(sent, found, cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("sent, and delivered or queued (-want +got):\n%s", diff)
	}
}

// checkReopened wants to find in the file what the session holds (RT-40).
func (w *world) checkReopened() {
	messages, totals, queued := w.sess.Messages(), w.sess.Totals(), w.sess.Queued()
	w.must(w.sess.Close())
	again, err := w.store.Open(w.sess.ID())
	w.must(err)
	w.sess = again
	opts := cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Block{}, "Raw")}
	if diff := cmp.Diff(messages, again.Messages(), opts); diff != "" {
		w.t.Errorf("the conversation, reopened (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(totals, again.Totals()); diff != "" {
		w.t.Errorf("the totals, reopened (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(queued, again.Queued(), cmpopts.EquateEmpty()); diff != "" {
		w.t.Errorf("the queue, reopened (-before +after):\n%s", diff)
	}
	if d := again.Damage(); d.BadRows+d.LongRows > 0 || d.Torn || len(d.Unanswered) > 0 {
		w.t.Errorf("the file is damaged: %+v", d)
	}
}

func (w *world) close() {
	w.jobs.releaseAll()
	if err := w.agent.Destroy(context.Background()); err != nil {
		w.t.Error(err)
	}
	w.sess.Close()
	os.RemoveAll(filepath.Clean(w.root))
}
