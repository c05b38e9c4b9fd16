package schema_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

var now = time.Date(2026, 10, 5, 9, 0, 7, 0, time.UTC)

// fullSession has every field set, so that each reaches its schema.
func fullSession() *transcript.Session {
	at := transcript.Position{Offset: 12, UUID: "u-1", Time: now.Add(-time.Minute)}
	age, code, until := 60.0, 0, now.Add(29*time.Minute)
	closer := &transcript.Closer{Carrier: "user", Trusted: true, Mode: "any_text", At: at}
	return &transcript.Session{
		Path: "/t.jsonl", Size: 100, WindowOffset: 0, Rows: 3, BadLines: 1, Blind: []string{transcript.BlindWindowCut},
		SessionID: "s-1", Entrypoint: "cli", Version: "2.1.332", Now: now,
		Turn: transcript.Turn{
			Origin: "human", Complete: true, StartedAt: at, Notified: []string{"b1"}, PromptUUID: "u-0", PromptAt: now.Add(-2 * time.Minute), Remediation: 1, ToolCalls: 1, IsToolTurn: true,
			Tools:      []transcript.ToolCall{{ID: "toolu_1", Name: "Bash", Command: "x", FilePath: "/f", At: at, ResultTime: now, Evidence: "status", Background: true, ExitCode: &code, Written: "new", Replaced: "old", Cut: true}},
			LastToolAt: now, LastOtherToolAt: now, FinalText: "done", FinalTextSource: "payload",
			Boxes: []transcript.Box{{CheckID: "k3f9a1b2", Source: "final_text", Offset: -1}},
		},
		Tasks: []transcript.Task{
			{ID: "b1", RunID: "r", Kind: transcript.KindShell, Entrance: transcript.EntranceDeliveredMessage, State: transcript.TaskEnded, Status: "completed", ExitCode: &code, Harvested: true, Command: "x", Description: "y", ToolName: "Bash", ToolUseID: "toolu_1", OutputFile: "/o", OpenedAt: at, EndedAt: &at, WakesOwner: true, EndsWithTurn: true},
			{ID: "m1", Kind: transcript.KindMonitor, State: transcript.TaskRunning, OpenedAt: at},
		},
		Handoffs: []transcript.Handoff{
			{TaskID: "b1", ToolUseID: "toolu_1", Command: "x", OpenedAt: at, AgeSeconds: &age, ExpiresAt: &until, State: transcript.HandoffStates{AnyText: transcript.HandoffClosed, Ended: transcript.HandoffOpen}, ClosedBy: closer, EndedBy: closer},
			{TaskID: "b2", OpenedAt: at, State: transcript.HandoffStates{AnyText: transcript.HandoffExpired, Ended: transcript.HandoffExpired}},
		},
		Debt: transcript.Debt{Calls: 1, Paired: []string{"b1"}, Owed: []string{"b1"}},
	}
}

