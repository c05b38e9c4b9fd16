package transcript

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stopsOf walks bytes as a transcript.
func stopsOf(t testing.TB, data []byte) ([]Stop, Walked) {
	t.Helper()
	stops := []Stop{}
	seen, err := Walk(context.Background(), bytes.NewReader(data), int64(len(data)), "t.jsonl", WalkOptions{},
		func(s *Stop, _ *Moment) error {
			stops = append(stops, *s)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return stops, seen
}

// said is an assistant row of one text. why is its stop_reason, nil for none.
func said(uuid, id, words string, why any, extra ...kv) obj {
	return assistantRow(uuid, "", []any{text(words)}, append([]kv{{"message", obj{{"id", id}, {"role", "assistant"},
		{"content", []any{text(words)}}, {"stop_reason", why}}}}, extra...)...)
}

// called is an assistant row of one tool call.
func called(uuid, id, toolID string, why any) obj {
	return assistantRow(uuid, "", nil, kv{"message", obj{{"id", id}, {"role", "assistant"},
		{"content", []any{toolUse(toolID, "Bash", obj{{"command", "ls"}})}}, {"stop_reason", why}}})
}

func answered(uuid, toolID string) obj { return userRow(uuid, "", []any{toolResult(toolID, "ok")}) }

func hostNote(uuid, subtype string) obj {
	return obj{{"type", "system"}, {"subtype", subtype}, {"uuid", uuid}, {"isSidechain", false}, {"sessionId", "s-1"}, {"timestamp", sec(0)}}
}

func feedback(uuid, reason string) obj {
	return userRow(uuid, "", "Stop hook feedback:\n"+reason, kv{"isMeta", true})
}

func blockingError(uuid, event, reason string) obj {
	return obj{{"type", "attachment"}, {"uuid", uuid}, {"sessionId", "s-1"}, {"timestamp", sec(0)}, {"attachment", obj{
		{"type", "hook_blocking_error"}, {"hookName", event}, {"hookEvent", event}, {"blockingError", obj{{"blockingError", reason}}}}}}
}

func TestStops(t *testing.T) {
	prompt := human("p1", "", "go")
	end := "end_turn"
	for _, tt := range []struct {
		reason string
		rows   []any
		want   []string // line, sign, answer and what is remarkable of every stop
	}{
		{"a final message at the end of the file", []any{prompt, said("a1", "m1", "done", end)}, []string{"2 end"}},
		{"a prompt follows", []any{prompt, said("a1", "m1", "done", end), human("p2", "a1", "more")}, []string{"2 prompt"}},
		{"an older host gives no reason to stop", []any{prompt, said("a1", "m1", "done", nil), human("p2", "a1", "more")}, []string{"2 prompt"}},
		{"and at the end of the file neither", []any{prompt, said("a1", "m1", "done", nil)}, []string{"2 end"}},
		{"a notification begins the next turn", []any{prompt, said("a1", "m1", "done", end),
			userRow("n1", "a1", notification("b1", "completed"), kv{"origin", obj{{"kind", "task-notification"}}})}, []string{"2 notification"}},
		{"the host notes the turn's duration", []any{prompt, said("a1", "m1", "done", end), hostNote("d", "turn_duration")}, []string{"2 turn_duration"}},
		{"hooks let it pass", []any{prompt, said("a1", "m1", "done", end), hostNote("h", "stop_hook_summary")}, []string{"2 hook passed"}},
		{"a hook blocks, the next stop follows it", []any{prompt, said("a1", "m1", "done", end), feedback("f", "no tests"),
			blockingError("b", "Stop", "no tests"), hostNote("h", "stop_hook_summary"), said("a2", "m2", "done again", end)},
			[]string{"2 hook blocked (no tests)", "6 end active"}},
		{"exit 2 leaves no attachment", []any{prompt, said("a1", "m1", "done", end), feedback("f", "[x]: no tests"),
			said("a2", "m2", "done again", end)}, []string{"2 hook blocked ([x]: no tests)", "4 end active"}},
		{"two hooks block", []any{prompt, said("a1", "m1", "done", end), feedback("f", "one"), feedback("g", "two"), hostNote("h", "stop_hook_summary")},
			[]string{"2 hook blocked (one|two)"}},
		{"a prompt ends the chain of blocks", []any{prompt, said("a1", "m1", "done", end), feedback("f", "no"), said("a2", "m2", "yes", end),
			human("p2", "a2", "more"), said("a3", "m3", "done", end)}, []string{"2 hook blocked (no)", "4 prompt active", "6 end"}},
		{"a tool between blocks does not", []any{prompt, said("a1", "m1", "done", end), feedback("f", "no"), called("a2", "m2", "t1", "tool_use"),
			answered("r", "t1"), said("a3", "m3", "done", end)}, []string{"2 hook blocked (no)", "6 end active"}},
		{"a hook of another event says nothing", []any{prompt, said("a1", "m1", "done", end), blockingError("b", "SubagentStop", "no")}, []string{"2 end"}},
		{"a message of text and call goes on", []any{prompt, said("a1", "m1", "I look", "tool_use"), called("a2", "m1", "t1", "tool_use"), answered("r", "t1")}, nil},
		{"also without reasons", []any{prompt, said("a1", "m1", "I look", nil), called("a2", "m1", "t1", nil), answered("r", "t1")}, nil},
		{"text behind the call in the same message", []any{prompt, called("a1", "m1", "t1", nil), said("a2", "m1", "I look", nil), answered("r", "t1")}, nil},
		{"text behind the call, then a prompt", []any{prompt, called("a1", "m1", "t1", nil), said("a2", "m1", "I look", nil), human("p2", "a2", "no")}, nil},
		{"the file ends in the middle of a turn", []any{prompt, said("a1", "m1", "I look", "tool_use")}, nil},
		{"it ends in a call", []any{prompt, called("a1", "m1", "t1", "tool_use")}, nil},
		{"it ends in a result", []any{prompt, called("a1", "m1", "t1", "tool_use"), answered("r", "t1")}, nil},
		{"torn behind a text that gives no reason", []any{prompt, said("a1", "m1", "I look", nil), `{"type":"assistant","mess`}, nil},
		{"torn behind a message that is complete", []any{prompt, said("a1", "m1", "done", end), `{"type":"syst`}, []string{"2 end"}},
		{"the user interrupts", []any{prompt, said("a1", "m1", "I th", nil), userRow("i", "a1", []any{text("[Request interrupted by user]")})}, nil},
		{"interrupts, and prompts", []any{prompt, said("a1", "m1", "I th", nil), userRow("i", "a1", []any{text("[Request interrupted by user]")}),
			human("p2", "i", "other"), said("a2", "m2", "ok", end)}, []string{"5 end"}},
		{"an interrupt behind a stop that hooks saw", []any{prompt, said("a1", "m1", "done", end), hostNote("h", "stop_hook_summary"),
			userRow("i", "a1", []any{text("[Request interrupted by user]")})}, []string{"2 hook passed"}},
		{"an API error is a StopFailure", []any{prompt, said("a1", "m1", "API Error: 529", "stop_sequence", kv{"isApiErrorMessage", true}), human("p2", "a1", "go on")}, nil},
		{"the host's own words are no answer", []any{prompt, assistantRow("a1", "", nil, kv{"message", obj{{"id", "m1"}, {"role", "assistant"},
			{"model", "<synthetic>"}, {"content", []any{text("No response requested.")}}, {"stop_reason", "stop_sequence"}}})}, nil},
		{"nor do they take a stop away", []any{prompt, said("a1", "m1", "done", end), userRow("c", "a1", "Continue from where you left off.", kv{"isMeta", true}),
			assistantRow("a2", "", nil, kv{"message", obj{{"id", "m2"}, {"role", "assistant"}, {"model", "<synthetic>"},
				{"content", []any{text("No response requested.")}}, {"stop_reason", "stop_sequence"}}}), human("p2", "a2", "more")}, []string{"2 prompt"}},
		{"an API error behind words that it cut off", []any{prompt, said("a1", "m1", "I th", nil), assistantRow("a2", "", nil, kv{"isApiErrorMessage", true},
			kv{"message", obj{{"id", "m2"}, {"role", "assistant"}, {"model", "<synthetic>"}, {"content", []any{text("API Error: 529")}}}}), human("p2", "a2", "go on")}, nil},
		{"the host itself goes on behind a complete message", []any{prompt, said("a1", "m1", "done", end),
			userRow("c", "a1", "Run the nightly report.", kv{"isMeta", true}), said("a2", "m2", "report", end)}, []string{"2 prompt", "4 end"}},
		{"a subagent's message", []any{prompt, said("a1", "m1", "found it", end, kv{"isSidechain", true})}, nil},
		{"a subagent's message behind the final one", []any{prompt, said("a1", "m1", "done", end), said("a2", "m2", "found it", end, kv{"isSidechain", true})}, []string{"2 end"}},
		{"a message that another one follows without a prompt", []any{prompt, said("a1", "m1", "half of it", "max_tokens"),
			userRow("c", "a1", "Output token limit hit. Resume directly.", kv{"isMeta", true}), said("a2", "m2", "the rest", end)}, []string{"4 end"}},
		{"a message of several rows is one stop", []any{prompt, said("a1", "m1", "first", end), said("a2", "m1", "second", end)}, []string{"3 end @2"}},
		{"a copied row of a fork", []any{prompt, said("a1", "m1", "done", end, kv{"forkedFrom", obj{{"sessionId", "s-0"}}}), human("p2", "a1", "more"),
			said("a2", "m2", "done", end)}, []string{"4 end"}},
		{"a row of the session that was forked", []any{prompt, said("a1", "m1", "done", end, kv{"sessionId", "s-0"}), human("p2", "a1", "more"),
			said("a2", "m2", "done", end)}, []string{"4 end"}},
		{"a row that a resumed host appended again", []any{prompt, said("a1", "m1", "done", end), human("p2", "a1", "more"),
			said("a1", "m1", "done", end), human("p3", "a1", "more")}, []string{"2 prompt"}},
		{"a branch that was cut off and rewound", []any{prompt, said("a0", "m0", "hi", end), human("p2", "a0", "other"), said("a1", "m1", "I th", nil),
			human("p3", "a0", "better")}, []string{"2 prompt"}},
		{"a branch that ended and was rewound later", []any{prompt, said("a0", "m0", "hi", end), human("p2", "a0", "other"), said("a1", "m1", "ended", end),
			human("p3", "a0", "better")}, []string{"2 prompt", "4 prompt"}},
		{"compaction is no prompt", []any{prompt, said("a1", "m1", "done", end), hostNote("c", "compact_boundary"),
			userRow("s", "", "This session is being continued", kv{"isCompactSummary", true}), human("p2", "s", "more")}, []string{"2 prompt"}},
		{"nothing was said", []any{prompt, human("p2", "p1", "hello?")}, nil},
		{"blank and broken lines count as lines", []any{prompt, "", "{broken", said("a1", "m1", "done", end)}, []string{"4 end"}},
		{"no file content", nil, nil},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			data := lines(tt.rows...)
			stops, _ := stopsOf(t, data)
			var got []string
			for _, s := range stops {
				got = append(got, describeStop(data, s))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("stops (-want +got):\n%s", diff)
			}
		})
	}
}

