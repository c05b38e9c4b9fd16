package transcript

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"
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

// TestRead_TR15_chunks: how the bytes come, and whether every row is validated,
// changes no fact.
func TestRead_TR15_chunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := session(t)
		o := options(t, len(data))
		want, err := ReadFrom(bytes.NewReader(data), int64(len(data)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 63, 64, 65, 4096, bufferSize - 1, bufferSize, 1 << 30}), 1, 9).Draw(t, "sizes")
		if len(data) > 200_000 {
			sizes = append(sizes, 1<<20)
			sizes = slices.DeleteFunc(sizes, func(n int) bool { return n < 64 })
		}
		var turn atomic.Int64 // a large window is read by two goroutines
		r := shortReader{data, func(int) int { return sizes[int(turn.Add(1))%len(sizes)] }}
		got, err := ReadFrom(r, int64(len(data)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("short reads change the session:\n%s\n%s", diff, shorten(data))
		}
		o.Validate = !o.Validate
		got, err = ReadFrom(r, int64(len(data)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Session{}, "Rows", "BadLines")); diff != "" {
			t.Fatalf("validation changes the facts:\n%s\n%s", diff, shorten(data))
		}
	})
}

// TestRead_TR3_truncation: a file cut anywhere is read without a panic, and what
// a shorter file opened is closed by nothing but what came later.
func TestRead_TR3_truncation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := session(t)
		o := options(t, len(data))
		for i := 0; i < len(data); i++ {
			next := bytes.IndexByte(data[i:], '\n')
			if next < 0 {
				break
			}
			i += next
			if len(data) > 50_000 && rapid.IntRange(0, 9).Draw(t, "skip") > 0 {
				continue
			}
			cut := data[:i+1-rapid.IntRange(0, 1).Draw(t, "less")]
			s, err := ReadFrom(bytes.NewReader(cut), int64(len(cut)), "t.jsonl", o)
			if err != nil || s.Rows < 0 || s.BadLines < 0 {
				t.Fatalf("%d rows, %d bad, %v", s.Rows, s.BadLines, err)
			}
		}
	})
}

// TestRead_D11_onlyStructureOpens: no line opens a handoff unless it is a receipt
// itself, whatever its text says.
func TestRead_D11_onlyStructureOpens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := session(t)
		o := options(t, len(data))
		o.Window, o.SessionID = 0, "s-1" // whose rows these are must not change
		before := naiveRead(data, "t.jsonl", o)
		g := &gen{t: t, now: at0, own: true, named: "more-"}
		steps := []func(){g.assistant, g.call, g.harvest, g.notice, g.human, g.junk, g.aside, g.remediation}
		for range rapid.IntRange(1, 5).Draw(t, "more") {
			pick(g, steps...)()
			g.flush()
		}
		more := joined(data, g.buf.Bytes())
		after, err := ReadFrom(bytes.NewReader(more), int64(len(more)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		if len(after.Handoffs) > len(before.Handoffs) {
			t.Fatalf("text opened a handoff: %v, then %v\n%s", before.Handoffs, after.Handoffs, shorten(more))
		}
	})
}

// TestRead_TR7_D11_textOnlyCloses: adding text, forged or not, at any place only
// ever shrinks the open handoffs of mode any_text.
func TestRead_TR7_D11_textOnlyCloses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := session(t)
		o := options(t, len(data))
		o.Window, o.SessionID = 0, "s-1"
		before, err := ReadFrom(bytes.NewReader(data), int64(len(data)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		g := &gen{t: t, now: at0, own: true, named: "more-"}
		for range rapid.IntRange(1, 3).Draw(t, "notices") {
			s := g.block()
			pick(g,
				func() {
					g.emit(obj{{"type", "user"}, {"sessionId", "s-1"}, {"message", m{"role": "user", "content": s}}})
				},
				func() { g.emit(obj{{"type", "user"}, {"isSidechain", true}, {"message", m{"content": s}}}) },
				func() { g.emit(append(g.assistantRow([]any{text(s)}), kv{"sessionId", "s-1"})) },
				func() { g.emit(obj{{"type", "queue-operation"}, {"content", s}}) },
				func() { g.emit(obj{{"type", "news"}, {"deep", []any{s}}}) },
				func() { g.emit(obj{{"type", "system"}, {"content", s}}) },
			)()
		}
		// At the end, or between two rows.
		at := len(data)
		if i := bytes.LastIndexByte(data[:rapid.IntRange(0, len(data)).Draw(t, "at")], '\n'); i >= 0 && rapid.Bool().Draw(t, "within") {
			at = i + 1
		}
		more := slices.Concat(joined(data[:at], g.buf.Bytes()), data[at:])
		after, err := ReadFrom(bytes.NewReader(more), int64(len(more)), "t.jsonl", o)
		if err != nil {
			t.Fatal(err)
		}
		was := open(before, "any_text")
		for _, id := range open(after, "any_text") {
			i := slices.Index(was, id)
			if i < 0 {
				t.Fatalf("%s is open only after text was added: %v\n%s", id, was, shorten(more))
			}
			was = slices.Delete(was, i, i+1)
		}
	})
}

// joined appends lines to a transcript whose last line may have no newline.
func joined(data, more []byte) []byte {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(slices.Clone(data), '\n')
	}
	return slices.Concat(data, more)
}

// shorten prints a transcript with long fillers cut.
func shorten(data []byte) string {
	s := string(data)
	for _, c := range []string{"xxxxxxxxxxxxxxxxxxxxx", "long long "} {
		s = strings.ReplaceAll(s, strings.Repeat(c, 60), c+"…")
	}
	return s
}
