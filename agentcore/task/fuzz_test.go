package task

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx"
)

// Whatever a text holds, reading it ends, every notice has an id, and what was read is
// written and read as the same again (D-01).
func FuzzParse(f *testing.F) {
	f.Add(build().Block())
	f.Add(claude)
	f.Add(Stall{TaskID: "bash_1", Command: "a<b"}.Block() + build().Block())
	f.Add("<task-notification><task-id>b</task-id><command>&#x41;&lt;&bogus;</command></task-notification><task-stall><task-id>c</task-id>")
	f.Add("<task-notification><<>></task-notification>")
	f.Fuzz(func(t *testing.T, text string) {
		notices, rest := split(text)
		if len(rest) > len(text) {
			t.Fatal("more is left than there was")
		}
		for _, n := range notices {
			switch {
			case n.TaskID == "":
				t.Fatalf("no id: %+v", n)
			case n.Exit != nil:
				again, ok := Parse(n.Exit.Block())
				if !ok || again.Exit == nil {
					t.Fatalf("an exit that cannot be read again: %+v", n.Exit)
				}
				if diff := cmp.Diff(written(*n.Exit), *again.Exit); diff != "" {
					t.Fatalf("(-first +again):\n%s", diff)
				}
			case n.Stall != nil:
				again, ok := Parse(n.Stall.Block())
				if !ok || again.Stall == nil || *again.Stall != *n.Stall {
					t.Fatalf("a stall that cannot be read again: %+v", n.Stall)
				}
			}
		}
		Turn{Texts: []string{text}}.Split()
	})
}

// Parse(Block(x)) is x, whatever bytes x is made of (AC-72, D-26).
func FuzzBlock_AC72_D26(f *testing.F) {
	f.Add("bash_1", "npm run <build> && \"x\"\n", "/t/bash_1.log", "", 0, int64(4200))
	f.Add(" x\r", "\x00\xff\u2028\ufffe", "", "SIGTERM", 143, int64(-1))
	f.Add("&amp;", `\u003c/command\u003e`, " ", "&#32;", -1, int64(1<<62))
	f.Fuzz(func(t *testing.T, id, command, output, signal string, exitCode int, ms int64) {
		e := Exit{TaskID: id, Command: command, OutputPath: output, Signal: signal, ExitCode: &exitCode, Status: execctx.StatusExited,
			Duration: milliseconds(ms), StartedAt: time.UnixMilli(ms % 1e12)}
		n, ok := Parse(e.Block())
		if id == "" {
			if ok {
				t.Fatalf("read %+v", n)
			}
			return
		}
		if !ok || n.Exit == nil {
			t.Fatalf("no exit in %s", e.Block())
		}
		if diff := cmp.Diff(written(e), *n.Exit); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
