package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func ptr(n int) *int { return &n }

func TestNotices_D01_D42(t *testing.T) {
	t.Parallel()
	host := "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<output-file>/t/tasks/b1.output</output-file>\n" +
		"<status>completed</status>\n<summary>Background command \"make\" completed (exit code 0)</summary>\n</task-notification>"
	native := "<task-notification>\n<task-id>bash_1</task-id>\n<status>exited</status>\n<exit-code>143</exit-code>\n<signal>SIGTERM</signal>\n" +
		"<command>make</command>\n<output-file>/s/bash_1.log</output-file>\n<duration-ms>10</duration-ms>\n<summary>make (0.0s)</summary>\n</task-notification>"
	first := Notice{TaskIDs: []string{"b1"}, ToolUseID: "toolu_1", Status: "completed", OutputFile: "/t/tasks/b1.output",
		Summary: `Background command "make" completed (exit code 0)`, ExitCode: ptr(0)}
	b1 := []string{"b1"}
	tests := []struct {
		reason, text string
		want         []Notice
	}{
		{"the host's form", host, []Notice{first}},
		{"the runtime's own form", native, []Notice{{TaskIDs: []string{"bash_1"}, Status: "exited", OutputFile: "/s/bash_1.log", Summary: "make (0.0s)", ExitCode: ptr(143)}}},
		{"brackets escaped once more", strings.NewReplacer("<", `\u003c`, ">", `\u003E`).Replace(host), []Notice{first}},
		{"space in front", " \r\n\t" + host, []Notice{first}},
		{"two envelopes", host + "\n" + host, []Notice{first, first}},
		{"text behind the envelope is no envelope", host + "\n(y/n) " + native, []Notice{first}},
		{"words in front: a text that contains a block", "see " + host, nil},
		{"none", "done", nil},
		{"nothing", "", nil},
		{"another tag", "<task-notifications><task-id>b1</task-id></task-notifications>", nil},
		{"an opening tag that never ends", "<task-notification", nil},
		{"an attribute", `<task-notification kind="x"><task-id>b1</task-id></task-notification>`, []Notice{{TaskIDs: b1}}},
		{"no closing tag: to the end of the text", "<task-notification><task-id>b1</task-id><status>failed</status>", []Notice{{TaskIDs: b1, Status: "failed"}}},
		{"ids are trimmed", "<task-notification><task-id>\n b1 </task-id></task-notification>", []Notice{{TaskIDs: b1}}},
		{"several ids", "<task-notification><task-id>b1</task-id><task-id>b2</task-id></task-notification>", []Notice{{TaskIDs: []string{"b1", "b2"}}}},
		{"an id in the summary is none of the header", "<task-notification><task-id>b1</task-id><summary><task-id>b2</task-id><status>failed</status></summary></task-notification>",
			[]Notice{{TaskIDs: b1, Summary: "<task-id>b2</task-id><status>failed</status>"}}},
		{"nor in a result, an event or a note", "<task-notification><result><task-id>b1</task-id></result><event>x</event><note>y</note></task-notification>", []Notice{{}}},
		{"nor in a note that stands first", "<task-notification><note><task-id>b1</task-id></note><status>failed</status></task-notification>", []Notice{{}}},
		{"nor in an event", "<task-notification><task-id>b1</task-id><event><task-id>b2</task-id></event></task-notification>", []Notice{{TaskIDs: b1}}},
		{"a whole envelope in the result is part of it", "<task-notification><task-id>b1</task-id><result><task-notification><task-id>b2</task-id></task-notification></result></task-notification>" + host,
			[]Notice{{TaskIDs: b1}, first}},
		{"an unclosed element is none", "<task-notification><task-id>b1</task-notification>", []Notice{{}}},
		{"the last exit code of a summary is the host's", "<task-notification><task-id>b1</task-id><summary>\"echo exit code 7\" failed with exit code 2</summary></task-notification>",
			[]Notice{{TaskIDs: b1, Summary: `"echo exit code 7" failed with exit code 2`, ExitCode: ptr(2)}}},
		{"a negative exit code", "<task-notification><summary>exit code -1</summary></task-notification>", []Notice{{Summary: "exit code -1", ExitCode: ptr(-1)}}},
		{"an exit code of words", "<task-notification><exit-code>none</exit-code><summary>exit code 3</summary></task-notification>", []Notice{{Summary: "exit code 3"}}},
		{"no digits behind the words", "<task-notification><summary>exit code unknown</summary></task-notification>", []Notice{{Summary: "exit code unknown"}}},
	}
	for _, tt := range tests {
		got := Notices(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if diff := cmp.Diff(naiveNotices(tt.text), got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: model (-) and reader (+) differ:\n%s", tt.reason, diff)
		}
	}
}

func TestNotice_TR7_terminal(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]bool{
		"completed": true, "failed": true, "killed": true, "stopped": true, "exited": true, "Completed": true, "timed_out": true,
		"lost": true, "LOST": true, // the runtime's own word for an end that nobody saw
		"": false, "running": false, "pending": false, "news": false, "completed!": false,
	} {
		if got := (Notice{Status: status}).Terminal(); got != want {
			t.Errorf("status %q: terminal %v, want %v", status, got, want)
		}
	}
}

