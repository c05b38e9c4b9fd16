package builtin

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/transcript"
)

// written is a session whose rows are made of calls of the tools.
type written struct {
	w     *workspace
	s     *session.Session
	files map[string]string // output of tasks, as seen read it
}

func writing(t *testing.T, w *workspace) *written {
	t.Helper()
	store, err := session.NewStore(session.Options{Root: t.TempDir(), Sync: session.SyncNever})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Create(session.Meta{CWD: "/proj"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, err := s.UserPrompt(session.Prompt{Text: "build it"}); err != nil {
		t.Fatal(err)
	}
	return &written{w: w, s: s}
}

// call runs a tool and writes the call and what it came to.
func (x *written) call(id, name, input string) *tool.Result {
	x.w.t.Helper()
	_, err := x.s.Assistant(&model.Message{ID: "msg_" + id, Model: "m", Role: model.RoleAssistant, StopReason: model.StopToolUse,
		Content: []model.Block{{Type: model.BlockToolUse, ID: id, Name: name, Input: json.RawMessage(input)}}}, "req_"+id)
	if err != nil {
		x.w.t.Fatal(err)
	}
	res, err := x.w.reg.Run(x.w.t.Context(), &tool.Call{ID: id, Name: name, Input: json.RawMessage(input), Env: x.w.env})
	if err != nil {
		x.w.t.Fatal(err)
	}
	if err := x.s.ToolResults(session.ToolResult{CallID: id, Text: res.Text, IsError: res.IsError, Structured: res.Structured}); err != nil {
		x.w.t.Fatal(err)
	}
	return res
}

// seen is a task as a reader of the transcript has it.
type seen struct {
	Entrance transcript.Entrance
	Ended    bool
	Status   string
	Handoff  transcript.HandoffState
}

func (x *written) seen() map[string]seen {
	x.w.t.Helper()
	read, err := transcript.Read(x.s.Path(), transcript.Options{})
	if err != nil {
		x.w.t.Fatal(err)
	}
	got := map[string]seen{}
	x.files = map[string]string{}
	for _, task := range read.Tasks {
		x.files[task.ID] = task.OutputFile
		got[task.ID] = seen{Entrance: task.Entrance, Ended: task.EndedAt != nil, Status: task.Status}
	}
	for _, h := range read.Handoffs {
		task := got[h.TaskID]
		task.Handoff = h.State.Ended
		got[h.TaskID] = task
	}
	return got
}

// Whoever reads the transcript finds the tasks that were started, moved, killed and
// waited for, and those alone, as the list of the context has them.
func TestTranscript_AC182_AC183_findsTheTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, mock := inMock(t, execctx.MockOptions{OnExec: func(execctx.MockRun) execctx.MockScript { return execctx.MockScript{} }})
		l := lend(w, interactive)
		x := writing(t, w)
		expect := func(when string, want map[string]seen) {
			t.Helper()
			if diff := cmp.Diff(want, x.seen()); diff != "" {
				t.Errorf("%s:\n%s", when, diff)
			}
			entries, err := mock.ListBackground(t.Context(), w.env.Handle)
			if err != nil || len(entries) != len(want) {
				t.Errorf("%s: %+v, %v", when, entries, err)
			}
			for _, e := range entries {
				if got := x.files[e.TaskID]; got != e.OutputPath {
					t.Errorf("%s: the output of %s is %q, want %q", when, e.TaskID, got, e.OutputPath)
				}
				if e.Ended() != want[e.TaskID].Ended {
					t.Errorf("%s: %s ended %v", when, e.TaskID, e.Ended())
				}
			}
		}
		asked := func(ended bool, status string) seen {
			return seen{Entrance: transcript.EntranceRequested, Ended: ended, Status: status}
		}
		for _, id := range []string{"c1", "c2", "c3"} {
			x.call(id, "shell", `{"command":"make","run_in_background":true}`)
		}
		go func() { f := <-l.running; f.move(t) }()
		x.call("c4", "shell", `{"command":"make all"}`)
		moved := seen{Entrance: transcript.EntranceDeliveredMessage, Handoff: transcript.HandoffOpen}
		expect("started", map[string]seen{"bash_1": asked(false, ""), "bash_2": asked(false, ""), "bash_3": asked(false, ""), "bash_4": moved})

		x.call("c5", "wait_task", `{"task_id":"bash_2","timeout_ms":5}`)
		x.call("c6", "shell_kill", `{"task_id":"bash_9"}`)
		x.call("c7", "shell", `{"command":"x","run_in_background":"no"}`)
		expect("nothing ended", map[string]seen{"bash_1": asked(false, ""), "bash_2": asked(false, ""), "bash_3": asked(false, ""), "bash_4": moved})

		x.call("c8", "shell_kill", `{"task_id":"bash_1"}`)
		time.AfterFunc(time.Second, func() { mock.Exit("bash_2", execctx.MockExit{}) })
		x.call("c9", "wait_task", `{"task_id":"bash_2"}`)
		time.AfterFunc(time.Second, func() { mock.Exit("bash_3", execctx.MockExit{Code: 2}) })
		x.call("c10", "wait_task", `{"task_id":"bash_3"}`)
		moved.Ended, moved.Status, moved.Handoff = true, "killed", transcript.HandoffClosed
		x.call("c11", "shell_kill", `{"task_id":"bash_4"}`)
		expect("ended", map[string]seen{"bash_1": asked(true, "killed"), "bash_2": asked(true, "completed"), "bash_3": asked(true, "failed"), "bash_4": moved})
	})
}
