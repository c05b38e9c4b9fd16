package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func reprompt(n int) []any {
	var rows []any
	for i := range n {
		rows = append(rows, userRow(fmt.Sprintf("f%d", i), "a1", "Stop hook feedback:\nrun it", kv{"isMeta", true}),
			assistantRow(fmt.Sprintf("g%d", i), "a1", []any{text("ok")}))
	}
	return rows
}

func TestTurn_D52_start(t *testing.T) {
	t.Parallel()
	typed := human("u1", "", "go")
	absorbed := obj{{"type", "attachment"}, {"attachment", m{"type": "queued_command", "prompt": notification("b1", "completed"), "commandMode": "task-notification"}}, {"uuid", "q1"}}
	started := userRow("n1", "u1", notification("b1", "completed"), kv{"origin", m{"kind": "task-notification"}})
	tests := []struct {
		reason      string
		rows        []any
		origin, at  string // the uuid that the turn starts at
		prompt      string
		remediation int
		complete    bool
	}{
		{"a prompt", []any{typed}, "human", "u1", "u1", 0, true},
		{"the latest prompt", []any{typed, human("u2", "u1", "more")}, "human", "u2", "u2", 0, true},
		{"a prompt of blocks", []any{userRow("u1", "", []any{text("go")}, kv{"origin", m{"kind": "human"}})}, "human", "u1", "u1", 0, true},
		{"print mode writes no origin", []any{userRow("u1", "", "go")}, "human", "u1", "u1", 0, true},
		{"an image is a prompt", []any{userRow("u1", "", []any{m{"type": "image"}})}, "human", "u1", "u1", 0, true},
		{"a notification that started a turn", []any{typed, started}, "notification", "n1", "u1", 0, true},
		{"an older host's notification, without origin", []any{typed, userRow("n1", "u1", notification("b1", "completed"))}, "notification", "n1", "u1", 0, true},
		{"one that was absorbed starts none", []any{typed, absorbed}, "human", "u1", "u1", 0, true},
		{"a queue row starts none", []any{typed, obj{{"type", "queue-operation"}, {"content", notification("b1", "completed")}}}, "human", "u1", "u1", 0, true},
		{"a prompt that quotes a notice is a person's", []any{human("u1", "", notification("b1", "completed"))}, "human", "u1", "u1", 0, true},
		{"a notice in the middle of a text is text", []any{userRow("u1", "", "see: "+notification("b1", "completed"))}, "human", "u1", "u1", 0, true},
		{"the host may start a turn for another reason", []any{typed, userRow("c1", "u1", "tick", kv{"origin", m{"kind": "cron"}})}, "cron", "c1", "u1", 0, true},
		{"our own prompt is walked over", slices.Concat([]any{typed}, reprompt(1)), "human", "u1", "u1", 1, true},
		{"sixteen of them are", slices.Concat([]any{typed}, reprompt(16)), "human", "u1", "u1", 16, true},
		{"the seventeenth is not", slices.Concat([]any{typed}, reprompt(17)), "remediation", "f0", "u1", 16, true},
		{"they are counted of the present turn only", slices.Concat([]any{typed}, reprompt(2), []any{started}, reprompt(1)), "notification", "n1", "u1", 1, true},
		{"a remediation's text from a person is a prompt", []any{typed, human("u2", "u1", "Stop hook feedback:\nx")}, "human", "u2", "u2", 0, true},
		{"a meta row of another text is nothing", []any{typed, userRow("x1", "u1", "caveat", kv{"isMeta", true})}, "human", "u1", "u1", 0, true},
		{"the echo of a local command is nothing", []any{typed, userRow("x1", "u1", "<local-command-stdout>x</local-command-stdout>")}, "human", "u1", "u1", 0, true},
		{"nor is its stderr", []any{typed, userRow("x1", "u1", "<local-command-stderr>x</local-command-stderr>")}, "human", "u1", "u1", 0, true},
		{"nor the input and output of a bash line", []any{typed, userRow("x1", "u1", "<bash-input>ls</bash-input>"), userRow("x2", "x1", "<bash-stdout>a</bash-stdout>"), userRow("x3", "x2", "<bash-stderr>b</bash-stderr>")}, "human", "u1", "u1", 0, true},
		{"nor the mark of an interruption", []any{typed, userRow("x1", "u1", []any{text("[Request interrupted by user]")})}, "human", "u1", "u1", 0, true},
		{"nor the summary of a compaction", []any{typed, userRow("x1", "u1", "what we did", kv{"isCompactSummary", true})}, "human", "u1", "u1", 0, true},
		{"nor what only the transcript shows", []any{typed, userRow("x1", "u1", "x", kv{"isVisibleInTranscriptOnly", true})}, "human", "u1", "u1", 0, true},
		{"nor a tool result", []any{typed, userRow("x1", "u1", []any{toolResult("t1", "x")})}, "human", "u1", "u1", 0, true},
		{"nor one without blocks, wherever its structure stands", []any{typed, userRow("x1", "u1", []any{}, kv{"toolUseResult", "Error"}), userRow("x2", "x1", []any{}), obj{{"type", "user"}, {"toolUseResult", m{}}, {"message", m{"content": "x"}}}}, "human", "u1", "u1", 0, true},
		{"nor an empty text", []any{typed, userRow("x1", "u1", "")}, "human", "u1", "u1", 0, true},
		{"nor a subagent's prompt", []any{typed, human("x1", "", "do").with("isSidechain", true)}, "human", "u1", "u1", 0, true},
		{"a file without any is all one turn", []any{callRow("a1", "", "t1")}, "unknown", "", "", 0, true},
		{"a notification turn without a prompt", []any{started}, "notification", "n1", "", 0, true},
	}
	for _, tt := range tests {
		got := read(t, lines(tt.rows...), Options{}).Turn
		if got.Origin != tt.origin || got.StartedAt.UUID != tt.at || got.PromptUUID != tt.prompt || got.Remediation != tt.remediation || got.Complete != tt.complete {
			t.Errorf("%s: origin %q at %q, prompt %q, %d remediation prompts, complete %v", tt.reason, got.Origin, got.StartedAt.UUID, got.PromptUUID, got.Remediation, got.Complete)
		}
	}
}