func TestQuotesTask_TR7_D42(t *testing.T) {
	t.Parallel()
	in := func(s string) string { return "<task-notification>" + s + "</task-notification>" }
	tests := []struct {
		reason, text string
		want         bool
	}{
		{"the id in its element", in("<task-id>b1</task-id>"), true},
		{"the id in words", in("<summary>about b1.</summary>"), true},
		{"the id at either end", in("b1"), true},
		{"the tool-use id", in("<tool-use-id>toolu_1</tool-use-id>"), true},
		{"a longer tool-use id", in("<tool-use-id>toolu_12</tool-use-id>"), false},
		{"a longer id", in("b12"), false},
		{"a longer id in front", in("ab1"), false},
		{"an id with a hyphen behind", in("b1-2"), false},
		{"or an underscore", in("x_b1"), false},
		{"another case", in("B1"), false},
		{"a longer id, then the id", in("b12 b1"), true},
		{"punctuation ends an id", in("(b1)"), true},
		{"letters of other scripts end one", in("ñb1é"), true},
		{"before the block", "b1 " + in("x"), false},
		{"behind the block", in("x") + " b1", false},
		{"between two blocks", in("x") + " b1 " + in("y"), false},
		{"in the second block", in("x") + in("b1"), true},
		{"no block at all", "b1", false},
		{"an open block runs to the end", "<task-notification> and so on b1", true},
		{"with attributes", "<task-notification a='b'>b1", true},
		{"the id in the tag is not in the block", "<task-notification b1>x</task-notification>", false},
		{"another tag", "<task-notifications>b1</task-notifications>", false},
		{"another tag, then the right one", "<task-notifications>" + in("b1"), true},
		{"a tag that never ends", "<task-notification b1", false},
		{"an inner block ends the outer one's text at its close", in("<result>" + in("x") + "</result> b1"), false},
		{"escaped brackets", `\u003ctask-notification\u003eb1\u003c/task-notification\u003e`, true},
		{"in capitals", `\u003Ctask-notification\u003Eb1`, true},
		{"escaped in one place only", `\u003ctask-notification>x</task-notification> b1`, false},
		{"space in the tag's name", "< task-notification>b1", false},
	}
	for _, tt := range tests {
		if got := quotesTask(tt.text, "b1", "toolu_1"); got != tt.want {
			t.Errorf("%s: %q: got %v", tt.reason, tt.text, got)
		}
		if got := naiveQuotes(tt.text, "b1", "toolu_1"); got != tt.want {
			t.Errorf("%s: %q: the model says %v", tt.reason, tt.text, got)
		}
	}
	if quotesTask(in("x"), "", "") {
		t.Error("the empty id is nobody's")
	}
}

