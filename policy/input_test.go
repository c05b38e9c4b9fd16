package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/schema"
	"github.com/stophook/stophook/transcript"
)

// schemaOf gives a check of documents by OPA's json.match_schema.
func schemaOf(t *testing.T, name string) func(doc any) string {
	t.Helper()
	text, err := schema.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	compiler := ast.NewCompiler()
	query, err := compiler.QueryCompiler().Compile(ast.MustParseBody("json.match_schema(input.doc, input.schema, answer)"))
	if err != nil {
		t.Fatal(err)
	}
	parsed := ast.StringTerm(string(text))
	return func(doc any) string {
		b, err := json.Marshal(doc)
		if err != nil {
			return err.Error()
		}
		input := ast.ObjectTerm(ast.Item(ast.StringTerm("doc"), ast.StringTerm(string(b))), ast.Item(ast.StringTerm("schema"), parsed))
		results, err := topdown.NewQuery(query).WithCompiler(compiler).WithInput(input).WithStrictBuiltinErrors(true).Run(context.Background())
		if err != nil || len(results) != 1 {
			return fmt.Sprintf("%v, %d results", err, len(results))
		}
		answer := results[0][ast.Var("answer")].Value.(*ast.Array)
		if answer.Elem(0).Equal(ast.BooleanTerm(true)) {
			return ""
		}
		return answer.Elem(1).String()
	}
}

// gateOf is a gate for a case, with the ledger in place.
func gateOf(t *testing.T, c fixtures.Case) (*Gate, *hookio.Event) {
	t.Helper()
	d := c.Materialise(t)
	ev, err := hookio.Decode(d.Stdin, hookio.HostAuto)
	if err != nil {
		t.Fatal(err)
	}
	g := &Gate{Config: DefaultConfig(), Store: evidence.Store{Dir: filepath.Join(d.Path, "state")}, Command: "stophook",
		Now: func() time.Time { return c.Want.Now }}
	g.Mode, g.Entry = hookio.Mode(func(name string) string { return d.Env[name] })
	if d.Config != "" {
		if g.Config, _, err = LoadConfig([]Source{ExplicitSource(d.Config)}); err != nil {
			t.Fatal(err)
		}
	}
	if d.Policy != "" {
		g.Layers = []Layer{{Name: "flag", FS: os.DirFS(d.Policy), Root: d.Policy}}
	}
	if d.Ledger != "" {
		session, err := g.Store.Session(ev.SessionID)
		if err == nil {
			err = os.MkdirAll(session.Path(), 0o700)
		}
		if err == nil {
			err = os.Rename(d.Ledger, filepath.Join(session.Path(), "ledger.jsonl"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return g, ev
}

// Every input that the stop fixtures lead to is as its schema says, and every
// decision too; the verdict is the fixture's.
func TestBuildInput_MatchesItsSchema(t *testing.T) {
	input, decision := schemaOf(t, "input"), schemaOf(t, "decision")
	if input(map[string]any{"schema": InputSchema}) == "" {
		t.Fatal("the check lets everything pass")
	}
	cases := append(fixtures.Load(t, fixtures.Stop), fixtures.Ritual(t)...)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			g, ev := gateOf(t, c)
			o := g.Evaluate(context.Background(), ev)
			if wrong := input(o.Input); wrong != "" {
				t.Errorf("input: %s", wrong)
			}
			if wrong := decision(o.Decision); wrong != "" {
				t.Errorf("decision: %s", wrong)
			}
			if o.Decision.Verdict != c.Want.Verdict || o.Decision.Code != c.Want.Code {
				t.Errorf("%s\n%s %s, want %s %s", c.Want.Reason, o.Decision.Verdict, o.Decision.Code, c.Want.Verdict, c.Want.Code)
			}
		})
	}
}

func TestBuildInput_OtherEventsMatchTheSchema(t *testing.T) {
	input := schemaOf(t, "input")
	for _, payload := range []string{
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"while ! ready; do sleep 2; done"}}`,
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"while ("}}`,
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"exec_command","tool_input":{"cmd":"nohup x & tail -f log"}}`,
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Read","tool_input":[1]}`,
		`{"hook_event_name":"SubagentStop","agent_id":"a"}`,
		`{"hook_event_name":"New","x":{"deep":[1,2,{"a":null}]}}`,
		`{"hook_event_name":"Stop","session_id":"","transcript_path":""}`,
		`{"hook_event_name":"Stop","turn_id":"1","session_id":"s","transcript_path":null}`,
	} {
		ev, err := hookio.Decode([]byte(payload), hookio.HostAuto)
		if err != nil {
			t.Fatal(err)
		}
		g := &Gate{Config: DefaultConfig(), Now: func() time.Time { return sec(0) }, Mode: "unknown", Store: evidence.Store{Dir: t.TempDir()}}
		if wrong := input(g.Evaluate(context.Background(), ev).Input); wrong != "" {
			t.Errorf("%s: %s", payload, wrong)
		}
	}
}