// asDocument is a value after its trip through JSON.
func asDocument(t testing.TB, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestFactsSchema_CL4(t *testing.T) {
	c := newChecker(t, "facts")
	full := asDocument(t, fullSession().Facts())
	if errs := c.errors(t, full); len(errs) > 0 {
		t.Fatalf("everything set: %q", errs)
	}
	// A session comes beside the error, and says that it is blind.
	blind, err := transcript.Read(filepath.Join(t.TempDir(), "none.jsonl"), transcript.Options{Now: now})
	if blind == nil {
		t.Fatal(err)
	}
	if errs := c.errors(t, blind.Facts()); len(errs) > 0 {
		t.Errorf("nothing seen: %q", errs)
	}
	tests := []struct {
		path   string
		value  any
		ok     bool
		reason string
	}{
		{"schema", "stophook.facts/v2", false, "another document"},
		{"now", "yesterday", false, "RFC 3339"},
		{"handoffs.0.state.any_text", "pending", false, "open, closed or expired"},
		{"handoffs.0.task_id", "", false, "an id is never empty (D-43)"},
		{"handoffs.1.age_seconds", "old", false, "a number or null"},
		{"handoffs.0.registry", "running", false, "the registry is not in the transcript"},
		{"tasks.0.entrance", "magic", false, "closed set"},
		{"tasks.1.kind", "teammate", true, "hosts add kinds"},
		{"tasks.1.color", "red", true, "hosts add keys"},
		{"tasks.0.state", "gone", false, "closed set"},
		{"turn.extra", 1, false, "closed object"},
		{"turn.origin", "coordinator", true, "hosts add origins"},
		{"turn.tools", nil, false, "required"},
		{"transcript.blind", []any{"tired"}, false, "closed set"},
		{"debt.calls", -1, false, "surplus is dropped, never negative (AC-153)"},
		{"debt.paired", []any{1}, false, "ids are strings"},
	}
	for _, tt := range tests {
		if errs := c.errors(t, edit(t, full, tt.path, tt.value)); (len(errs) == 0) != tt.ok {
			t.Errorf("%s = %v: %s: %q", tt.path, tt.value, tt.reason, errs)
		}
	}
}

func TestDecisionSchema_FitsTheGoType(t *testing.T) {
	d := policy.Decision{
		Schema: policy.DecisionSchema, Verdict: policy.VerdictDefer, Code: "stop-hook.background_handoff_deferred",
		Demands:   []policy.Demand{{Rule: "status_check", Code: "stop-hook.status_check_missing", Text: "x", Severity: policy.SeverityBlock, Evidence: []int64{}}},
		Deferrals: []policy.Deferral{{Rule: "background_handoff", Code: "stop-hook.background_handoff_deferred", TaskID: "b1"}},
		Warnings:  []string{}, Effects: policy.Effects{Remediation: policy.RemediationClear},
	}
	if errs := newChecker(t, "decision").errors(t, d); len(errs) > 0 {
		t.Errorf("%q", errs)
	}
}

// fullInput is what Go builds when there is everything to tell.
func fullInput(t testing.TB) map[string]any {
	t.Helper()
	event := func(kind evidence.Kind, text string) evidence.Event {
		return evidence.Event{V: 1, ID: "e", TS: now.Add(time.Second), Kind: kind, CheckID: "k3f9a1b2", Text: text,
			Git: json.RawMessage(`{"final":false,"branch":"main","head":"c0ffee","upstream":"origin/main","ahead":1,"behind":2,"findings":["unpushed"]}`)}
	}
	f := &policy.Facts{
		Now: now, Mode: "interactive", Entrypoint: "cli", Command: "stophook", Session: fullSession(), Config: policy.DefaultConfig(),
		Event: &hookio.Event{Host: "claude-code", Name: hookio.Stop, SessionID: "s-1", CWD: "/w", Raw: json.RawMessage(`{"session_id":"s-1","new_field":[1]}`)},
		Ledger: evidence.Log{Events: []evidence.Event{
			event(evidence.TaskDeclared, "fix it"), event(evidence.SessionNamed, "fix"), event(evidence.EndTurnChecked, ""), event(evidence.SessionEndRequested, ""),
		}},
	}
	f.Config.Rules = map[string]policy.RuleConfig{"x": {Severity: policy.SeverityWarn, Fail: policy.FailClosed}}
	f.Config.Params = map[string]any{"any": []any{1}}
	f.Config.Log.Mask = []decisionlog.Mask{{Op: "remove", Path: "/input/hook"}, {Op: "upsert", Path: "/input/session/cwd", Value: nil}}
	f.Tool = map[string]any{"name": "Bash", "id": "toolu_2", "input": map[string]any{"command": "x"}, "shell": map[string]any{
		"parsed": false, "error": "no end", "waits": []any{map[string]any{"kind": "sleep_loop", "text": "sleep 1", "line": 1}}, "background": []any{map[string]any{"kind": "nohup", "text": "nohup x &", "line": 2}}}}
	return asDocument(t, policy.BuildInput(f))
}

func TestInputSchema(t *testing.T) {
	c := newChecker(t, "input")
	full := fullInput(t)
	if errs := c.errors(t, full); len(errs) > 0 {
		t.Fatalf("what Go builds: %q", errs)
	}
	tests := []struct {
		path   string
		value  any
		ok     bool
		reason string
	}{
		{"host.mode", "batch", false, "closed set"},
		{"host.name", "codex", true, "other adapters"},
		{"host.event", "Notification", true, "hosts add events"},
		{"hook.whatever", map[string]any{"a": 1}, true, "the payload is free"},
		{"tool.input.whatever", 1, true, "the tool's input is free"},
		{"tool.shell.waits.0.kind", "new_kind", true, "the analysis grows"},
		{"config.params.whatever", 1, true, "params are free"},
		{"config.defer_minutes", 31, false, "RG-3"},
		{"config.closing", nil, false, "the effective config has every key"},
		{"config.rules.x.severity", "loud", false, "closed set"},
		{"evidence.status_check.check_id", "forged!!", false, "the form of a check id"},
		{"evidence.available", nil, false, "required"},
		{"evidence.status_check.git", nil, true, "a check without Git"},
		{"evidence.status_check.git.dirty", true, false, "closed object"},
		{"turn.tools.0.exit_code", "1", false, "a number"},
		{"turn.tools.0.diff", "x", false, "closed object"},
		{"handoffs.0.registry", nil, false, "policies rely on it"},
		{"handoffs.0.registry", "paused", false, "closed set"},
		{"debt.owed", nil, false, "policies rely on it"},
		{"failure", map[string]any{"kind": "policy_error", "message": "x", "file": "", "line": 0}, true, "the failure query"},
		{"failure", map[string]any{"kind": "boom", "message": "x"}, false, "closed set"},
		{"clock", "x", false, "closed object"},
		{"remediation.count", -1, false, "a count"},
	}
	for _, tt := range tests {
		if errs := c.errors(t, edit(t, full, tt.path, tt.value)); (len(errs) == 0) != tt.ok {
			t.Errorf("%s = %v: %s: %q", tt.path, tt.value, tt.reason, errs)
		}
	}
}

// TestInputSchema_DescribesNothingThatIsNeverBuilt finds properties that Go
// stopped building: each must be in the full document, or be named here.
func TestInputSchema_DescribesNothingThatIsNeverBuilt(t *testing.T) {
	full := fullInput(t)
	absent := []string{"/failure", "/evidence/error", "/evidence/stale_check"} // the other branches
	var compare func(path string, s map[string]any, docs []any)
	compare = func(path string, s map[string]any, docs []any) {
		if items, ok := s["items"].(map[string]any); ok {
			var all []any
			for _, d := range docs {
				list, _ := d.([]any)
				all = append(all, list...)
			}
			compare(path+"[]", items, all)
			return
		}
		properties, _ := s["properties"].(map[string]any)
		for key, p := range properties {
			var found []any
			for _, d := range docs {
				if m, ok := d.(map[string]any); ok {
					if v, ok := m[key]; ok {
						found = append(found, v)
					}
				}
			}
			if len(found) == 0 && !slices.Contains(absent, path+"/"+key) {
				t.Errorf("%s/%s is described and nobody builds it", path, key)
			}
			if len(found) > 0 {
				compare(path+"/"+key, p.(map[string]any), found)
			}
		}
	}
	compare("", load(t, "input"), []any{full})
}

// structKeys lists the JSON keys of a struct type, dotted.
func structKeys(typ reflect.Type, prefix string) []string {
	var out []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		out = append(out, prefix+name)
		if f.Type.Kind() == reflect.Struct {
			out = append(out, structKeys(f.Type, prefix+name+".")...)
		}
		if f.Type.Kind() == reflect.Map && f.Type.Elem().Kind() == reflect.Struct {
			out = append(out, structKeys(f.Type.Elem(), prefix+name+".*.")...)
		}
	}
	return out
}