// Both rules against the model, on texts of the tags' own pieces.
func TestNotices_D42_model(t *testing.T) {
	pieces := []string{"<task-notification>", "<task-notification", "</task-notification>", "<task-id>", "</task-id>", "<tool-use-id>", "</tool-use-id>",
		"<status>", "</status>", "<summary>", "</summary>", "<result>", "b1", "b12", "toolu_1", " ", "\n", ">", "<", "completed", "exit code 7", "x", `\u003c`, `\u003e`,
		"<exit-code>", "</exit-code>", "é"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 14).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "block") {
			s = "<task-notification>" + s
		}
		if got, want := quotesTask(s, "b1", "toolu_1"), naiveQuotes(s, "b1", "toolu_1"); got != want {
			t.Fatalf("quotesTask(%q): got %v, want %v", s, got, want)
		}
		if diff := cmp.Diff(naiveNotices(s), Notices(s), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("Notices(%q): model (-) and reader (+) differ:\n%s", s, diff)
		}
	})
}

func TestBoxes_TR13(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, text string
		want         []string
	}{
		{"the first line", BoxMarker + "a1b2c3d4 ────┐\n│ ok │", []string{"a1b2c3d4"}},
		{"in the middle of a text", "so:\n```\n" + BoxMarker + "a1b2c3d4 ─┐\n```", []string{"a1b2c3d4"}},
		{"two boxes", BoxMarker + "a1b2c3d4 ─┐ " + BoxMarker + "00000000─", []string{"a1b2c3d4", "00000000"}},
		{"an id at the end of the text", BoxMarker + "a1b2c3d4", []string{"a1b2c3d4"}},
		{"seven characters", BoxMarker + "a1b2c3d ─┐", nil},
		{"nine characters", BoxMarker + "a1b2c3d4e ─┐", nil},
		{"capitals", BoxMarker + "A1B2C3D4 ─┐", nil},
		{"a capital behind", BoxMarker + "a1b2c3d4X", nil},
		{"an underscore behind", BoxMarker + "a1b2c3d4_", nil},
		{"a placeholder", BoxMarker + "<id> ─┐", nil},
		{"two spaces", BoxMarker + " a1b2c3d4 ─┐", nil},
		{"another corner", "+- stophook check a1b2c3d4 -+", nil},
		{"words", "stophook check a1b2c3d4", nil},
		{"the marker inside a marker", BoxMarker + BoxMarker + "a1b2c3d4 ─", []string{"a1b2c3d4"}},
		{"none", "", nil},
	}
	for _, tt := range tests {
		data := lines(human("u1", "", "go"), assistantRow("a1", "u1", []any{text(tt.text)}))
		payload := tt.text
		for _, s := range []*Session{read(t, data, Options{}), read(t, nil, Options{LastAssistantMessage: &payload})} {
			var got []string
			for _, b := range s.Turn.Boxes {
				got = append(got, b.CheckID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		}
	}
}

// Only the assistant's own words show a box: the command that prints it stands
// in the transcript as well.
func TestBoxes_TR13_assistantOnly(t *testing.T) {
	t.Parallel()
	box := BoxMarker + "a1b2c3d4 ─┐"
	others := []any{human("u1", "", box), userRow("r1", "u1", []any{toolResult("t1", box)}, kv{"toolUseResult", m{"stdout": box}}),
		assistantRow("a1", "u1", []any{m{"type": "thinking", "thinking": box}}), assistantRow("a2", "u1", []any{toolUse("t1", "Bash", m{"command": "echo '" + box + "'"})}),
		assistantRow("a3", "u1", []any{text(box)}, kv{"isSidechain", true}), obj{{"type", "system"}, {"content", box}}, obj{{"type", "attachment"}, {"attachment", m{"text": box}}},
		obj{{"type", "api-request"}, {"message", obj{{"role", "assistant"}, {"content", []any{text(box)}}}}}}
	if got := read(t, lines(others...), Options{}).Turn.Boxes; len(got) > 0 {
		t.Errorf("nobody else can show a box: %+v", got)
	}
	final := "done\n" + box
	got := read(t, lines(append(others, assistantRow("a9", "u1", []any{text(box)}))...), Options{LastAssistantMessage: &final}).Turn.Boxes
	want := []Box{{CheckID: "a1b2c3d4", Source: "transcript"}, {CheckID: "a1b2c3d4", Source: "final_text", Offset: -1}}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Offset" }, cmp.Comparer(func(a, b int64) bool { return (a < 0) == (b < 0) }))); diff != "" {
		t.Errorf("boxes (-want +got):\n%s", diff)
	}
}
