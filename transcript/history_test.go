package transcript

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stophook/stophook/fixtures"
)

// Where both speak, the history of a transcript says what Read says: it uses the
// same rules, and must not grow its own.
func TestReadHistory_agreesWithRead(t *testing.T) {
	t.Parallel()
	for _, area := range []string{fixtures.Captures, fixtures.Cases, fixtures.Transcript} {
		t.Run(area, func(t *testing.T) {
			t.Parallel()
			for _, c := range fixtures.Load(t, area) {
				t.Run(c.Name, func(t *testing.T) { sameAsRead(t, c) })
			}
		})
	}
}

func sameAsRead(t *testing.T, c fixtures.Case) {
	dir := c.Materialise(t)
	var in payload
	_ = json.Unmarshal(bytes.TrimLeft(dir.Stdin, "\ufeff"), &in)
	o := Options{Now: c.Want.Now, SessionID: in.SessionID}
	s, err := Read(dir.Transcript, o)
	h, historyErr := ReadHistory(dir.Transcript, HistoryOptions{SessionID: in.SessionID})
	if (err == nil) != (historyErr == nil) {
		t.Fatalf("Read: %v, ReadHistory: %v; want both or none", err, historyErr)
	}
	if err != nil {
		return
	}
	if h.Rows != s.Rows || h.SessionID != s.SessionID || h.Version != s.Version {
		t.Errorf("rows, id, version = %d %q %q, want %d %q %q", h.Rows, h.SessionID, h.Version, s.Rows, s.SessionID, s.Version)
	}
	var want, got []Task
	for _, task := range s.Tasks {
		if task.Entrance != EntranceShellSyntax { // only the present turn's in Read
			task.Harvested = false // a matter of debt, which the timeline does not tell
			want = append(want, task)
		}
	}
	for _, task := range h.Tasks {
		if task.Entrance != EntranceShellSyntax {
			task.Task.Harvested = false
			got = append(got, task.Task)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tasks (-Read +ReadHistory):\n%s", diff)
	}
	sameHandoffs(t, s, h)
	sameTurn(t, s, h)
	checkPlaces(t, dir.Transcript, h)
}

func sameHandoffs(t *testing.T, s *Session, h *History) {
	t.Helper()
	if len(h.Handoffs) != len(s.Handoffs) {
		t.Fatalf("%d handoffs, want %d", len(h.Handoffs), len(s.Handoffs))
	}
	for i, want := range s.Handoffs {
		got := h.Handoffs[i]
		if got.TaskID != want.TaskID || (got.State == string(HandoffClosed)) != (want.State.AnyText == HandoffClosed) {
			t.Errorf("handoff %d is %s %s, want %s %s", i, got.TaskID, got.State, want.TaskID, want.State.AnyText)
		}
		if diff := cmp.Diff(want.ClosedBy, got.Closer); diff != "" {
			t.Errorf("closer of %s (-Read +ReadHistory):\n%s", got.TaskID, diff)
		}
		if want.ExpiresAt != nil && !got.Limit.Equal(*want.ExpiresAt) {
			t.Errorf("%s has its limit at %v, want %v", got.TaskID, got.Limit, *want.ExpiresAt)
		}
	}
}

// sameTurn compares the last turn with the present one of Read.
func sameTurn(t *testing.T, s *Session, h *History) {
	t.Helper()
	if len(h.Turns) == 0 {
		if s.Turn.ToolCalls != 0 || s.Turn.Origin != "unknown" {
			t.Errorf("no turns, want the turn %+v", s.Turn)
		}
		return
	}
	last := h.Turns[len(h.Turns)-1]
	if last.Origin != s.Turn.Origin && s.Turn.Origin != "remediation" {
		t.Errorf("the last turn is of origin %q, want %q", last.Origin, s.Turn.Origin)
	}
	if s.Turn.Remediation < maxRemediation && last.Calls != s.Turn.ToolCalls {
		t.Errorf("the last turn has %d calls, want %d", last.Calls, s.Turn.ToolCalls)
	}
	if s.Turn.StartedAt.Offset != last.Offset && s.Turn.Origin == last.Origin && last.Origin != "unknown" {
		t.Errorf("the last turn begins at %d, want %d", last.Offset, s.Turn.StartedAt.Offset)
	}
}

// checkPlaces reads every line that the history names and asks whether it begins
// at the offset beside it.
func checkPlaces(t *testing.T, path string, h *History) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	starts := map[int64]int{}
	var off int64
	for i, line := range lines {
		starts[off] = i + 1
		off += int64(len(line))
	}
	if n := bytes.Count(data, []byte("\n")); h.Lines != n && h.Lines != n+1 {
		t.Errorf("%d lines, want %d", h.Lines, n)
	}
	b := historian{out: h, fold: &fold{window: &window{size: h.Size}}}
	for _, p := range b.places() {
		if starts[p.Offset] != p.Line || p.Line == 0 {
			t.Errorf("offset %d is line %d, want %d", p.Offset, p.Line, starts[p.Offset])
		}
	}
}