// TestTurn_D52_blind: a window that does not reach the turn's start says so.
func TestTurn_D52_blind(t *testing.T) {
	t.Parallel()
	data := lines(human("u1", "", strings.Repeat("go ", 200)), callRow("a1", "u1", "t1"), assistantRow("a2", "a1", []any{text("x")}))
	s := read(t, data, Options{Window: 500})
	if s.Turn.Complete || !slices.Contains(s.Blind, BlindWindowCut) {
		t.Errorf("the turn starts before the window: complete %v, blind %v", s.Turn.Complete, s.Blind)
	}
	if s := read(t, data, Options{}); !s.Turn.Complete || len(s.Blind) > 0 {
		t.Errorf("the whole file is seen: complete %v, blind %v", s.Turn.Complete, s.Blind)
	}
	if s := read(t, lines(m{"type": "news"}, m{"x": 1}, m{"message": m{"role": "assistant"}}), Options{}); !slices.Contains(s.Blind, BlindUnknownShape) {
		t.Errorf("rows of no known type: blind %v", s.Blind)
	}
	if s := read(t, nil, Options{}); len(s.Blind) > 0 || s.Rows != 0 {
		t.Errorf("an empty file hides nothing: blind %v", s.Blind)
	}
}

func TestTurn_finalText(t *testing.T) {
	t.Parallel()
	said := "from the payload"
	none := ""
	rows := func(extra ...any) []byte {
		return lines(append([]any{human("u0", "", "before"), assistantRow("a0", "u0", []any{text("before")}), human("u1", "a0", "go")}, extra...)...)
	}
	tests := []struct {
		reason       string
		data         []byte
		payload      *string
		want, source string
	}{
		{"the payload's word comes first", rows(assistantRow("a1", "u1", []any{text("written")})), &said, said, "payload"},
		{"also an empty one: the host said that there is none", rows(assistantRow("a1", "u1", []any{text("written")})), &none, "", "payload"},
		{"else the latest row", rows(assistantRow("a1", "u1", []any{text("first")}), assistantRow("a2", "a1", []any{text("last")})), nil, "last", "transcript"},
		{"text blocks are joined, thinking is not text", rows(assistantRow("a1", "u1", []any{m{"type": "thinking", "thinking": "hm"}, text("a"), text("b")})), nil, "a\nb", "transcript"},
		{"a latest row of calls has no text", rows(assistantRow("a1", "u1", []any{text("first")}), callRow("a2", "a1", "t1")), nil, "", "none"},
		{"nothing was said in this turn", rows(), nil, "", "none"},
		{"a subagent's words are not ours", rows(assistantRow("a1", "u1", []any{text("sub")}, kv{"isSidechain", true})), nil, "", "none"},
		{"content that is a string", rows(assistantRow("a1", "u1", nil).with("message", obj{{"role", "assistant"}, {"content", "plain"}})), nil, "plain", "transcript"},
	}
	for _, tt := range tests {
		got := read(t, tt.data, Options{LastAssistantMessage: tt.payload}).Turn
		if got.FinalText != tt.want || got.FinalTextSource != tt.source {
			t.Errorf("%s: %q from %s, want %q from %s", tt.reason, got.FinalText, got.FinalTextSource, tt.want, tt.source)
		}
	}
}

