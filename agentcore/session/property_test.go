package session

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
	"github.com/stophook/stophook/transcript"
)

// world is a session under test with what the test remembers of it.
type world struct {
	t     *rapid.T
	store *Store
	main  *Session
	naive *naive
	subs  map[string]*naive
	n     int // makes names
}

func (w *world) name(kind string) string {
	w.n++
	return fmt.Sprintf("%s%d", kind, w.n)
}

func (w *world) must(err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

// text draws what a person, a model or a tool may say.
func (w *world) text() string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", " ", "ok", "<b> & \"q\"\n\t\\ \u2028 é 日本", "{\"type\":\"user\"}\n", "\x00\x1b[0m", "[Request interrupted by user"}),
		rapid.StringN(0, 30, 100)).Draw(w.t, "text")
}

// write does one thing to a thread and to what is remembered of it.
func (w *world) write(t *Thread, n *naive) {
	switch rapid.IntRange(0, 12).Draw(w.t, "write") {
	case 0, 1:
		text := w.text()
		uuid, err := t.UserPrompt(Prompt{Text: text})
		w.must(err)
		n.add(naiveRow{kind: "turn", origin: "human", uuid: uuid, text: clean(text)})
	case 2, 3, 4:
		w.answer(t, n)
	case 5, 6:
		w.results(t, n)
	case 7:
		uuid, err := t.Feedback(Feedback{Reason: "r", Hooks: []HookError{{Command: "c", Text: "r"}}})
		w.must(err)
		n.add(naiveRow{kind: "feedback", uuid: uuid, text: FeedbackPrefix + "r"}, naiveRow{kind: "other", uuid: t.Leaf()})
		w.must(t.StopHookSummary(StopHookSummary{Errors: []string{"r"}}))
		n.add(naiveRow{kind: "summary", uuid: t.Leaf()})
	case 8:
		text := "steer " + w.text()
		w.must(t.Steer(Steer{Text: text}))
		n.add(naiveRow{kind: "other"}, naiveRow{kind: "other"}, naiveRow{kind: "text", uuid: t.Leaf(), text: clean(text)})
	case 9:
		w.must(t.HookContext(HookContext{Event: "E", Texts: []string{"a", "b"}}))
		n.add(naiveRow{kind: "text", uuid: t.Leaf(), text: "<system-reminder>\nE hook additional context: a\nb\n</system-reminder>"})
	case 10:
		uuid, err := t.Interrupted(true)
		w.must(err)
		n.add(naiveRow{kind: "interrupt", uuid: uuid, text: interruptedToolText})
		uuid, err = t.APIError(&model.Error{Kind: model.KindServer, Message: "m"})
		w.must(err)
		n.add(naiveRow{kind: "apierror", uuid: uuid, text: "API Error: " + (&model.Error{Kind: model.KindServer, Message: "m"}).Error()})
	case 11:
		for _, id := range n.open() {
			n.add(naiveRow{kind: "result", uuid: "?", block: model.ToolResult(id, unansweredText, true)})
		}
		w.must(t.RunStart(Run{ID: "r"}))
		w.must(t.RunEnd(RunEnd{ID: "r", ModelCalls: 1, Usage: model.Usage{OutputTokens: 1}}))
		w.must(t.Title("t"))
		n.add(naiveRow{kind: "other"}, naiveRow{kind: "other"}, naiveRow{kind: "other"})
	case 12:
		w.notice(t, n)
	}
}

// notice tells the end of a task that there is, or of one that there is not.
func (w *world) notice(t *Thread, n *naive) {
	task := "none"
	for _, r := range n.rows {
		if r.kind == "result" && r.task != "" && rapid.Bool().Draw(w.t, "this") {
			task = r.task
		}
	}
	text := "<task-notification>\n<task-id>" + task + "</task-id>\n<status>completed</status>\n<summary>s</summary>\n</task-notification>"
	uuid, err := t.UserRow(UserRow{Text: text, Origin: Origin{Kind: OriginNotification}})
	w.must(err)
	n.add(naiveRow{kind: "turn", origin: "notification", uuid: uuid, text: text, task: task})
}

