package task

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx"
)

const claude = `<task-notification>
<task-id>bpush01a1</task-id>
<tool-use-id>toolu_1</tool-use-id>
<output-file>/x/tasks/bpush01a1.output</output-file>
<status>completed</status>
<summary>Background command "echo &lt;exit code 9&gt;" completed (exit code 0)</summary>
</task-notification>`

// One reader for our form, for old blocks and for Claude Code's form; an id is all it
// needs (D-01, D-25).
func TestParse_dialects_D01_D25(t *testing.T) {
	const open, end = "<task-notification>", "</task-notification>"
	id := "<task-id>b1</task-id>"
	for name, test := range map[string]struct {
		text string
		want *Exit
	}{
		"Claude Code": {claude, &Exit{TaskID: "bpush01a1", Status: "exited", ExitCode: code(0), OutputPath: "/x/tasks/bpush01a1.output"}},
		"failed": {open + id + "<status>failed</status><summary>failed with exit code 7</summary>" + end,
			&Exit{TaskID: "b1", Status: "exited", ExitCode: code(7)}},
		"failed in words only": {open + id + "<status>failed</status><summary>exit code unknown</summary>" + end, &Exit{TaskID: "b1", Status: "exited"}},
		"stopped":              {open + id + "<status>stopped</status>" + end, &Exit{TaskID: "b1", Status: "killed"}},
		"an old block without command and duration": {open + "\n<task-id>bash_2</task-id>\n<status>exited</status>\n<exit-code>3</exit-code>\n<output-file>/l</output-file>\n<summary>make (4.2s) — exited 3</summary>\n" + end,
			&Exit{TaskID: "bash_2", Status: "exited", ExitCode: code(3), OutputPath: "/l"}},
		"never closed":      {open + id + "<status>killed</status>", &Exit{TaskID: "b1", Status: "killed"}},
		"indented":          {"\n <task-notification>\n\t<task-id>\n  b1 </task-id>\n\t<status> exited </status><exit-code> 0 </exit-code>" + end, &Exit{TaskID: "b1", Status: "exited", ExitCode: code(0)}},
		"attributes":        {`<task-notification v="2">` + id + "<status>exited</status>" + end, &Exit{TaskID: "b1", Status: "exited"}},
		"unknown elements":  {open + "<new><task-id>b0</task-id></new>" + id + "<other/><status>exited</status><br>" + end, &Exit{TaskID: "b1", Status: "exited"}},
		"said twice":        {open + id + "<task-id>b2</task-id><status>exited</status><status>killed</status>" + end, &Exit{TaskID: "b1", Status: "exited"}},
		"no status":         {open + id + end, nil},
		"a status of later": {open + id + "<status>paused</status>" + end, nil},
		"a host's own word": {open + id + "<status>skipped</status><duration-ms>1</duration-ms>" + end, &Exit{TaskID: "b1", Status: "skipped", Duration: time.Millisecond}},
		"odd numbers": {open + id + "<status>exited</status><exit-code>x</exit-code><duration-ms>-4</duration-ms>" + end,
			&Exit{TaskID: "b1", Status: "exited"}},
		"too long a time": {open + id + "<status>exited</status><duration-ms>9223372036854775807</duration-ms>" + end,
			&Exit{TaskID: "b1", Status: "exited", Duration: milliseconds(1<<63 - 1)}},
		"a code is never taken from our own words": {open + id + "<status>lost</status><duration-ms>1</duration-ms><summary>echo exit code 5 (0.0s) — lost</summary>" + end,
			&Exit{TaskID: "b1", Status: execctx.StatusLost, Duration: time.Millisecond}},
		"a result that quotes": {open + id + "<result><status>exited</status><exit-code>1</exit-code></result><status>exited</status>" + end, nil},
		"references": {open + id + "<status>exited</status><command>&#65;&#x42;&bogus;&#xD800;&amp;lt;&#0;&" + end,
			&Exit{TaskID: "b1", Status: "exited"}},
	} {
		n, ok := Parse(test.text)
		if !ok {
			t.Errorf("%s: no notice", name)
		}
		if diff := cmp.Diff(test.want, n.Exit); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if n, _ := Parse(claude); n.ToolUseID != "toolu_1" || n.Status != "completed" || n.Summary != `Background command "echo <exit code 9>" completed (exit code 0)` {
		t.Errorf("%+v", n)
	}
}

// D-11: what does not begin with a block tells nothing, nor does a block without an id.
func TestParse_nothing_D11(t *testing.T) {
	for _, text := range []string{
		"", "<", "task-notification", "look: " + build().Block(), "<task-notifications><task-id>b1</task-id></task-notifications>", "<task-notification",
		"<task-notification><status>exited</status></task-notification>", "<task-notification><task-id> </task-id></task-notification>",
		"<task-notification><task-id>b1", "&lt;task-notification&gt;",
	} {
		if n, ok := Parse(text); ok {
			t.Errorf("%q gives %+v", text, n)
		}
	}
}

// Blocks follow one another; what they quote is not one of them.
func TestParseAll_blocksInARow_D01(t *testing.T) {
	quoting := "<task-notification><task-id>b7</task-id><status>completed</status><result>saw " + build().Block() + "</result></task-notification>"
	stall := Stall{TaskID: "bash_3", OutputPath: "/l3"}
	text := strings.Join([]string{quoting, "<task-notification></task-notification>", stall.Block(), dev().Block(), "and now? " + build().Block()}, "\n\n")
	var ids []string
	for _, n := range ParseAll(text) {
		ids = append(ids, n.TaskID)
	}
	if diff := cmp.Diff([]string{"b7", "bash_3", "bash_2"}, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, rest := split(text); !strings.HasPrefix(strings.TrimSpace(rest), "and now?") {
		t.Errorf("left: %q", rest)
	}
}

// What a text holds is bounded work.
func TestParseAll_hugeTexts_D01(t *testing.T) {
	for _, part := range []string{"<task-notification>", "<task-notification><a>", "<", "<a>", "<task-id>b</task-id>", "</task-notification>", "&", "&#", "<a></a>"} {
		ParseAll("<task-notification>" + strings.Repeat(part, 1<<17))
	}
}