func TestTurn_apiError(t *testing.T) {
	t.Parallel()
	failed := assistantRow("a1", "u1", []any{text("API Error: 529")}, kv{"isApiErrorMessage", true})
	for _, tt := range []struct {
		reason string
		rows   []any
		want   bool
	}{
		{"the latest row is the host's error", []any{failed}, true},
		{"it went on after that", []any{failed, assistantRow("a2", "a1", []any{text("ok")})}, false},
		{"the flag must be true", []any{failed.with("isApiErrorMessage", "true")}, false},
		{"that of an earlier turn does not count", []any{failed, human("u2", "a1", "again")}, false},
	} {
		s := read(t, lines(append([]any{human("u1", "", "go")}, tt.rows...)...), Options{})
		if s.Turn.APIError != tt.want {
			t.Errorf("%s: got %v", tt.reason, s.Turn.APIError)
		}
	}
}

// stamped sets a row's time.
func stamped(o obj, n int) obj { return o.with("timestamp", sec(n)) }

func TestTurn_AC180_toolCalls(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("output ", 2000)
	rows := []any{
		human("u0", "", "before"), callRow("a0", "u0", "t0"), userRow("r0", "a0", []any{toolResult("t0", "x")}), human("u1", "r0", "go"),
		stamped(assistantRow("a1", "u1", []any{text("I will"), toolUse("t1", "Bash", m{"command": "make"}), toolUse("t2", "Edit", m{"file_path": "/a.go"})}), 1),
		stamped(userRow("r2", "a1", []any{toolResult("t2", "no", true)}), 3), stamped(userRow("r1", "a1", []any{toolResult("t1", big)}), 2),
		stamped(assistantRow("a2", "r1", []any{toolUse("t3", "Read", `{"path":"/b.go"}`)}), 4),
		stamped(userRow("r3", "a2", []any{toolResult("t3", big, true)}), 5),
		stamped(assistantRow("s1", "", []any{toolUse("t9", "Bash", m{"command": "sub"})}, kv{"isSidechain", true}), 90),
		stamped(assistantRow("a4", "r3", []any{toolUse("t4", "NotebookEdit", m{"notebook_path": "/c.ipynb"}), toolUse("t5", "Bash", m{"command": "x", "run_in_background": true})}), 6),
		stamped(userRow("r4", "a4", []any{toolResult("t4", big), toolResult("t5", "no", true)}), 7),
		stamped(assistantRow("a5", "r4", []any{toolUse("t6", "Bash", nil)}, kv{"message", obj{{"role", "assistant"}, {"content", []any{toolUse("t6", "Bash", nil)}}, {"stop_reason", "tool_use"}}}), 8),
	}
	s := read(t, lines(rows...), Options{})
	want := []ToolCall{
		{ID: "t1", Name: "Bash", Command: "make"},
		{ID: "t2", Name: "Edit", FilePath: "/a.go", Failed: true},
		{ID: "t3", Name: "Read", FilePath: "/b.go", Failed: true},
		{ID: "t4", Name: "NotebookEdit", FilePath: "/c.ipynb"},
		{ID: "t5", Name: "Bash", Command: "x", Background: true, Failed: true},
		{ID: "t6", Name: "Bash"},
	}
	if diff := cmp.Diff(want, s.Turn.Tools, cmpopts.IgnoreFields(ToolCall{}, "At", "ResultTime")); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if s.Turn.ToolCalls != 6 || !s.Turn.IsToolTurn {
		t.Errorf("six calls: one a block, none for a stop reason, none of a subagent or an earlier turn; got %d", s.Turn.ToolCalls)
	}
	for i, n := range []int{2, 3, 5, 7, 7} {
		if got := s.Turn.Tools[i].ResultTime; !got.Equal(at0.Add(time.Duration(n) * time.Second)) {
			t.Errorf("the result of %s came at second %d, got %v", s.Turn.Tools[i].ID, n, got)
		}
	}
	if got := s.Turn.LastToolAt; !got.Equal(at0.Add(8 * time.Second)) {
		t.Errorf("the last instant known of a call is second 8, got %v", got)
	}
	if prose := read(t, lines(human("u1", "", "go"), assistantRow("a1", "u1", []any{text(`"tool_use"`)})), Options{}); prose.Turn.IsToolTurn || prose.Turn.Tools == nil {
		t.Errorf("PO-1: words about tools are prose: %+v", prose.Turn)
	}
}

