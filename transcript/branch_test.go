package transcript

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stophook/stophook/fixtures"
)

// call and its result, with the result hanging wherever the test says.
func callRow(uuid, parent, id string) obj {
	return assistantRow(uuid, parent, []any{toolUse(id, "Bash", m{"command": "x"})})
}

func TestRead_TR5_rewoundBranches(t *testing.T) {
	t.Parallel()
	start := []any{human("u1", "", "go"), callRow("a1", "u1", "t1"), handoffRow("r1", "a1", "t1", "b1"), assistantRow("a2", "r1", []any{text("wait")})}
	tests := []struct {
		reason string
		rows   []any
		want   []string
	}{
		{"a prompt below the receipt goes on with it", []any{human("u2", "a2", "and?")}, []string{"b1"}},
		{"a prompt beside the receipt rewinds it", []any{human("u2", "u1", "again")}, []string{}},
		{"a prompt beside its call rewinds it", []any{human("u2", "a1", "again")}, []string{}},
		{"a prompt right below the receipt does not", []any{human("u2", "r1", "again")}, []string{"b1"}},
		{"a prompt at the root replaces the conversation", []any{human("u2", "", "start over")}, []string{}},
		{"a prompt whose parent is not in the file proves nothing", []any{human("u2", "gone", "and?")}, []string{"b1"}},
		{"a prompt without a parent key proves nothing", []any{human("u2", "u1", "x").without("parentUuid")}, []string{"b1"}},
		{"a sidechain prompt is none", []any{human("u2", "u1", "x").with("isSidechain", true)}, []string{"b1"}},
		{"a meta row is no prompt", []any{human("u2", "u1", "x", kv{"isMeta", true})}, []string{"b1"}},
		{"a remediation prompt is none", []any{userRow("u2", "u1", "Stop hook feedback:\nx", kv{"isMeta", true})}, []string{"b1"}},
		{"a notification is none", []any{userRow("u2", "u1", notification("b9", "completed"))}, []string{"b1"}},
		{"a rewind, then another handoff", []any{human("u2", "u1", "again"), callRow("a3", "u2", "t2"), handoffRow("r2", "a3", "t2", "b2")}, []string{"b2"}},
		{"back to the old branch: the first rewind still counts", []any{human("u2", "u1", "again"), human("u3", "a2", "no, that")}, []string{}},
		{"a compaction has no parent and goes on", []any{obj{{"type", "system"}, {"subtype", "compact_boundary"}, {"parentUuid", nil},
			{"logicalParentUuid", "a2"}, {"uuid", "c1"}}, userRow("s1", "c1", "summary", kv{"isCompactSummary", true}), human("u2", "s1", "and?")}, []string{"b1"}},
		{"rows of types we do not know are links, too", []any{obj{{"type", "progress"}, {"parentUuid", "a2"}, {"uuid", "p1"}}, human("u2", "p1", "and?")}, []string{"b1"}},
	}
	for _, tt := range tests {
		s := read(t, lines(slices.Concat(start, tt.rows)...), Options{})
		if diff := cmp.Diff(tt.want, open(s, "any_text")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// A chain through rows of unknown types must hold in the walk up from the receipt.
func TestRead_TR5_rewoundThroughUnknownRows(t *testing.T) {
	t.Parallel()
	data := lines(human("u1", "", "go"), obj{{"parentUuid", "u1"}, {"type", "progress"}, {"uuid", "p1"}}, callRow("a1", "p1", "t1"),
		obj{{"type", "progress"}, {"parentUuid", "a1"}, {"uuid", "p2"}}, handoffRow("r1", "p2", "t1", "b1"), human("u2", "u1", "again"))
	if got := open(read(t, data, Options{}), "any_text"); len(got) > 0 {
		t.Errorf("the receipt hangs below u1, which was rewound to: open %v", got)
	}
}

// Two results of parallel calls fork the tree without any rewind (claude-code
// section 1): neither may be dropped, whichever came first.
func TestRead_TR11_parallelResultsAreNoRewind(t *testing.T) {
	t.Parallel()
	first, second := handoffRow("r1", "a1", "t1", "b1"), handoffRow("r2", "a2", "t2", "b2")
	for _, order := range [][]any{{first, second}, {second, first}} {
		for _, parent := range []string{"r1", "r2", "a9"} {
			rows := slices.Concat([]any{human("u1", "", "go"), callRow("a1", "u1", "t1"), callRow("a2", "a1", "t2")}, order,
				[]any{assistantRow("a9", "r1", []any{text("both wait")}), human("u2", parent, "and?")})
			if got := open(read(t, lines(rows...), Options{}), "any_text"); !slices.Equal(got, []string{"b1", "b2"}) {
				t.Errorf("prompt below %s: open %v", parent, got)
			}
		}
	}
}

// The same in a recording, with the two result rows in both orders.
func TestRead_TR11_parallelCaptures(t *testing.T) {
	t.Parallel()
	found := 0
	for _, c := range fixtures.Load(t, fixtures.Captures) {
		c.Claim()
		if !strings.HasPrefix(c.Name, "c-two-parallel") || c.Want.Facts == nil {
			continue
		}
		found++
		rows := strings.Split(strings.TrimSuffix(string(c.Read(t, fixtures.TranscriptFile)), "\n"), "\n")
		at := []int{}
		for i, row := range rows {
			if strings.Contains(row, `"backgroundedToDeliverMessage":true`) && strings.HasPrefix(row, `{"type":"user"`) {
				at = append(at, i)
			}
		}
		if len(at) != 2 {
			t.Fatalf("%s: want two receipts, found %d", c, len(at))
		}
		rows[at[0]], rows[at[1]] = rows[at[1]], rows[at[0]]
		s := read(t, []byte(strings.Join(rows, "\n")), Options{Now: c.Want.Now})
		checkWant(t, c.Name+" reversed", c.Want, s)
	}
	if found == 0 {
		t.Error("no recording of parallel handoffs")
	}
}

// Broken links must not send the walk in circles.
func TestRead_TR15_cyclesEnd(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		rows   []any
	}{
		{"a receipt that is its own parent", []any{human("u1", "", "go"), handoffRow("r1", "r1", "t1", "b1"), human("u2", "u1", "x")}},
		{"a call that is its own parent", []any{human("u1", "", "go"), callRow("a1", "a1", "t1"), handoffRow("r1", "a1", "t1", "b1"), human("u2", "u1", "x")}},
		{"two rows that are each other's parent", []any{human("u1", "a1", "go"), callRow("a1", "u1", "t1"), handoffRow("r1", "a1", "t1", "b1"), human("u2", "gone", "x")}},
		{"a prompt that is its own parent", []any{human("u1", "", "go"), handoffRow("r1", "u1", "t1", "b1"), human("u2", "u2", "x")}},
		{"rows with equal ids", []any{human("u1", "u1", "go"), callRow("u1", "u1", "t1"), handoffRow("u1", "u1", "t1", "b1"), human("u1", "u1", "x")}},
	}
	for _, tt := range tests {
		done := make(chan *Session, 1)
		go func() { done <- read(t, lines(tt.rows...), Options{}) }()
		select {
		case s := <-done:
			if len(s.Tasks) > 1 {
				t.Errorf("%s: %+v", tt.reason, s.Tasks)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the reader does not come back", tt.reason)
		}
	}
}

func TestRead_TR5_forks(t *testing.T) {
	t.Parallel()
	const a, b = "0a0a0a0a-0000-4000-8000-000000000001", "0b0b0b0b-0000-4000-8000-000000000002"
	of := func(session string, o obj) obj { return o.with("sessionId", session) }
	receiptOf := func(session string) obj { return of(session, handoffRow("r1", "", "t1", "b1")) }
	tests := []struct {
		reason      string
		path, asked string
		rows        []any
		want        []string
	}{
		{"a row of this session opens", b + ".jsonl", b, []any{receiptOf(b), of(b, human("u2", "r1", "x"))}, []string{"b1"}},
		{"a row that says where it was copied from does not", b + ".jsonl", b, []any{receiptOf(b).with("forkedFrom", obj{{"sessionId", a}}), of(b, human("u2", "r1", "x"))}, []string{}},
		{"nor does one whose forkedFrom is null: the key is the mark", b + ".jsonl", b, []any{receiptOf(b).with("forkedFrom", nil), of(b, human("u2", "r1", "x"))}, []string{}},
		{"nor one that kept the other session's id", b + ".jsonl", b, []any{receiptOf(a), of(b, human("u2", "r1", "x"))}, []string{}},
		{"also when nobody said which session it is: the file's name does", b + ".jsonl", "", []any{receiptOf(a), of(b, human("u2", "r1", "x"))}, []string{}},
		{"or else the newest row", "t.jsonl", "", []any{receiptOf(a), of(b, human("u2", "r1", "x"))}, []string{}},
		{"after a resume one file holds two ids of the session: the file's", a + ".jsonl", b, []any{receiptOf(a), of(b, human("u2", "r1", "x"))}, []string{"b1"}},
		{"and the one that is asked for", a + ".jsonl", b, []any{receiptOf(b), of(a, human("u2", "r1", "x"))}, []string{"b1"}},
		{"when not even the newest row carries an id we know, ids prove nothing", b + ".jsonl", b, []any{receiptOf(a), of(a, human("u2", "r1", "x"))}, []string{"b1"}},
		{"a row without an id is nobody's copy", b + ".jsonl", b, []any{receiptOf(b).without("sessionId"), of(b, human("u2", "r1", "x"))}, []string{"b1"}},
		{"an id of another type is no id", b + ".jsonl", b, []any{receiptOf(b).with("sessionId", 7), of(b, human("u2", "r1", "x"))}, []string{"b1"}},
		{"a copied notice closes, as any text does", b + ".jsonl", b, []any{receiptOf(b), of(a, human("n1", "r1", notification("b1", "completed"))), of(b, human("u2", "r1", "x"))}, []string{}},
	}
	for _, tt := range tests {
		data := lines(tt.rows...)
		s, err := ReadFrom(strings.NewReader(string(data)), int64(len(data)), tt.path, Options{Now: at0, SessionID: tt.asked})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, open(s, "any_text")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestRead_sessionID(t *testing.T) {
	t.Parallel()
	const id = "0a0a0a0a-0000-4000-8000-000000000001"
	data := string(lines(human("u1", "", "go").with("version", "2.1.1").with("entrypoint", "sdk-cli"), human("u2", "u1", "x").with("entrypoint", "cli"),
		human("u3", "u2", "x").with("isSidechain", true).with("sessionId", "side"), obj{{"type", "mode"}, {"sessionId", "other"}}))
	for _, tt := range []struct{ reason, path, asked, want string }{
		{"what was asked for", id + ".jsonl", "asked", "asked"},
		{"the file's name when it has the host's form", "/p/" + id + ".jsonl", "", id},
		{"the newest row of the conversation", "t.jsonl", "", "s-1"},
		{"a name of another form is no id", strings.ReplaceAll(id, "-", "_") + ".jsonl", "", "s-1"},
	} {
		s, err := ReadFrom(strings.NewReader(data), int64(len(data)), tt.path, Options{Now: at0, SessionID: tt.asked})
		if err != nil || s.SessionID != tt.want || s.Entrypoint != "cli" || s.Version != "2.1.332" {
			t.Errorf("%s: session %q, entrypoint %q, version %q, %v", tt.reason, s.SessionID, s.Entrypoint, s.Version, err)
		}
	}
}

// A resumed host appends rows a second time.
func TestRead_TR15_repeatedRows(t *testing.T) {
	t.Parallel()
	call, rec, note := callRow("a1", "u1", "t1"), handoffRow("r1", "a1", "t1", "b1"), assistantRow("a2", "r1", []any{toolUse("t2", "Read", m{"file_path": "x"})})
	once := read(t, lines(human("u1", "", "go"), call, rec, note), Options{})
	twice := read(t, lines(human("u1", "", "go"), call, rec, note, call, rec, note), Options{})
	if len(twice.Handoffs) != 1 || len(twice.Tasks) != 1 || twice.Turn.ToolCalls != once.Turn.ToolCalls || len(twice.Turn.Tools) != 2 {
		t.Errorf("got %d handoffs, %d tasks, %d calls; once there are %d calls", len(twice.Handoffs), len(twice.Tasks), twice.Turn.ToolCalls, once.Turn.ToolCalls)
	}
	launch := assistantRow("a5", "u1", []any{toolUse("t5", "Bash", m{"run_in_background": true})})
	if got := read(t, lines(human("u1", "", "go"), launch, launch), Options{}).Debt.Calls; got != 1 {
		t.Errorf("one launch is owed once, got %d", got)
	}
	// A harvest that stands before the launch, and is repeated behind it, has its
	// result before it: it collected another run of that id.
	early := assistantRow("a6", "u1", []any{toolUse("t6", "BashOutput", m{"bash_id": "b1"})})
	data := lines(human("u1", "", "go"), receipt("r0", "u1", "t0", "b0"), early, userRow("r6", "a6", []any{toolResult("t6", "x")}), receipt("r5", "a5", "t5", "b1"), early)
	if got := read(t, data, Options{}).Debt.Paired; !slices.Equal(got, []string{"b0", "b1"}) {
		t.Errorf("both are owed, got %v", got)
	}
	closed := read(t, lines(human("u1", "", "go"), call, rec, userRow("n1", "r1", notification("b1", "completed")), rec), Options{})
	if got := open(closed, "any_text"); len(got) > 0 {
		t.Errorf("a repeated receipt opens the task anew: %v", got)
	}
	again := read(t, lines(human("u1", "", "go"), call, rec, userRow("n1", "r1", notification("b1", "completed")), rec.with("uuid", "r9")), Options{})
	if got := open(again, "any_text"); !slices.Equal(got, []string{"b1"}) {
		t.Errorf("TR-8: another receipt of the same id is another task, open %v", got)
	}
}

// A rewind across a compaction: its boundary names the logical parent.
func TestRead_TR5_rewoundAcrossCompaction(t *testing.T) {
	t.Parallel()
	rows := []any{human("u1", "", "go"), assistantRow("a1", "u1", []any{text("x")}),
		obj{{"type", "system"}, {"subtype", "compact_boundary"}, {"parentUuid", nil}, {"logicalParentUuid", "a1"}, {"uuid", "c1"}},
		userRow("s1", "c1", "summary", kv{"isCompactSummary", true}), callRow("a2", "s1", "t1"), handoffRow("r1", "a2", "t1", "b1")}
	for _, tt := range []struct {
		reason, parent string
		want           int
	}{
		{"a prompt before the compaction rewinds what came behind it", "u1", 0},
		{"a prompt beside the summary does", "c1", 0},
		{"one below goes on", "r1", 1},
	} {
		s := read(t, lines(slices.Concat(rows, []any{human("u2", tt.parent, "x")})...), Options{})
		if got := open(s, "any_text"); len(got) != tt.want {
			t.Errorf("%s: open %v", tt.reason, got)
		}
	}
}