// describeStop says in a few words what the table wants, and checks the offsets on
// the way.
func describeStop(data []byte, s Stop) string {
	var b strings.Builder
	line := bytes.Count(data[:s.Offset], []byte("\n"))
	b.WriteString(itoa(line) + " " + string(s.Sign))
	if line != s.Line {
		b.WriteString(" WRONG LINE")
	}
	if s.Active {
		b.WriteString(" active")
	}
	if s.Answer != "" {
		b.WriteString(" " + string(s.Answer))
	}
	if s.Reason != "" {
		b.WriteString(" (" + strings.ReplaceAll(s.Reason, "\n", "|") + ")")
	}
	if first := bytes.Count(data[:s.FinalAt], []byte("\n")) + 1; first != line {
		b.WriteString(" @" + itoa(first))
	}
	return b.String()
}

func itoa(n int) string { return string(rune('0' + n)) }

func TestStops_withoutTimes(t *testing.T) {
	none := kv{"timestamp", nil}
	stops, _ := stopsOf(t, lines(human("p1", "", "go", kv{"timestamp", sec(7)}), said("a1", "m1", "done", "end_turn", none)))
	if len(stops) != 1 || stamp(stops[0].Time) != sec(7) {
		t.Errorf("got %+v, want the time of the row before", stops)
	}
	stops, _ = stopsOf(t, lines(human("p1", "", "go", none), said("a1", "m1", "done", "end_turn", none)))
	if len(stops) != 1 || !stops[0].Time.IsZero() {
		t.Errorf("got %+v, want no time", stops)
	}
}

