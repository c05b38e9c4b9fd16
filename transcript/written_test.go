package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readCalls reads a turn of one call per pair of tool and input.
func readCalls(t *testing.T, pairs ...any) []ToolCall {
	t.Helper()
	var rows []string
	rows = append(rows, style{}.line(obj{{"type", "user"}, {"uuid", "u0"}, {"origin", obj{{"kind", "human"}}}, {"message", obj{{"role", "user"}, {"content", "go"}}}}))
	for i := 0; i < len(pairs); i += 2 {
		rows = append(rows, style{}.line(obj{{"type", "assistant"}, {"uuid", fmt.Sprint("a", i)},
			{"message", obj{{"role", "assistant"}, {"content", []any{toolUse(fmt.Sprint("t", i), pairs[i].(string), pairs[i+1])}}}}}))
	}
	data := strings.Join(rows, "\n") + "\n"
	s, err := ReadFrom(strings.NewReader(data), int64(len(data)), "/s-1.jsonl", Options{Now: at0})
	if err != nil || len(s.Turn.Tools) != len(pairs)/2 {
		t.Fatalf("%v, %d calls", err, len(s.Turn.Tools))
	}
	return s.Turn.Tools
}

func TestKeepTexts(t *testing.T) {
	long := strings.Repeat("word ", 500)
	key := "ghp_" + strings.Repeat("a1", 18)
	for _, tt := range []struct {
		reason, tool      string
		input             any
		written, replaced string
		cut               bool
	}{
		{"an edit", "Edit", obj{{"file_path", "/f"}, {"old_string", "a"}, {"new_string", "b\nc"}}, "b\nc", "a", false},
		{"a new file", "Write", obj{{"content", "text"}, {"file_path", "/f"}}, "text", "", false},
		{"a cell", "NotebookEdit", obj{{"notebook_path", "/f"}, {"new_source", "x = 1"}}, "x = 1", "", false},
		{"our own agent's edit", "edit", obj{{"path", "/f"}, {"old_string", "a"}, {"new_string", "b"}}, "b", "a", false},
		{"our own agent's write_file", "write_file", obj{{"path", "/f"}, {"content", "all"}}, "all", "", false},
		{"several edits in one call", "MultiEdit", obj{{"edits", []any{obj{{"old_string", "a"}, {"new_string", "b"}}, obj{{"new_string", "d"}, {"old_string", "c"}}}}}, "b\nd", "a\nc", false},
		{"input as a JSON string", "Write", `{"file_path":"/f","content":"x"}`, "x", "", false},
		{"a deletion writes nothing", "Edit", obj{{"old_string", "a"}, {"new_string", ""}}, "", "a", false},
		{"cut at the end of a word", "Write", obj{{"content", long}}, strings.TrimSuffix(long[:2000], " "), "", true},
		{"half a key would no longer be known for one", "Write", obj{{"content", strings.Repeat("x", 1990) + "\n" + key}}, strings.Repeat("x", 1990), "", true},
		{"one word alone is cut within a rune's bounds", "Write", obj{{"content", strings.Repeat("ä", 1500) + "x"}}, strings.Repeat("ä", 1000), "", true},
		{"exactly the limit", "Write", obj{{"content", strings.Repeat("y", 2000)}}, strings.Repeat("y", 2000), "", false},
		{"the limit holds for all parts together", "MultiEdit", obj{{"edits", []any{obj{{"new_string", strings.Repeat("y", 1999)}}, obj{{"new_string", "zz"}}, obj{{"new_string", "w"}}}}}, strings.Repeat("y", 1999), "", true},
		{"odd types", "MultiEdit", obj{{"edits", []any{1, "x", obj{{"new_string", 7}}}}, {"old_string", []any{"x"}}}, "", "", false},
		{"another tool's content is something else", "mcp__notes__add", obj{{"content", "secret"}, {"new_string", "x"}, {"old_string", "y"}}, "", "", false},
	} {
		c := readCalls(t, tt.tool, tt.input)[0]
		if c.Written != tt.written || c.Replaced != tt.replaced || c.Cut != tt.cut {
			t.Errorf("%s: written %q, replaced %q, cut %t", tt.reason, c.Written, c.Replaced, c.Cut)
		}
	}
}

// A turn keeps the texts of its latest calls; the others say that they were cut.
func TestKeepTexts_OfTheLatestCalls(t *testing.T) {
	var pairs []any
	for i := range 40 {
		pairs = append(pairs, "Edit", obj{{"new_string", strings.Repeat("n", 1000)}, {"old_string", strings.Repeat("o", 1000+i)}})
	}
	pairs = append(pairs, "Edit", obj{{"file_path", "/f"}}, "Bash", obj{{"command", "make"}})
	calls := readCalls(t, append([]any{"Edit", obj{{"file_path", "/f"}}, "MultiEdit", obj{{"edits", []any{}}}}, pairs...)...)
	size, whole := 0, 0
	for i, c := range calls {
		size += len(c.Written) + len(c.Replaced)
		switch kept := c.Written != ""; {
		case i == 0 || i >= 42: // nothing to keep
			if kept || c.Cut {
				t.Errorf("call %d: %t %t", i, kept, c.Cut)
			}
		case c.Cut == kept:
			t.Errorf("call %d is cut: %t, kept: %t", i, c.Cut, kept)
		case kept:
			whole++
		case whole > 0:
			t.Errorf("call %d is left out, and an older one was kept", i)
		}
	}
	if size < textsLimit || size > textsLimit+2*writtenLimit {
		t.Errorf("%d bytes kept", size)
	}
}