func (w *world) answer(t *Thread, n *naive) {
	m := &model.Message{ID: w.name("msg"), Model: "m", StopReason: model.StopEndTurn}
	for range rapid.IntRange(1, 4).Draw(w.t, "blocks") {
		switch rapid.IntRange(0, 4).Draw(w.t, "block") {
		case 0:
			m.Content = append(m.Content, model.Text(clean(w.text())))
		case 1:
			m.Content = append(m.Content, model.Block{Type: model.BlockThinking, Thinking: "t", Signature: rapid.SampledFrom([]string{"", "s"}).Draw(w.t, "signature")})
		default:
			m.Content = append(m.Content, use(w.name("call"), "Bash", `{"command":"x"}`))
		}
	}
	if len(m.ToolUses()) > 0 {
		m.StopReason = model.StopToolUse
	}
	uuid, err := t.Assistant(m, "")
	w.must(err)
	for i, b := range m.Content {
		row := naiveRow{kind: "answer", msg: m.ID, block: b, uuid: "?"}
		if i == len(m.Content)-1 {
			row.uuid = uuid
		}
		n.add(row)
	}
}

// results answers some of the open calls, in any order.
func (w *world) results(t *Thread, n *naive) {
	open := n.open()
	if len(open) == 0 {
		return
	}
	open = rapid.Permutation(open).Draw(w.t, "order")[:rapid.IntRange(1, len(open)).Draw(w.t, "answered")]
	for _, id := range open {
		r := ToolResult{CallID: id, Text: clean(w.text()), IsError: rapid.Bool().Draw(w.t, "error")}
		row := naiveRow{kind: "result", block: model.ToolResult(id, r.Text, r.IsError)}
		if r.Text == "" {
			row.block.Content = nil
		}
		switch rapid.IntRange(0, 3).Draw(w.t, "structured") {
		case 0:
			row.task, row.how = w.name("task"), transcript.EntranceDeliveredMessage
			r.Structured = map[string]any{"backgroundTaskId": row.task, "backgroundedToDeliverMessage": true}
		case 1:
			row.task, row.how = w.name("task"), transcript.EntranceRequested
			r.Structured = map[string]any{"backgroundTaskId": row.task, "stdout": "<x>"}
		case 2:
			r.Structured = map[string]any{"stdout": r.Text}
		}
		w.must(t.ToolResults(r))
		row.uuid = t.Leaf()
		n.add(row)
	}
}

// checkThread compares a thread with what is remembered.
func (w *world) checkThread(t *Thread, n *naive) {
	got := t.Messages()
	if diff := cmp.Diff(show(n.messages()), show(got)); diff != "" {
		w.t.Fatalf("messages (-naive +got):\n%s", diff)
	}
	if diff := cmp.Diff(show(got), show(t.Borrow())); diff != "" {
		w.t.Fatalf("messages (-copied +lent):\n%s", diff)
	}
	if err := sessiontest.Valid(got); err != nil {
		w.t.Fatalf("messages that no API takes: %v\n%s", err, show(got))
	}
}

func (w *world) check() {
	w.checkThread(w.main.Thread, w.naive)
	told := w.naive.told(w.main.ID())
	now, err := transcript.Read(w.main.Path(), transcript.Options{SessionID: told.SessionID})
	w.must(err)
	if now.Rows == 0 {
		return // all was cut off: there is nothing to compare
	}
	sessiontest.Check(w.t, w.main.Path(), told)
	if got := w.main.Totals().Turns; got != len(told.Turns) {
		w.t.Fatalf("%d turns, told were %d", got, len(told.Turns))
	}
}

