package decisionlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// decode reads a line back the way a foreign tool would.
func decode(t interface {
	Helper()
	Fatalf(string, ...any)
}, line []byte) Event {
	t.Helper()
	if bytes.Count(line, []byte{'\n'}) != 1 || line[len(line)-1] != '\n' {
		t.Fatalf("not exactly one line: %q", line)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	var e Event
	if err := dec.Decode(&e); err != nil {
		t.Fatalf("line does not parse: %v\n%s", err, line)
	}
	return e
}

func TestEncode_Golden(t *testing.T) {
	w := fixedWriter(t)
	w.Masks = []Mask{{Op: OpRemove, Path: "/input/hook/last_assistant_message"}, {OpUpsert, "/input/session/cwd", "***"}}
	line, err := w.encode(Event{
		Labels:  map[string]string{"app": "stophook", "version": "0.1.0"},
		Bundles: map[string]Bundle{"builtin": {Revision: "abc"}, "project": {}},
		Input: map[string]any{
			"schema": "stophook.input/v1", "session": map[string]any{"id": "s-1", "cwd": "/home/u"},
			"hook":   map[string]any{"last_assistant_message": "done", "hook_event_name": "Stop"},
			"config": map[string]any{"defer_minutes": 30, "params": map[string]any{"ratio": 0.5, "api_key": "abc"}},
			"tool":   map[string]any{"input": map[string]any{"command": "curl -H 'Authorization: Bearer " + key("", 24) + "' <x> & y"}},
		},
		Result:  map[string]any{"verdict": "block", "code": "stop-hook.status_check_missing", "reason": "Run `stophook status --end-turn`."},
		Metrics: map[string]any{"timer_rego_query_eval_ns": 1234567, "timer_stophook_total_ns": 5000000},
		Error:   map[string]any{"code": "policy_error", "message": "x.rego:3: broken"},
		Custom:  map[string]any{CustomSessionID: "s-1", "event": "Stop", "shadow": false},
	})
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/event.golden.jsonl"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, line, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(line)); diff != "" {
		t.Errorf("set UPDATE_GOLDEN=1 to accept (-want +got):\n%s", diff)
	}
	if e := decode(t, line); e.Path != Path || e.SessionID() != "s-1" {
		t.Errorf("read back wrong: %+v", e)
	}
}

// opaFields are the fields of an event in OPA's decision log, version 1.
func opaFields() []string {
	return strings.Fields("labels decision_id batch_decision_id trace_id span_id revision bundles path query input result intermediate_results mapped_result nd_builtin_cache erased masked error requested_by timestamp metrics req_id rule_labels request_context custom")
}

