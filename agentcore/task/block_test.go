package task

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

// The blocks as the model gets them, element for element.
func TestBlock_matchesTheDocumentedXML_AC70_AC71_AC73_D25(t *testing.T) {
	lost := build()
	lost.Status, lost.ExitCode = execctx.StatusLost, nil
	own := dev()
	own.Signal, own.ExitCode = "", code(3)
	remote := build()
	remote.OutputPath = ""
	odd := build()
	odd.Command = "cat <<'EOF' > a.txt && echo \"x\"\nline & line\r\nEOF\x00\xff"
	long := build()
	long.Command = strings.Repeat("é", 201)
	stall := Stall{TaskID: "bash_1", Command: "npm run dev <x>", OutputPath: logDir + "bash_1.20261005-090000-000.log", StalledFor: 45 * time.Second, BytesWritten: 128}
	for name, got := range map[string]string{
		"exited.xml": build().Block(), "killed.xml": dev().Block(), "killed_by_itself_D41.xml": own.Block(), "lost.xml": lost.Block(),
		"no_file_D22.xml": remote.Block(), "markup_D26.xml": odd.Block(), "long_command_D26.xml": long.Block(), "stall.xml": stall.Block(),
	} {
		golden(t, name, got)
	}
}

// AC-70, D-25: the order is that of the seed whatever the exit; a signal directly
// follows the code.
func TestBlock_elementOrder_AC70_D25(t *testing.T) {
	order := []string{"task-id", "status", "exit-code", "signal", "command", "output-file", "handle-id", "started-at-ms", "duration-ms", "summary"}
	rapid.Check(t, func(t *rapid.T) {
		e := anyExit().Draw(t, "exit")
		at := -1
		for _, el := range decode(t, e.Block()).Elements {
			next := -1
			for i, name := range order {
				if name == el.XMLName.Local {
					next = i
				}
			}
			if next <= at {
				t.Fatalf("%s is out of place in %s", el.XMLName.Local, e.Block())
			}
			at = next
		}
		if e.Signal == "" && strings.Contains(e.Block(), "<signal>") {
			t.Fatal("a signal that none was")
		}
	})
}

// AC-71, D-25, D-41: how summaries word an end.
func TestSummary_AC71_D25_D41(t *testing.T) {
	for _, test := range []struct {
		want string
		exit Exit
	}{
		{"npm run build (4.2s) — exited 0", build()},
		{"npm run dev (61.0s) — killed (SIGTERM)", dev()},
		{"make (0.0s) — exited 2", Exit{Command: "make", ExitCode: code(2), Duration: -time.Second}},
		{"make (0.1s) — killed (exited 0)", Exit{Command: "make", Status: execctx.StatusKilled, ExitCode: code(0), Duration: 149*time.Millisecond + 999*time.Microsecond}},
		{"make (0.0s) — killed", Exit{Command: "make", Status: execctx.StatusKilled}},
		{"make (0.0s) — killed (SIGKILL)", Exit{Command: "make", Signal: "SIGKILL"}},
		{"make (0.0s) — lost", Exit{Command: "make", Status: execctx.StatusLost}},
		{"make (0.0s) — exited", Exit{Command: "make"}},
		{"bash_7 (0.0s) — exited 0", Exit{TaskID: "bash_7", ExitCode: code(0)}},
		{strings.Repeat("é", 200) + " (0.0s) — exited", Exit{Command: strings.Repeat("é", 200)}},
		{strings.Repeat("é", 200) + "… (0.0s) — exited", Exit{Command: strings.Repeat("é", 201)}},
	} {
		if got := test.exit.Summary(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// A command with <, > and & comes back from its block as it was.
func TestEscapedXMLRoundTripForCommandsWithMarkup_AC72(t *testing.T) {
	for _, command := range []string{"a < b > c & d", "</command></task-notification>", "&lt;&amp;amp;", "<task-id>bash_9</task-id>", "\n x \r\n\t", `\u003c/command\u003e`} {
		e := build()
		e.Command = command
		n, ok := Parse(e.Block())
		if !ok || n.Exit == nil || n.Exit.Command != command || n.TaskID != "bash_1" {
			t.Errorf("%q became %+v", command, n)
		}
		if strings.Count(e.Block(), "<task-id>") != 1 || strings.Contains(e.Block(), `\u003`) {
			t.Errorf("%q writes tags of its own: %s", command, e.Block())
		}
	}
}

// Any bytes come through; what is no text is U+FFFD (AC-72, D-26).
func TestBlock_roundTripOfAnyBytes_AC72_D26(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyExit().Draw(t, "exit")
		n, ok := Parse(e.Block())
		if !ok || n.Exit == nil {
			t.Fatalf("no exit in %s", e.Block())
		}
		if diff := cmp.Diff(written(e), *n.Exit); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if n.Summary != e.Summary() || n.Exit.Key() != e.Key() {
			t.Fatalf("summary %q, want %q; key %v, want %v", n.Summary, e.Summary(), n.Exit.Key(), e.Key())
		}
	})
}

// Stalls too (AC-73).
func TestStall_roundTripOfAnyBytes_AC73_D26(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Stall{TaskID: "x" + anyBytes().Draw(t, "id"), Command: anyBytes().Draw(t, "command"), OutputPath: anyBytes().Draw(t, "output"),
			StalledFor: time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "for")).Truncate(time.Millisecond), BytesWritten: rapid.Int64Min(0).Draw(t, "bytes")}
		n, ok := Parse(s.Block())
		if !ok || n.Stall == nil || n.Exit != nil {
			t.Fatalf("read %+v", n)
		}
		s.TaskID, s.Command, s.OutputPath = clean(s.TaskID), clean(s.Command), clean(s.OutputPath)
		if diff := cmp.Diff(s, *n.Stall); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

type block struct {
	Elements []struct {
		XMLName xml.Name
		Text    string `xml:",chardata"`
	} `xml:",any"`
}

func decode(t *rapid.T, text string) block {
	var b block
	if err := xml.Unmarshal([]byte(text), &b); err != nil {
		t.Fatalf("no XML: %v\n%s", err, text)
	}
	return b
}

// D-26: a reader of XML that is not ours reads the same.
func TestBlock_isXMLForOthers_D26(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyExit().Draw(t, "exit")
		want := map[string]string{"task-id": clean(e.TaskID), "command": clean(e.Command), "summary": e.Summary(), "signal": clean(e.Signal), "output-file": clean(e.OutputPath)}
		for _, el := range decode(t, e.Block()).Elements {
			if text, ok := want[el.XMLName.Local]; ok && text != el.Text {
				t.Fatalf("%s is %q, want %q", el.XMLName.Local, el.Text, text)
			}
		}
	})
}