func writeTranscript(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "transcript.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadHistory_tellsTheWholeSession(t *testing.T) {
	t.Parallel()
	s := fixtures.NewScript("5f000000-0000-4000-8000-000000000001", at0)
	s.Prompt("please build it\nand test it")
	s.At(time.Second).Shell("make build", "ok")
	call := s.At(10*time.Second).Handoff("make test", "b1")
	s.RequestCopy("<task-notification><task-id>b1</task-id></task-notification>")
	s.At(12 * time.Second).Say("It runs.")
	s.At(13 * time.Second).Feedback("Run `stophook status`")
	s.At(20*time.Minute).Wake("b1", call, "completed")
	s.At(20*time.Minute + time.Second).Say("Done.")
	s.Raw([]byte(`{"type":"system","subtype":"compact_boundary","uuid":"x","timestamp":"2026-10-05T09:30:00.000Z","content":"Conversation compacted"}` + "\n"))
	s.Raw([]byte(`{"type":"user","isSidechain":true,"agentId":"a7","timestamp":"2026-10-05T09:31:00.000Z","message":{"role":"user","content":"look"}}` + "\n"))
	s.At(40 * time.Minute).Prompt("[Request interrupted by user]")
	s.At(41*time.Minute).Handoff("sleep 9000", "b2")
	s.At(80 * time.Minute).Say("Waiting.")
	h, err := ReadHistory(writeTranscript(t, s.Bytes()), HistoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type turn struct {
		Origin, Text string
		Calls        int
	}
	var turns []turn
	for _, x := range h.Turns {
		turns = append(turns, turn{x.Origin, x.Text, x.Calls})
	}
	// A human origin makes the interrupt a prompt: the host writes none there.
	want := []turn{{"human", "please build it\nand test it", 2}, {"notification", turns[1].Text, 0}, {"human", "[Request interrupted by user]", 1}}
	if diff := cmp.Diff(want, turns); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	if h.ToolTotal != 3 || len(h.Calls) != 3 || h.Calls[0].Text != "make build" || h.Calls[0].Answer.Line == 0 {
		t.Errorf("calls = %+v, want the three of the script", h.Calls)
	}
	if len(h.Handoffs) != 2 || h.Handoffs[0].State != "closed" || h.Handoffs[0].Expired || h.Handoffs[1].State != "expired" {
		t.Errorf("handoffs = %+v, want one closed in time and one expired", h.Handoffs)
	}
	if len(h.Notices) != 2 || h.Notices[0].Carrier != "queue-operation" || !h.Notices[1].Starts || !h.Notices[1].End {
		t.Errorf("notices = %+v, want the queued one and the one that began the turn", h.Notices)
	}
	if len(h.Marks) != 2 || h.Marks[0].Kind != MarkFeedback || h.Marks[0].Text != "Run `stophook status`" || h.Marks[1].Kind != MarkCompaction {
		t.Errorf("marks = %+v, want feedback and compaction", h.Marks)
	}
	if len(h.Subagents) != 1 || h.Subagents[0].ID != "a7" || h.Subagents[0].Rows != 1 {
		t.Errorf("subagents = %+v, want a7", h.Subagents)
	}
	if want := at0.Add(80 * time.Minute); !h.To.Equal(want) || !h.From.Equal(at0) {
		t.Errorf("from %v to %v, want %v to %v", h.From, h.To, at0, want)
	}
}

func TestReadHistory_isBounded(t *testing.T) {
	t.Parallel()
	s := fixtures.NewScript("5f000000-0000-4000-8000-000000000002", at0)
	s.Prompt(strings.Repeat("é", 5000) + "\xff")
	for range 20 {
		s.Shell(strings.Repeat("echo ", 600), "ok")
		s.Say(strings.Repeat("word ", 3000))
	}
	s.RequestCopy(strings.Repeat("x", 3<<20)) // longer than the buffer
	s.Say("the end")
	h, err := ReadHistory(writeTranscript(t, s.Bytes()), HistoryOptions{Excerpt: 101, Events: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Calls) != 5 || len(h.Replies) != 5 || h.Omitted["calls"] != 15 || h.Omitted["replies"] != 16 || h.ToolTotal != 20 {
		t.Errorf("%d calls, %d replies, omitted %v, total %d", len(h.Calls), len(h.Replies), h.Omitted, h.ToolTotal)
	}
	if got := h.Turns[0]; got.Text != strings.Repeat("é", 50)+"…" || got.Calls != 20 {
		t.Errorf("prompt of %d bytes, %d calls", len(got.Text), got.Calls)
	}
	if want := bytes.Count(s.Bytes(), []byte("\n")); h.Lines != want || h.Turns[0].End.Line != want {
		t.Errorf("%d lines, the turn ends at %d, want %d", h.Lines, h.Turns[0].End.Line, want)
	}
}

func TestReadHistory_unreadable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, want := range map[string]string{"": "no transcript", filepath.Join(dir, "none"): "no such file", dir: "no regular file"} {
		if _, err := ReadHistory(path, HistoryOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadHistory(%q): %v, want %q", path, err, want)
		}
	}
	h, err := ReadHistory(writeTranscript(t, nil), HistoryOptions{})
	if err != nil || h.Lines != 0 || h.Turns == nil || h.Tasks == nil || h.Handoffs == nil {
		t.Errorf("an empty file: %+v, %v; want empty lists", h, err)
	}
}