func schemaKeys(s map[string]any, prefix string) []string {
	var out []string
	properties, _ := s["properties"].(map[string]any)
	for key, p := range properties {
		out = append(append(out, prefix+key), schemaKeys(p.(map[string]any), prefix+key+".")...)
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		out = append(out, schemaKeys(more, prefix+"*.")...)
	}
	return out
}

func TestConfigSchema_HasTheKeysOfTheStruct(t *testing.T) {
	want := structKeys(reflect.TypeFor[policy.Config](), "")
	slices.Sort(want)
	for name, s := range map[string]map[string]any{"config": load(t, "config"), "input": load(t, "input")["properties"].(map[string]any)["config"].(map[string]any)} {
		got := schemaKeys(s, "")
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-struct +schema):\n%s", name, diff)
		}
	}
	// The defaults are the struct's as well.
	properties := load(t, "config")["properties"].(map[string]any)
	defaults := asDocument(t, policy.DefaultConfig().Effective())
	maps.Copy(properties, properties["log"].(map[string]any)["properties"].(map[string]any))
	maps.Copy(defaults, defaults["log"].(map[string]any))
	for key, p := range properties {
		if d, ok := p.(map[string]any)["default"]; ok && d != defaults[key] {
			t.Errorf("%s: default %v in the schema, %v in Go", key, d, defaults[key])
		}
	}
}

