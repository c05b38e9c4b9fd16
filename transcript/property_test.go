package transcript

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// options draws what a caller may know.
func options(t *rapid.T, size int) Options {
	o := Options{Now: at0.Add(rapid.SampledFrom([]time.Duration{0, time.Minute, 25 * time.Minute, 2 * time.Hour}).Draw(t, "now")),
		Validate: rapid.Bool().Draw(t, "validate")}
	o.SessionID = rapid.SampledFrom([]string{"", "", "s-1", "s-2", "s-9"}).Draw(t, "session")
	if rapid.IntRange(0, 4).Draw(t, "cut") == 0 {
		o.Window = int64(rapid.IntRange(1, size+2).Draw(t, "window"))
	}
	if rapid.Bool().Draw(t, "box window") {
		o.BoxWindow = int64(rapid.IntRange(1, size+2).Draw(t, "box window"))
	}
	if rapid.IntRange(0, 2).Draw(t, "payload") == 0 {
		s := rapid.SampledFrom([]string{"", "bye", "┌─ stophook check zzzzzzz9 ─"}).Draw(t, "last message")
		o.LastAssistantMessage = &s
	}
	return o
}

// comparable hides what the model does not tell: texts about tasks, who closed
// what, the details of calls.
var comparable = cmp.Options{
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(Task{}, "OutputFile"),
	cmpopts.IgnoreFields(Handoff{}, "AgeSeconds", "ExpiresAt"),
	cmpopts.IgnoreFields(ToolCall{}, "FilePath", "Background", "Evidence"),
	cmpopts.IgnoreFields(Session{}, "Rows", "BadLines"),
}

// diffCounts compares the counts; without validation of a large window only
// their sum is exact (see Options.Validate).
func diffCounts(want, got *Session, o Options) string {
	type counts struct{ rows, bad int }
	a, b := counts{want.Rows, want.BadLines}, counts{got.Rows, got.BadLines}
	if !o.Validate && got.Size-got.WindowOffset > validateUpTo {
		a, b = counts{a.rows + a.bad, 0}, counts{b.rows + b.bad, 0}
	}
	return cmp.Diff(a, b, cmp.AllowUnexported(counts{}))
}

// TestRead_TR15_model compares the reader with the naive model on random sessions.
func TestRead_TR15_model(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := session(t)
		o := options(t, len(data))
		want := naiveRead(data, "t.jsonl", o)
		got, err := ReadFrom(bytes.NewReader(data), int64(len(data)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		// Work by shell syntax has tests of its own.
		got.Tasks = slices.DeleteFunc(got.Tasks, func(x Task) bool { return x.Entrance == EntranceShellSyntax })
		if diff := cmp.Diff(want, got, comparable); diff != "" {
			t.Fatalf("model (-) and reader (+) differ, options %+v:\n%s\n%s", o, diff, shorten(data))
		}
		if diff := diffCounts(want, got, o); diff != "" {
			t.Fatalf("counts differ, options %+v:\n%s\n%s", o, diff, shorten(data))
		}
	})
}

// shorten prints a transcript with long fillers cut.
func shorten(data []byte) string {
	s := string(data)
	for _, c := range []string{"xxxxxxxxxxxxxxxxxxxxx", "long long "} {
		s = strings.ReplaceAll(s, strings.Repeat(c, 60), c+"…")
	}
	return s
}