func TestEncode_OnlyOPAFieldsInOPAOrder(t *testing.T) {
	data, err := os.ReadFile("testdata/event.golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	last := -1
	for dec.More() {
		name, _ := dec.Token()
		at := slices.Index(opaFields(), name.(string))
		if at <= last {
			t.Errorf("%v is unknown to OPA or out of order", name)
		}
		last = at
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEncode_Strings(t *testing.T) {
	const rune2 = "ö"
	long := strings.Repeat("x", MaxStringBytes-1) + strings.Repeat(rune2, 10)
	secretAcross := strings.Repeat("x", MaxStringBytes-20) + " " + key("gh"+"p_", 100) + strings.Repeat(" y", 9000)
	tests := []struct {
		name   string
		in     any
		want   func(string) bool
		masked []string
		reason string
	}{
		{"short", "abc", func(s string) bool { return s == "abc" }, nil, "left as it is"},
		{"at the limit", strings.Repeat("x", MaxStringBytes), func(s string) bool { return len(s) == MaxStringBytes }, nil, "the limit itself fits"},
		{"over the limit", long, func(s string) bool {
			return strings.HasSuffix(s, "x…[cut, 8211 bytes in all]") && utf8.ValidString(s)
		}, []string{"/input/v"}, "cut on the edge of a rune, with the length of the original"},
		{"secret across the cut", secretAcross, func(s string) bool {
			return !strings.Contains(s, "gh"+"p_") && strings.Contains(s, Redacted) && strings.Contains(s, "[cut, ")
		}, []string{"/input/v"}, "cutting must not save a secret from being seen"},
		{"list", []any{"a", "password=b"}, nil, []string{"/input/v/1"}, "the index is part of the path"},
		{"named", map[string]any{"client_secret": "zzz", "token": []any{"a"}, "max_tokens": "12"}, nil, []string{"/input/v/client_secret", "/input/v/token/0"}, "the key tells"},
		{"named but no string", map[string]any{"token": 12, "secret": ""}, nil, nil, "numbers and empty strings hide nothing"},
		{"odd key", map[string]any{"a/b c": "pwd=1"}, nil, []string{"/input/v/a%2Fb%20c"}, "escaped as OPA does"},
		{"not a number", math.NaN(), nil, []string{"/input/v"}, "JSON has none; null is written"},
		{"not encodable", func() {}, func(s string) bool { return strings.HasPrefix(s, "(not encodable") }, nil, "the line is not lost to it"},
		{"struct", struct {
			P string `json:"password"`
		}{"x"}, nil, []string{"/input/v/password"}, "redacted like a map"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line, err := (&Writer{}).encode(Event{Input: map[string]any{"v": tt.in}})
			if err != nil {
				t.Fatal(err)
			}
			e := decode(t, line)
			if diff := cmp.Diff(tt.masked, e.Masked); diff != "" {
				t.Errorf("%s: masked (-want +got):\n%s", tt.reason, diff)
			}
			if got, _ := e.Input.(map[string]any)["v"].(string); tt.want != nil && !tt.want(got) {
				t.Errorf("%s: got %.80q (%d bytes)", tt.reason, got, len(got))
			}
		})
	}
}

func TestEncode_LargeEventsKeepTheDecision(t *testing.T) {
	many := make([]any, 300)
	for i := range many {
		many[i] = strings.Repeat("x", 5000)
	}
	deep := any("end")
	for range maxDepth + 10 {
		deep = []any{deep}
	}
	tests := []struct {
		name   string
		event  Event
		erased []string
		reason string
	}{
		{"tool input", Event{Input: map[string]any{"tool": map[string]any{"name": "Write", "input": many}, "now": "x"}}, []string{"/input/tool/input"}, "the largest part goes first"},
		{"several", Event{Input: map[string]any{"hook": many, "tasks": many, "now": "x"}}, []string{"/input/hook", "/input/tasks"}, "and then the next"},
		{"elsewhere", Event{Input: map[string]any{"x": many}}, []string{"/input"}, "at last the whole input"},
		{"depth", Event{Input: deep}, nil, "bottomless nesting ends in null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.event.Result = map[string]any{"verdict": "allow"}
			tt.event.Custom = map[string]any{CustomSessionID: "s"}
			line, err := (&Writer{}).encode(tt.event)
			if err != nil {
				t.Fatal(err)
			}
			if len(line) > MaxLineBytes {
				t.Errorf("line of %d bytes", len(line))
			}
			if tt.erased == nil { // encoding/json cannot read that deep either
				return
			}
			e := decode(t, line)
			if diff := cmp.Diff(tt.erased, e.Erased); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if e.Custom[CustomTruncated] != true || e.SessionID() != "s" || e.Result == nil {
				t.Errorf("the decision must stay and the loss be told: %+v", e)
			}
			if _, told := tt.event.Custom[CustomTruncated]; told {
				t.Error("the caller's custom map was changed")
			}
		})
	}
	if _, err := (&Writer{}).encode(Event{Custom: map[string]any{"x": many}}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("nothing left to erase: want ErrTooLarge, got %v", err)
	}
}

// TestEncode_EqualsEncodingJSON holds the encoder against encoding/json wherever
// nothing had to be hidden.
func TestEncode_EqualsEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]any{"v": value(4).Draw(t, "v")}
		line, err := (&Writer{NewID: func() string { return "x" }, Now: func() time.Time { return testTime }}).encode(Event{Input: in})
		if err != nil {
			t.Fatal(err)
		}
		e := decode(t, line)
		data, err := json.Marshal(in)
		if err != nil || len(e.Masked) > 0 {
			return // an invalid json.Number, or redacted
		}
		want, err := decodeAny(data)
		if err != nil {
			t.Fatal(err)
		}
		// The two spell some numbers differently.
		sameNumber := cmp.Comparer(func(a, b json.Number) bool {
			x, errX := a.Float64()
			y, errY := b.Float64()
			return errX == nil && errY == nil && x == y
		})
		if diff := cmp.Diff(want, e.Input, sameNumber); diff != "" {
			t.Fatalf("(-encoding/json +ours):\n%s", diff)
		}
	})
}

// A prepared input gives the same line, whatever has to be done to it.
func TestPrepare_IsTheSameLine(t *testing.T) {
	big := strings.Repeat("x", MaxStringBytes+100)
	mask, err := ParseMask("/input/a")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		reason string
		writer Writer
		input  map[string]any
	}{
		{"plain", Writer{}, map[string]any{"a": "b", "n": 1}},
		{"a secret and a cut are listed", Writer{}, map[string]any{"a": "token ghp_" + strings.Repeat("a", 36), "b": big}},
		{"masks come first", Writer{Masks: []Mask{mask}}, map[string]any{"a": "b", "c": "d"}},
		{"an input over the line's limit", Writer{}, map[string]any{"tasks": manyStrings(400), "keep": "this"}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			e := Event{DecisionID: "id", Timestamp: time.Unix(0, 0), Input: tc.input, Result: map[string]any{"verdict": "allow"}}
			want, err := tc.writer.encode(e)
			if err != nil {
				t.Fatal(err)
			}
			e.Prepared = tc.writer.Prepare(tc.input)
			got, err := tc.writer.encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func manyStrings(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = strings.Repeat("y", MaxStringBytes-1)
	}
	return list
}
