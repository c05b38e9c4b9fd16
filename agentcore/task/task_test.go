package task

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

func code(n int) *int { return &n }

// xml is what a text becomes on its way: what XML forbids is replaced (D-26).
func xml(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !legal(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// AC-70, AC-71, D-25: the elements stand in their order, the signal behind the code.
func TestBlock_AC70_AC71_D25(t *testing.T) {
	e := Exit{TaskID: "bash_1", Status: execctx.StatusKilled, ExitCode: code(143), Signal: "SIGTERM", Command: "make & <x>", OutputPath: "/t/bash_1.log",
		Duration: 12345 * time.Millisecond}
	want := `<task-notification>
<task-id>bash_1</task-id>
<status>killed</status>
<exit-code>143</exit-code>
<signal>SIGTERM</signal>
<command>make &amp; &lt;x&gt;</command>
<output-file>/t/bash_1.log</output-file>
<duration-ms>12345</duration-ms>
<summary>make &amp; &lt;x&gt; (12.3s) — killed (SIGTERM)</summary>
</task-notification>`
	if diff := cmp.Diff(want, e.Block()); diff != "" {
		t.Errorf("block (-want +got):\n%s", diff)
	}
	e.Status, e.Signal, e.ExitCode, e.Command = execctx.StatusExited, "", code(0), strings.Repeat("é", 300)
	if got, want := e.Summary(), strings.Repeat("é", 200)+"… (12.3s) — exited 0"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

// AC-72, D-26: any bytes come through; what XML forbids is U+FFFD.
func TestBlock_roundTrip_AC72_D26(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bytes := func(name string) string {
			return rapid.OneOf(rapid.String(), rapid.StringMatching(`[<>&"'/a-z\r\n\t-]*`),
				rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(rt, name)
		}
		e := Exit{TaskID: "bash_" + bytes("id"), Status: execctx.StatusExited, Command: bytes("command"), OutputPath: bytes("path"),
			Duration: time.Duration(rapid.Int64Range(0, 1e9).Draw(rt, "ms")) * time.Millisecond}
		if rapid.Bool().Draw(rt, "seen") {
			e.ExitCode = code(rapid.IntRange(0, 255).Draw(rt, "code"))
		}
		n, ok := Parse("before " + e.Block() + " behind")
		if !ok || n.Exit == nil {
			rt.Fatalf("no exit in %q", e.Block())
		}
		e.TaskID, e.Command, e.OutputPath = xml(e.TaskID), xml(e.Command), xml(e.OutputPath)
		if diff := cmp.Diff(e, *n.Exit); diff != "" {
			rt.Errorf("(-want +got):\n%s", diff)
		}
		if again := n.Exit.Block(); Exits(again)[0].Key() != n.Exit.Key() {
			rt.Errorf("the key changed: %s", again)
		}
	})
}

// Exits are the ends in a text.
func Exits(text string) (exits []Exit) {
	for _, n := range ParseAll(text) {
		if n.Exit != nil {
			exits = append(exits, *n.Exit)
		}
	}
	return exits
}

// D-01, D-25: the reader takes old blocks and those of Claude Code, and needs an id only.
func TestParse_dialects_D01_D25(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want *Exit
	}{
		"Claude Code": {"<task-notification>\n<task-id>bpush001</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<output-file>/x/tasks/bpush001.output</output-file>\n" +
			"<status>completed</status>\n<summary>Background command \"git push\" completed (exit code 0)</summary>\n</task-notification>",
			&Exit{TaskID: "bpush001", Status: execctx.StatusExited, ExitCode: code(0), OutputPath: "/x/tasks/bpush001.output"}},
		"failed":       {"<task-notification><task-id>b1</task-id><status>failed</status><summary>failed with exit code 7</summary></task-notification>", &Exit{TaskID: "b1", Status: execctx.StatusExited, ExitCode: code(7)}},
		"an old block": {"<task-notification>\n<task-id>bash_2</task-id>\n<status>exited</status>\n<exit-code>3</exit-code>\n</task-notification>", &Exit{TaskID: "bash_2", Status: execctx.StatusExited, ExitCode: code(3)}},
		"never closed": {"<task-notification><task-id>b2</task-id><status>killed</status>", &Exit{TaskID: "b2", Status: execctx.StatusKilled}},
		"no id":        {"<task-notification><status>exited</status></task-notification>", nil},
		"no block":     {"task-notification", nil},
		"odd numbers":  {"<task-notification><task-id>b3</task-id><exit-code>x</exit-code><duration-ms>-4</duration-ms></task-notification>", &Exit{TaskID: "b3"}},
	} {
		n, ok := Parse(test.text)
		if ok != (test.want != nil) {
			t.Errorf("%s: found %v", name, ok)
			continue
		}
		if diff := cmp.Diff(test.want, n.Exit); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// AC-73, AC-74, D-27: a stall has a form of its own, latches nothing, and is told once.
func TestStall_AC73_AC74_D27(t *testing.T) {
	s := Stall{TaskID: "bash_1", Command: "npm <i>", OutputPath: "/t/1.log", StalledFor: 90 * time.Second, BytesWritten: 7}
	n, ok := Parse(s.Block())
	if !ok || n.Stall == nil || n.Exit != nil {
		t.Fatalf("read %+v", n)
	}
	if diff := cmp.Diff(s, *n.Stall); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if FromBlocks([]string{s.Block()}).Has(Key{s.TaskID, s.OutputPath}) {
		t.Error("a stall latches")
	}
	var q Queue
	q.AddStall(s)
	s.StalledFor *= 2
	q.AddStall(s)
	if got := q.TakeStalls(); len(got) != 1 || got[0].StalledFor != s.StalledFor {
		t.Errorf("stalls %+v", got)
	}
	q.AddStall(s)
	q.AddExit(Exit{TaskID: s.TaskID, OutputPath: s.OutputPath})
	q.AddStall(s)
	if got := q.TakeStalls(); len(got) != 0 {
		t.Errorf("a stall of a task that has ended: %+v", got)
	}
}

// AC-42, D-23: by end, start, number, whatever the order of arrival.
func TestOrder_AC42_D23(t *testing.T) {
	at := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	want := []Exit{{TaskID: "bash_10", EndedAt: at, StartedAt: at}, {TaskID: "bash_2", EndedAt: at.Add(1), StartedAt: at}, {TaskID: "bash_3", EndedAt: at.Add(1), StartedAt: at},
		{TaskID: "bash_11", EndedAt: at.Add(1), StartedAt: at}, {TaskID: "bash_1", EndedAt: at.Add(1), StartedAt: at.Add(1)}, {TaskID: "x", EndedAt: at.Add(2)}}
	for range 20 {
		var q Queue
		for _, i := range rand.Perm(len(want)) {
			q.AddExit(want[i])
			q.AddExit(want[i])
		}
		if diff := cmp.Diff(want, q.Exits()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// D-22: ids begin anew with every context; the file tells ends apart.
func TestLatch_D22_AC34(t *testing.T) {
	old := Exit{TaskID: "bash_1", OutputPath: "/t/bash_1.20261005-090000-000.log", Status: execctx.StatusExited, ExitCode: code(0)}
	fresh := old
	fresh.OutputPath = "/t/bash_1.20261005-100000-000.log"
	l := FromBlocks([]string{"words", old.Block()})
	if !l.Has(old.Key()) || l.Has(fresh.Key()) {
		t.Error("the latch does not tell two tasks of one id apart")
	}
	remote := Exit{TaskID: "r", HandleID: "h", StartedAt: time.Unix(5, 0)}
	later := remote
	later.StartedAt = time.Unix(6, 0)
	if remote.Key() == later.Key() {
		t.Error("two starts without a file have one key")
	}
	c := l.Clone()
	c.Add(fresh.Key())
	if l.Has(fresh.Key()) || !c.Has(fresh.Key()) {
		t.Error("a clone is not its own")
	}
	l.Join(c)
	if !l.Has(fresh.Key()) {
		t.Error("joined without effect")
	}
}

// AC-80 to AC-83, D-28: delivered turns give events, typed text gives none; a history
// without marks is read by its first words.
func TestEventsFromTurns_AC80to83_D28(t *testing.T) {
	one := Exit{TaskID: "bash_1", Status: execctx.StatusExited, ExitCode: code(0), Command: "a\x00b", OutputPath: "/t/1", Duration: time.Second}
	two := Exit{TaskID: "bash_2", Status: execctx.StatusKilled, ExitCode: code(137), Signal: "SIGKILL", Command: "c", OutputPath: "/t/2"}
	turns := []Turn{
		{Marks: true, Texts: []string{one.Block() + " says a person"}},
		{Marks: true, Delivered: true, Texts: []string{one.Block(), "words", two.Block()}},
		{Texts: []string{two.Block(), one.Block()}},
		{Texts: []string{"look: " + two.Block()}},
	}
	if diff := cmp.Diff([]Event{EventOf(one), EventOf(two), EventOf(two)}, EventsFromTurns(turns)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// AC-113: what a person sees.
func TestBanner(t *testing.T) {
	for want, e := range map[string]Exit{
		"⌁ bash_1 exited (0) 1.0s /t/1": {TaskID: "bash_1", Status: execctx.StatusExited, ExitCode: code(0), Duration: time.Second, OutputPath: "/t/1"},
		"⌁ bash_2 killed 61.5s /t/2":    {TaskID: "bash_2", Status: execctx.StatusKilled, ExitCode: code(143), Signal: "SIGTERM", Duration: 61500 * time.Millisecond, OutputPath: "/t/2"},
		"⌁ bash_3 lost 0.0s /t/3":       {TaskID: "bash_3", Status: execctx.StatusLost, OutputPath: "/t/3"},
		"⌁ bash_4 exited (?) 0.0s /t/4": {TaskID: "bash_4", Status: execctx.StatusExited, OutputPath: "/t/4"},
	} {
		if got := e.Banner(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Whatever a text holds, reading it ends, and every block that was read has an id.
func FuzzParseAll(f *testing.F) {
	f.Add("<task-notification><task-id>b</task-id><command>&#x41;&lt;&bogus;</command></task-notification><task-stall><task-id>c</task-id>")
	f.Add("<task-notification><<>></task-notification>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, n := range ParseAll(text) {
			switch {
			case n.Exit != nil && n.Exit.TaskID == "", n.Stall != nil && n.Stall.TaskID == "", n.Exit == nil && n.Stall == nil:
				t.Errorf("a block without an id: %+v", n)
			case n.Exit != nil && n.Exit.Duration < 0:
				t.Errorf("a negative time: %+v", n.Exit)
			}
		}
	})
}
