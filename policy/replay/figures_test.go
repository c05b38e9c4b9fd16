package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy"
)

// captureRow is what the figures are counted from: plain JSON, and nothing of the
// code that is tested.
type captureRow struct {
	Type        string
	UUID        string
	IsMeta      bool
	IsSidechain bool
	Origin      struct{ Kind string }
	Message     struct{ Content any }
}

func captureRows(t *testing.T, data []byte) (rows []captureRow) {
	t.Helper()
	for line := range bytes.Lines(data) {
		var r captureRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// has tells whether a message has a block of a type.
func (r captureRow) has(kind string) bool {
	blocks, _ := r.Message.Content.([]any)
	return slices.ContainsFunc(blocks, func(b any) bool {
		block, _ := b.(map[string]any)
		return block["type"] == kind
	})
}

func (r captureRow) text() string {
	if s, ok := r.Message.Content.(string); ok {
		return s
	}
	raw, _ := json.Marshal(r.Message.Content)
	return string(raw)
}

// capture is one recorded Stop event, with what the fixture says of it.
type capture struct {
	fixtures.Case
	data   []byte
	rows   []captureRow
	active bool
	last   string
}

// turn tells whether the turn used tools, and which human prompt it works on.
func (c capture) turn() (tools bool, prompt string) {
	begun := false
	for _, r := range slices.Backward(c.rows) {
		switch {
		case r.IsSidechain:
		case r.Type == "assistant" && !begun:
			tools = tools || r.has("tool_use")
		case r.Type == "user" && !r.IsMeta && !r.has("tool_result") && !strings.Contains(r.text(), "[Request interrupted by user"):
			begun = true
			if r.Origin.Kind != "task-notification" {
				return tools, r.UUID
			}
		}
	}
	return tools, ""
}

// captureSessions are the recorded events by session, in order. The last ones of
// three sessions are left out: the TUI wrote the row that ends them afterwards.
func captureSessions(t *testing.T) map[string][]capture {
	t.Helper()
	sessions := map[string][]capture{}
	for _, c := range fixtures.Load(t, fixtures.Captures) {
		one := capture{Case: c, data: c.Read(t, fixtures.TranscriptFile)}
		one.rows = captureRows(t, one.data)
		var payload struct {
			ID     string `json:"session_id"`
			Active bool   `json:"stop_hook_active"`
			Last   string `json:"last_assistant_message"`
		}
		if err := json.Unmarshal(c.Read(t, fixtures.StdinFile), &payload); err != nil {
			t.Fatal(err)
		}
		one.active, one.last = payload.Active, payload.Last
		sessions[payload.ID] = append(sessions[payload.ID], one)
	}
	return sessions
}

// expected counts what the built-in policy owes to recorded sessions in which
// nobody ran an evidence command: a turn of words passes, a turn with tools is held
// five times and then passes, and an open handoff takes the status evidence off the
// list, so that the task is what is missed first.
func expected(t *testing.T, x *tree) (want Totals) {
	sessions := captureSessions(t)
	codes := map[CodeCount]int{}
	for _, id := range slices.Sorted(maps.Keys(sessions)) {
		events := sessions[id]
		data := events[len(events)-1].data
		x.write(t, id+"/"+id+".jsonl", data)
		want.Files++
		want.Bytes += int64(len(data))
		if !bytes.Contains(data, []byte(`"text":"`+events[len(events)-1].last+`"`)) {
			events = events[:len(events)-1]
		}
		if len(events) == 0 {
			want.NoStop++
			continue
		}
		want.Sessions++
		blocks, cycle := 0, ""
		for i, c := range events {
			tools, prompt := c.turn()
			if prompt != cycle {
				blocks, cycle = 0, prompt
			}
			code := CodeCount{Code: "stop-hook.status_check_missing", Verdict: policy.VerdictBlock}
			switch {
			case !tools:
				code = CodeCount{Code: "stop-hook.prose_pass", Verdict: policy.VerdictAllow}
			case blocks == 5:
				code = CodeCount{Code: "stop-hook.remediation_cap", Verdict: policy.VerdictAllow}
			case len(c.Want.Facts.OpenHandoffs.AnyText) > 0:
				code.Code = "stop-hook.task_undeclared"
			}
			if blocks++; code.Verdict != policy.VerdictBlock {
				blocks = 0
			}
			codes[code]++
			want.count(code.Verdict, i, events)
		}
	}
	for c, n := range codes {
		c.Stops = n
		want.Codes = append(want.Codes, c)
	}
	slices.SortFunc(want.Codes, func(a, b CodeCount) int { return b.Stops - a.Stops })
	return want
}

// count adds one stop, with what the host did then: it went on after a block.
func (t *Totals) count(verdict string, i int, events []capture) {
	t.Stops++
	held := verdict == policy.VerdictBlock
	if held {
		t.Block++
	} else {
		t.Allow++
	}
	switch {
	case i+1 == len(events) && events[i].Name == "c-clear-pending-stop02", i+1 == len(events) && strings.HasPrefix(events[i].Name, "c-done-during"),
		i+1 == len(events) && strings.HasPrefix(events[i].Name, "d-ctrl-b"):
		t.agree(!held) // the recording goes on a little behind its last stop that counts
	case i+1 == len(events):
		t.Unrecorded++
	default:
		t.agree(held == events[i+1].active)
	}
}

func (t *Totals) agree(same bool) {
	if same {
		t.Agree++
	} else {
		t.Differ++
	}
}

// TestRun_figuresOfTheRecordings is the bar: over the recorded sessions the figures
// are those that the recordings themselves say.
func TestRun_figuresOfTheRecordings(t *testing.T) {
	x := newTree(t)
	want := expected(t, x)
	r, err := Run(context.Background(), []string{x.dir}, x.opts())
	if err != nil {
		t.Fatal(err)
	}
	got := r.Totals
	for _, f := range []struct {
		name      string
		want, got any
	}{
		{"files", want.Files, got.Files}, {"bytes", want.Bytes, got.Bytes}, {"sessions", want.Sessions, got.Sessions},
		{"no stop", want.NoStop, got.NoStop}, {"stops", want.Stops, got.Stops}, {"allow", want.Allow, got.Allow},
		{"block", want.Block, got.Block}, {"defer", want.Defer, got.Defer}, {"codes", want.Codes, got.Codes},
		{"agree", want.Agree, got.Agree}, {"differ", want.Differ, got.Differ}, {"unrecorded", want.Unrecorded, got.Unrecorded},
		// 89 events, the last of three sessions is not in its recording, and the five
		// blocks in a row are those of e-block-with-tools: twice, with the cap between.
		{"stops", 86, got.Stops}, {"longest chain", 5, got.LongestChain.Length}, {"evidence", EvidenceCount{None: want.Sessions}, got.Evidence},
	} {
		if diff := cmp.Diff(f.want, f.got); diff != "" {
			t.Errorf("%s (-recordings +replay):\n%s", f.name, diff)
		}
	}
	if hardest := got.Hardest[0]; hardest.Blocks != 10 || hardest.Stops != 13 || len(hardest.Lines) != 10 {
		t.Errorf("hardest %+v, want the 13 stops of e-block-with-tools, 10 of them blocked", hardest)
	}
}