func TestToolCall_CutTellsOfTheCommand(t *testing.T) {
	calls := readCalls(t, "Bash", obj{{"command", strings.Repeat("x", 2000)}}, "Bash", obj{{"command", strings.Repeat("x", 2001)}})
	if calls[0].Cut || !calls[1].Cut || len(calls[1].Command) != 2000 {
		t.Errorf("%t %t", calls[0].Cut, calls[1].Cut)
	}
}

func TestFailedExit(t *testing.T) {
	for _, tt := range []struct {
		reason, tool string
		content      any
		failed       bool
		want         *int
	}{
		{"a command that failed", "Bash", "Exit code 2\nls: no such file", true, ptr(2)},
		{"without output", "Bash", "Exit code 1", true, ptr(1)},
		{"as a block of text", "Bash", []any{text("Exit code 137\nKilled")}, true, ptr(137)},
		{"Windows", "Bash", "Exit code 1\r\nno", true, ptr(1)},
		{"the output may say what it likes", "Bash", "Exit code 1\nExit code 0", true, ptr(1)},
		{"a command that did not fail and prints the words", "Bash", "Exit code 3\n", false, nil},
		{"refused by a person", "Bash", "The user doesn't want to proceed with this tool use.", true, nil},
		{"words behind the number", "Bash", "Exit code 2 was seen", true, nil},
		{"no number", "Bash", "Exit code \n", true, nil},
		{"another tool", "Edit", "Exit code 2\n", true, nil},
		{"no content", "Bash", nil, true, nil},
	} {
		rows := []string{
			style{}.line(obj{{"type", "user"}, {"uuid", "u0"}, {"origin", obj{{"kind", "human"}}}, {"message", obj{{"role", "user"}, {"content", "go"}}}}),
			style{}.line(obj{{"type", "assistant"}, {"uuid", "a1"}, {"message", obj{{"role", "assistant"}, {"content", []any{toolUse("t1", tt.tool, obj{{"command", "x"}})}}}}}),
			style{}.line(obj{{"type", "user"}, {"uuid", "u1"}, {"message", obj{{"role", "user"}, {"content", []any{obj{{"tool_use_id", "t1"}, {"type", "tool_result"}, {"content", tt.content}, {"is_error", tt.failed}}}}}}}),
		}
		data := strings.Join(rows, "\n") + "\n"
		s, err := ReadFrom(strings.NewReader(data), int64(len(data)), "/s-1.jsonl", Options{Now: at0})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, s.Turn.Tools[0].ExitCode); diff != "" || s.Turn.Tools[0].Failed != tt.failed {
			t.Errorf("%s: %s", tt.reason, diff)
		}
	}
}

// A task carries the words of the call that started it, cut.
func TestTask_Description(t *testing.T) {
	long := strings.Repeat("ä", 150)
	for _, tt := range []struct {
		reason string
		input  any
		want   string
	}{
		{"a command", obj{{"command", "make"}, {"description", "Build it"}}, "Build it"},
		{"without one", obj{{"command", "make"}}, ""},
		{"of another type", obj{{"command", "make"}, {"description", 7}}, ""},
		{"cut within a rune's bounds", obj{{"command", "make"}, {"description", long}}, long[:200]},
	} {
		rows := lines(human("u1", "", "go"),
			obj{{"type", "assistant"}, {"uuid", "a1"}, {"parentUuid", "u1"}, {"message", obj{{"role", "assistant"}, {"content", []any{toolUse("t1", "Bash", tt.input)}}}}},
			handoffRow("r1", "a1", "t1", "b1"))
		tasks := read(t, rows, Options{}).Tasks
		if len(tasks) != 1 || tasks[0].Description != tt.want {
			t.Errorf("%s: %+v", tt.reason, tasks)
		}
	}
}

// The turn knows the tasks whose notification began it, and only those.
func TestTurn_Notified(t *testing.T) {
	notice := func(ids ...string) string {
		var b strings.Builder
		for _, id := range ids {
			fmt.Fprintf(&b, "<task-notification>\n<task-id>%s</task-id>\n<status>completed</status>\n</task-notification>\n", id)
		}
		return b.String()
	}
	for _, tt := range []struct {
		reason string
		rows   []any
		want   []string
	}{
		{"a person began it", []any{human("u1", "", "go")}, nil},
		{"a notification did", []any{human("u1", "", "go"), userRow("u2", "u1", notice("b1"))}, []string{"b1"}},
		{"of two tasks", []any{human("u1", "", "go"), userRow("u2", "u1", notice("b1", "b2"))}, []string{"b1", "b2"}},
		{"and then a person spoke", []any{userRow("u1", "", notice("b1")), human("u2", "u1", "go on")}, nil},
	} {
		if got := read(t, lines(tt.rows...), Options{}).Turn.Notified; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}