// PO-1, claude-code section 6: what runs the evidence commands is no other tool.
func TestTurn_evidenceCalls(t *testing.T) {
	t.Parallel()
	call := func(n int, tool, command string) []any {
		id := fmt.Sprintf("t%d", n)
		return []any{stamped(assistantRow("a"+id, "u1", []any{toolUse(id, tool, m{"command": command})}), 2*n), stamped(userRow("r"+id, "a"+id, []any{toolResult(id, "ok")}), 2*n+1)}
	}
	rows := slices.Concat([]any{human("u1", "", "go")}, call(1, "Bash", "make"), call(2, "Bash", `stophook task "fix it"`), call(3, "Bash", "stophook status --end-turn"),
		call(4, "shell", "stophook name x"))
	turn := read(t, lines(rows...), Options{}).Turn
	var got []string
	for _, c := range turn.Tools {
		got = append(got, c.Evidence)
	}
	if diff := cmp.Diff([]string{"", "task", "status", "name"}, got); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if !turn.LastOtherToolAt.Equal(at0.Add(3*time.Second)) || !turn.LastToolAt.Equal(at0.Add(9*time.Second)) {
		t.Errorf("make ended at second 3, the last evidence at 9: got %v and %v", turn.LastOtherToolAt, turn.LastToolAt)
	}
	turn = read(t, lines(slices.Concat(rows, call(5, "Grep", "stophook status"))...), Options{}).Turn
	if turn.Tools[4].Evidence != "" || !turn.LastOtherToolAt.Equal(at0.Add(11*time.Second)) {
		t.Errorf("only a shell runs commands: %+v", turn.Tools[4])
	}
}

func TestTurn_MaxTools(t *testing.T) {
	t.Parallel()
	for _, n := range []int{MaxTools - 1, MaxTools, MaxTools + 1, 3*MaxTools + 1} {
		rows := []any{human("u1", "", "go")}
		for i := 0; i < n; i += 2 {
			blocks := []any{toolUse(fmt.Sprintf("t%d", i), "Bash", m{"command": "x"})}
			if i+1 < n {
				blocks = append(blocks, toolUse(fmt.Sprintf("t%d", i+1), "Bash", m{"command": "x"}))
			}
			row := assistantRow(fmt.Sprintf("a%d", i), "u1", blocks)
			rows = append(rows, row.with("message", obj{{"role", "assistant"}, {"content", blocks}, {"stop_reason", "tool_use"}}))
		}
		turn := read(t, lines(rows...), Options{}).Turn
		if turn.ToolCalls != n || len(turn.Tools) != min(n, MaxTools) {
			t.Errorf("%d calls: counted %d, details of %d", n, turn.ToolCalls, len(turn.Tools))
		}
		if last := turn.Tools[len(turn.Tools)-1].ID; last != fmt.Sprintf("t%d", n-1) {
			t.Errorf("%d calls: the latest are kept, got %s", n, last)
		}
	}
}

