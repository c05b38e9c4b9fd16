package sessiontest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
	"github.com/stophook/stophook/transcript"
)

// recorder is a test that only notes what it is told.
type recorder struct{ said []string }

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// check runs Check and gives what it reported.
func check(path string, told sessiontest.Told) (said string) {
	var r recorder
	defer func() {
		if p := recover(); p != nil && p != any(&r) {
			panic(p)
		}
		said = strings.Join(r.said, "\n")
	}()
	sessiontest.Check(&r, path, told)
	return ""
}

// record writes one turn with a task, and says what was told.
func record(t *testing.T) (path string, told sessiontest.Told) {
	t.Helper()
	store, err := session.NewStore(session.Options{Root: t.TempDir()})
	must(t, err)
	s, err := store.Create(session.Meta{})
	must(t, err)
	defer s.Close()
	uuid, err := s.UserPrompt(session.Prompt{Text: "go", PromptID: "p"})
	must(t, err)
	_, err = s.Assistant(&model.Message{StopReason: model.StopToolUse, Content: []model.Block{
		{Type: model.BlockToolUse, ID: "c", Name: "Bash", Input: []byte(`{"command":"make"}`)}}}, "")
	must(t, err)
	must(t, s.ToolResults(session.ToolResult{CallID: "c", Text: "moved",
		Structured: map[string]any{"backgroundTaskId": "b", "backgroundedToDeliverMessage": true}}))
	_, err = s.Assistant(&model.Message{StopReason: model.StopEndTurn, Content: []model.Block{model.Text("ok")}}, "")
	must(t, err)
	must(t, s.StopHookSummary(session.StopHookSummary{}))
	return s.Path(), sessiontest.Told{
		SessionID: s.ID(),
		Turns:     []sessiontest.Turn{{Origin: "human", UUID: uuid}},
		Calls:     []sessiontest.Call{{ID: "c", Name: "Bash", Answered: true}},
		Tasks:     []sessiontest.Task{{ID: "b", Entrance: transcript.EntranceDeliveredMessage}},
		Replies:   1, Final: "ok", Summaries: 1,
		Stops: []sessiontest.Stop{{Prompt: "p", Text: "ok"}},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Every difference is reported: an oracle that sees nothing proves nothing.
func TestCheck_seesEveryDifference_AC182(t *testing.T) {
	path, told := record(t)
	if said := check(path, told); said != "" {
		t.Fatalf("no difference was told, and reported was:\n%s", said)
	}
	for name, change := range map[string]func(*sessiontest.Told){
		"session": func(d *sessiontest.Told) { d.SessionID = "other" },
		"turns":   func(d *sessiontest.Told) { d.Turns = nil },
		"origin": func(d *sessiontest.Told) {
			d.Turns = []sessiontest.Turn{{Origin: "notification", UUID: d.Turns[0].UUID}}
		},
		"copied": func(d *sessiontest.Told) {
			d.Turns = []sessiontest.Turn{{Origin: "human", UUID: d.Turns[0].UUID, Copied: true}}
		},
		"calls": func(d *sessiontest.Told) { d.Calls = nil },
		"failed": func(d *sessiontest.Told) {
			d.Calls = []sessiontest.Call{{ID: "c", Name: "Bash", Answered: true, Failed: true}}
		},
		"tasks": func(d *sessiontest.Told) { d.Tasks = nil },
		"entrance": func(d *sessiontest.Told) {
			d.Tasks = []sessiontest.Task{{ID: "b", Entrance: transcript.EntranceRequested}}
		},
		"ended": func(d *sessiontest.Told) {
			d.Tasks = []sessiontest.Task{{ID: "b", Entrance: d.Tasks[0].Entrance, Ended: true}}
		},
		"feedback":   func(d *sessiontest.Told) { d.Feedback++ },
		"interrupts": func(d *sessiontest.Told) { d.Interrupts++ },
		"errors":     func(d *sessiontest.Told) { d.APIErrors++ },
		"summaries":  func(d *sessiontest.Told) { d.Summaries++ },
		"replies":    func(d *sessiontest.Told) { d.Replies++ },
		"final":      func(d *sessiontest.Told) { d.Final = "" },
		"bad lines":  func(d *sessiontest.Told) { d.BadLines++ },
		"stops":      func(d *sessiontest.Told) { d.Stops = []sessiontest.Stop{} },
		"blocked":    func(d *sessiontest.Told) { d.Stops = []sessiontest.Stop{{Prompt: "p", Text: "ok", Blocked: true}} },
	} {
		_, other := record(t) // a copy with lists of its own
		other.SessionID, other.Turns = told.SessionID, told.Turns
		change(&other)
		if said := check(path, other); said == "" {
			t.Errorf("%s: the difference was not seen", name)
		}
	}
	if said := check(path+".missing", told); !strings.Contains(said, "transcript.Read") {
		t.Errorf("a missing file: %s", said)
	}
}

func TestValid_refuses_RT42(t *testing.T) {
	user := func(blocks ...model.Block) model.Message {
		return model.Message{Role: model.RoleUser, Content: blocks}
	}
	answer := func(blocks ...model.Block) model.Message {
		return model.Message{Role: model.RoleAssistant, Content: blocks}
	}
	use := func(id string) model.Block { return model.Block{Type: model.BlockToolUse, ID: id, Name: "n"} }
	text, result := model.Text("t"), func(id string) model.Block { return model.ToolResult(id, "r", false) }
	thinking := model.Block{Type: model.BlockThinking, Thinking: "t", Signature: "s"}
	for name, messages := range map[string][]model.Message{
		"the assistant begins":    {answer(text)},
		"a side twice":            {user(text), user(text)},
		"an empty message":        {user()},
		"an empty text":           {user(model.Text(" "))},
		"an empty answer":         {user(text), answer(model.Text(""))},
		"no result":               {user(text), answer(use("a"))},
		"no result before a text": {user(text), answer(use("a")), user(text)},
		"a result too few":        {user(text), answer(use("a"), use("b")), user(result("a"))},
		"results out of order":    {user(text), answer(use("a"), use("b")), user(result("b"), result("a"))},
		"a result behind a text":  {user(text), answer(use("a")), user(text, result("a"))},
		"a result from nowhere":   {user(result("a"))},
		"an id twice":             {user(text), answer(use("a")), user(result("a")), answer(use("a")), user(result("a"))},
		"a call without a name":   {user(text), answer(model.Block{Type: model.BlockToolUse, ID: "a"}), user(result("a"))},
		"a call of the user":      {user(use("a"))},
		"a result of the agent":   {user(text), answer(result("a"))},
		"thinking at the end":     {user(text), answer(text, thinking)},
		"thinking not signed":     {user(text), answer(model.Block{Type: model.BlockThinking, Thinking: "t"}, text)},
		"a block of no type":      {user(text), answer(model.Block{})},
		"a block that is no JSON": {user(text), answer(model.Block{Type: "odd", Raw: []byte("{")})},
	} {
		if sessiontest.Valid(messages) == nil {
			t.Errorf("%s passed", name)
		}
	}
	fine := []model.Message{user(text), answer(thinking, text, use("a"), use("b")), user(result("a"), result("b"), text), answer(text)}
	if err := sessiontest.Valid(fine); err != nil {
		t.Error(err)
	}
	if err := sessiontest.Valid(nil); err != nil {
		t.Error(err)
	}
}