func TestRegistry_D45_AbsentIsNotEmpty(t *testing.T) {
	for _, tt := range []struct{ reason, tasks, want string }{
		{"the host says nothing", ``, "unknown"},
		{"null is nothing", `,"background_tasks":null`, "unknown"},
		{"an empty list is an answer", `,"background_tasks":[]`, "absent"},
		{"it runs", `,"background_tasks":[{"id":"b1","status":"running"}]`, "running"},
		{"it ended", `,"background_tasks":[{"id":"b1","status":"completed"}]`, "absent"},
		{"others run", `,"background_tasks":[{"id":"b12"}]`, "absent"},
		{"an entry cannot be read", `,"background_tasks":[7]`, "unknown"},
	} {
		ev, err := hookio.Decode([]byte(`{"hook_event_name":"Stop"`+tt.tasks+`}`), hookio.HostClaudeCode)
		if err != nil {
			t.Fatal(err)
		}
		if got := registry(ev, "b1"); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}

func TestCycle_D38(t *testing.T) {
	for _, tt := range []struct {
		reason  string
		prompt  string // in sight
		state   evidence.Remediation
		cycle   string
		blocked int
	}{
		{"a fresh session", "p1", evidence.Remediation{}, "p1", 0},
		{"blocked in this cycle", "p1", evidence.Remediation{Cycle: "p1", Count: 3}, "p1", 3},
		{"a new human prompt", "p2", evidence.Remediation{Cycle: "p1", Count: 3}, "p2", 0},
		{"the prompt is out of sight: the open cycle goes on", "", evidence.Remediation{Cycle: "p1", Count: 3}, "p1", 3},
		{"out of sight from the start", "", evidence.Remediation{Count: 2}, "", 2},
	} {
		f := &Facts{Session: &transcript.Session{Turn: transcript.Turn{PromptUUID: tt.prompt}}, State: evidence.State{Remediation: tt.state}}
		if f.cycle() != tt.cycle || f.blocked() != tt.blocked {
			t.Errorf("%s: %q %d, want %q %d", tt.reason, f.cycle(), f.blocked(), tt.cycle, tt.blocked)
		}
	}
}

func TestDebt_AC159_OneNudgeAPrompt(t *testing.T) {
	for _, tt := range []struct {
		reason, prompt, nudged string
		want                   bool
	}{
		{"no nudge yet", "p1", "", false},
		{"this prompt had it", "p1", "p1", true},
		{"an earlier prompt had it", "p2", "p1", false},
		{"the prompt is out of sight, no nudge yet", "", "", false},
		{"and had it", "", "out of sight", true},
	} {
		f := &Facts{Session: &transcript.Session{Turn: transcript.Turn{PromptUUID: tt.prompt}}, State: evidence.State{Nudged: tt.nudged}}
		if got := debtDoc(f)["nudged"]; got != tt.want {
			t.Errorf("%s: %v, want %t", tt.reason, got, tt.want)
		}
	}
}

func TestInput_CanBlock(t *testing.T) {
	for payload, want := range map[string]bool{
		`{"hook_event_name":"Stop"}`:                                   true,
		`{"hook_event_name":"PreToolUse"}`:                             true,
		`{"hook_event_name":"SubagentStop"}`:                           false,
		`{"hook_event_name":"SessionEnd"}`:                             false,
		`{"hook_event_name":"Stop","turn_id":"1"}`:                     true, // Codex
		`{"hook_event_name":"PreToolUse","turn_id":""}`:                true,
		`{"hook_event_name":"stop","loop_count":1}`:                    true, // Cursor prompts again
		`{"hook_event_name":"stop","loop_count":1,"status":"aborted"}`: false,
		`{"hook_event_name":"AfterAgent"}`:                             true, // Gemini
		`{"sessionId":"s","stopReason":"end_turn"}`:                    true, // Copilot
		`{"agent_action_name":"post_cascade_response"}`:                false,
	} {
		ev, err := hookio.Decode([]byte(payload), hookio.HostAuto)
		if err != nil {
			t.Fatal(err)
		}
		if got := ev.CanBlock() || ev.CanDeny(); got != want {
			t.Errorf("%s: %t, want %t", payload, got, want)
		}
	}
}

func TestRawObject_KeepsWhatTheHostSent(t *testing.T) {
	raw := `{"a":12345678901234567890,"b":1.50,"c":null,"d":[],"e":{"f":"\u003c"}}`
	got := rawObject(json.RawMessage(raw))
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(raw)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compact.String(), string(b)); diff != "" {
		t.Error(diff)
	}
	for _, none := range []string{"", "null", "[1]", "7", "{"} {
		if got := rawObject(json.RawMessage(none)); got == nil || len(got) != 0 {
			t.Errorf("%q: %v, want an empty object", none, got)
		}
	}
}

func TestStamp_MillisecondsInUTC(t *testing.T) {
	at := time.Date(2026, 10, 5, 11, 0, 7, 1_999_999, time.FixedZone("", 2*3600))
	if got := stamp(at); got != "2026-10-05T09:00:07.001Z" || strings.Compare(got, stamp(at.Add(time.Millisecond))) >= 0 {
		t.Errorf("%s", got)
	}
}