// Commands are cut at a rune and at 2,000 bytes.
func TestTurn_commandIsCut(t *testing.T) {
	t.Parallel()
	turn := read(t, lines(human("u1", "", "go"), assistantRow("a1", "u1", []any{toolUse("t1", "Bash", m{"command": "x" + strings.Repeat("é", 5000)})})), Options{}).Turn
	if got := turn.Tools[0].Command; len(got) != 1999 || !strings.HasSuffix(got, "é") {
		t.Errorf("got %d bytes, ending in %q", len(got), got[len(got)-4:])
	}
}

// The role stands before the type and is only a hint.
func TestTurn_TR15_roleIsNoType(t *testing.T) {
	t.Parallel()
	message := obj{{"role", "assistant"}, {"content", []any{text(BoxMarker + "abcd1234 ─"), toolUse("t1", "Bash", m{"run_in_background": true})}}}
	for _, typ := range []any{"progress", "api-request", "user", nil, 7} {
		s := read(t, lines(human("u1", "", "go"), obj{{"message", message}, {"type", typ}, {"uuid", "x"}}), Options{})
		if s.Turn.IsToolTurn || s.Turn.FinalText != "" || len(s.Turn.Boxes) > 0 || s.Debt.Calls > 0 {
			t.Errorf("a row of type %v is not the assistant's: %+v", typ, s.Turn)
		}
	}
}

// Messages that stand before the type, as the host writes them, and keys in any
// other order give the same turn.
func TestTurn_TR15_keyOrder(t *testing.T) {
	t.Parallel()
	rows := []obj{human("u1", "", "go"), callRow("a1", "u1", "t1"), userRow("r1", "a1", []any{toolResult("t1", "x", true)}), assistantRow("a2", "r1", []any{text("done " + BoxMarker + "abcd1234 ─")})}
	want := read(t, lines(rows[0], rows[1], rows[2], rows[3]), Options{})
	for turn := range len(rows[1]) {
		for _, spaced := range []bool{false, true} {
			var b strings.Builder
			for _, o := range rows {
				n := turn % len(o)
				b.WriteString(style{spaced: spaced}.line(slices.Concat(o[n:], o[:n])) + "\n")
			}
			got := read(t, []byte(b.String()), Options{})
			ignore := cmp.Options{cmpopts.IgnoreFields(Position{}, "Offset"), cmpopts.IgnoreFields(Box{}, "Offset"), cmpopts.IgnoreFields(Session{}, "Size")}
			if diff := cmp.Diff(want, got, ignore); diff != "" {
				t.Errorf("keys turned by %d, spaced %v:\n%s", turn, spaced, diff)
			}
		}
	}
}

// A long row is known by its head alone only when it answers one call.
func TestTurn_TR15_longRowOfTwoResults(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("output ", 2000)
	row := obj{{"type", "user"}, {"timestamp", sec(3)}, {"uuid", "r1"}, {"message", obj{{"role", "user"}, {"content", []any{toolResult("t0", big), toolResult("t1", big, false)}}}}}
	start := []any{human("u1", "", "go"), assistantRow("a1", "u1", []any{toolUse("t1", "BashOutput", m{"bash_id": "b1"})})}
	turn := read(t, lines(append(start, row)...), Options{}).Turn
	if got := turn.Tools[0].ResultTime; !got.Equal(at0.Add(3 * time.Second)) {
		t.Errorf("the second result of the row is found, got %v", got)
	}
	start[0] = human("u1", "r0", "go on")
	owed := slices.Concat([]any{human("u0", "", "x"), receipt("r0", "u0", "t9", "b1")}, start, []any{row})
	if s := read(t, lines(owed...), Options{}); len(s.Tasks) != 1 || len(s.Debt.Paired) > 0 {
		t.Errorf("it collected the job, still owed %v of %v", s.Debt.Paired, s.Tasks)
	}
}