// reopen ends the writer as a kill would, and takes the session up again; what
// the file has lost meanwhile is forgotten.
func (w *world) reopen(cut bool) {
	totals, damage := w.main.Totals(), Damage{}
	w.must(w.main.Close())
	if cut {
		info, err := os.Stat(w.main.Path())
		w.must(err)
		size := rapid.Int64Range(max(0, info.Size()-1500), info.Size()).Draw(w.t, "size")
		w.must(os.Truncate(w.main.Path(), size))
		w.naive.cut(size)
	}
	var err error
	w.main, err = w.store.Open(w.main.ID())
	w.must(err)
	for _, r := range w.naive.rows {
		if r.kind == "bad" {
			damage.BadRows++
		}
	}
	if got := w.main.Damage(); got.BadRows != damage.BadRows || !slices.Equal(got.Unanswered, w.naive.open()) {
		w.t.Fatalf("damage %+v, %d bad rows and the open calls %v were expected", got, damage.BadRows, w.naive.open())
	}
	if !cut && w.main.Totals() != totals {
		w.t.Fatalf("totals were %+v and are %+v", totals, w.main.Totals())
	}
}

// fork goes on with a copy. Rows whose uuid the test does not know stand for no
// place to fork at.
func (w *world) fork() {
	at := ""
	for _, r := range w.naive.rows {
		if len(r.uuid) > 1 && rapid.IntRange(0, 9).Draw(w.t, "at") == 0 {
			at = r.uuid
		}
	}
	fork, err := w.store.Fork(w.main.ID(), at)
	w.must(err)
	w.must(w.main.Close())
	w.main, w.naive = fork, w.naive.fork(at)
	w.locate()
}

// locate finds out where the rows of a file end that the test has not seen grow.
func (w *world) locate() {
	for i := range w.naive.rows {
		w.naive.rows[i].end = 0
	}
	file, err := os.ReadFile(w.main.Path())
	w.must(err)
	w.naive.ends(string(file))
}

// sub writes the thread of a subagent, which nobody must find in the main one.
func (w *world) sub() {
	id := rapid.SampledFrom([]string{"a", "b"}).Draw(w.t, "agent")
	t, err := w.main.Subagent(id, Meta{})
	w.must(err)
	key := w.main.ID() + id
	if w.subs[key] == nil {
		w.subs[key] = &naive{}
	}
	w.checkThread(t, w.subs[key])
	w.write(t, w.subs[key])
	w.checkThread(t, w.subs[key])
	w.must(t.Close())
}

func (w *world) close() { w.main.Close() }

func TestSession_property_AC182_RT40_RT42(t *testing.T) {
	root := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			t.Fatal(err)
		}
		store, err := NewStore(testOptions(dir))
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, store: store, naive: &naive{}, subs: map[string]*naive{}}
		w.main, err = store.Create(Meta{CWD: "/w"})
		w.must(err)
		defer func() { w.close() }()
		w.naive.add(naiveRow{kind: "other"})
		w.locate()
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch op := rapid.IntRange(0, 19).Draw(t, "op"); op {
			case 0:
				w.reopen(false)
			case 1, 2:
				w.reopen(true)
			case 3:
				w.fork()
			case 4:
				w.sub()
			default:
				w.write(w.main.Thread, w.naive)
				file, err := os.ReadFile(w.main.Path())
				w.must(err)
				w.naive.ends(string(file))
			}
			w.check()
		}
		w.reopen(false)
		w.check()
	})
}

// A cut anywhere in a file of every kind of row: nothing that is whole is
// lost, and the next row is readable (RT-40).
func TestCut_everywhere_RT40(t *testing.T) {
	s := record(t, newStore(t))
	must(t, s.Close())
	whole := readFile(t, s.Path())
	step := 11
	if testing.Short() {
		step = 53
	}
	for size := 0; size < len(whole); size += step {
		must(t, os.WriteFile(s.Path(), []byte(whole[:size]), 0o600))
		again := got[*Session](t)(s.store.Open(s.ID()))
		if err := sessiontest.Valid(again.Messages()); err != nil {
			t.Fatalf("cut at %d: %v", size, err)
		}
		prompt(t, again.Thread, "next")
		must(t, again.Close())
		now, err := transcript.Read(s.Path(), transcript.Options{Validate: true})
		must(t, err)
		if kept := strings.Count(whole[:size], "\n"); now.Rows < kept+1 || now.Rows+now.BadLines > kept+2 || now.Turn.Origin != "human" {
			t.Fatalf("cut at %d: %d rows, %d bad, origin %q", size, now.Rows, now.BadLines, now.Turn.Origin)
		}
	}
}