func TestStops_noFile(t *testing.T) {
	if _, err := Stops(filepath.Join(t.TempDir(), "none.jsonl")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestWalk_endsEarly(t *testing.T) {
	data := lines(human("p1", "", "go"), said("a1", "m1", "done", "end_turn"), human("p2", "a1", "go"), said("a2", "m2", "done", "end_turn"))
	wrong := errors.New("enough")
	calls := 0
	_, err := Walk(context.Background(), bytes.NewReader(data), int64(len(data)), "t.jsonl", WalkOptions{}, func(*Stop, *Moment) error {
		calls++
		return wrong
	})
	if !errors.Is(err, wrong) || calls != 1 {
		t.Errorf("%v after %d stops, want the error of the first", err, calls)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Walk(ctx, bytes.NewReader(data), int64(len(data)), "t.jsonl", WalkOptions{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestWalk_counts(t *testing.T) {
	data := lines(human("p1", "", "go"), "", said("s1", "m0", "sub", "end_turn", kv{"isSidechain", true}), "{broken", `{"type":"mode"}`,
		said("a1", "m1", "done", "end_turn"))
	var told int64
	seen, err := Walk(context.Background(), bytes.NewReader(data), int64(len(data)), "t.jsonl",
		WalkOptions{Progress: func(n int64) { told += n }}, func(*Stop, *Moment) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if want := (Walked{Lines: 6, Rows: 4, Bad: 1, Main: 2, Sidechain: 1}); seen != want || told != int64(len(data)) {
		t.Errorf("saw %+v and told of %d bytes, want %+v and %d", seen, told, want, len(data))
	}
}

// A transcript that ended long before is not read any further.
func TestWalk_since(t *testing.T) {
	data := lines(human("p1", "", "go"), said("a1", "m1", "done", "end_turn"))
	for _, tt := range []struct {
		reason string
		since  time.Duration
		old    bool
	}{
		{"rows are that recent", 0, false},
		{"rows may be out of order", time.Hour, false},
		{"but not by so much", time.Hour + time.Second, true},
	} {
		var told int64
		stops := 0
		seen, err := Walk(context.Background(), bytes.NewReader(data), int64(len(data)), "t.jsonl",
			WalkOptions{Since: at0.Add(tt.since), Progress: func(n int64) { told += n }}, func(*Stop, *Moment) error {
				stops++
				return nil
			})
		if err != nil || seen.Old != tt.old || (stops == 0) != tt.old || told != int64(len(data)) {
			t.Errorf("%s: %+v, %d stops, told of %d bytes, %v", tt.reason, seen, stops, told, err)
		}
	}
}