// TestConfigSchema_RG3_AgreesWithTheLoader draws files, good and bad, and asks
// both judges.
func TestConfigSchema_RG3_AgreesWithTheLoader(t *testing.T) {
	c := newChecker(t, "config")
	if errs := c.errors(t, policy.DefaultConfig().Effective()); len(errs) > 0 {
		t.Fatalf("the defaults: %q", errs)
	}
	path := filepath.Join(t.TempDir(), "config.yaml")
	values := []any{0, 1, 5, 7, 8, 30, 31, -1, 2.0, 2.5, 4096, 65535, 65536, 8388608, 8388609, 67108864, 1 << 30, 1<<30 + 1, true, "x", "ended", "any_text", "turn", "feedback", "off", "closed", "30",
		[]any{}, map[string]any{}, []any{"/input/x"}, []any{"input"}, []any{map[string]any{"op": "upsert", "path": "/result", "value": nil}}, []any{map[string]any{"op": "x", "path": "/input"}}, []any{map[string]any{"op": "remove"}}, []any{map[string]any{"path": "/input", "more": 1}}, []any{"/inputs"}}
	keys := append(schemaKeys(load(t, "config"), ""), "unknown", "log.unknown", "rules.*.unknown", "rules.bad-name.severity")
	slices.Sort(keys)
	rapid.Check(t, func(rt *rapid.T) {
		doc := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(rt, "keys") {
			at, parts := doc, strings.Split(strings.ReplaceAll(rapid.SampledFrom(keys).Draw(rt, "key"), "*", "some_rule"), ".")
			for _, p := range parts[:len(parts)-1] {
				child, ok := at[p].(map[string]any)
				if !ok {
					child = map[string]any{}
					at[p] = child
				}
				at = child
			}
			at[parts[len(parts)-1]] = rapid.SampledFrom(values).Draw(rt, "value")
		}
		data, err := json.Marshal(doc)
		if err != nil {
			rt.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			rt.Fatal(err)
		}
		_, _, err = policy.LoadConfig([]policy.Source{{Path: path}})
		if errs := c.errors(rt, doc); (err == nil) != (len(errs) == 0) {
			rt.Fatalf("%s\nloader: %v\nschema: %s", data, err, fmt.Sprint(errs))
		}
	})
}
