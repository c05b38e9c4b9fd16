package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
)

// turnOf writes a transcript of one turn with a call of a tool.
func turnOf(t *testing.T, tool string, input any, result string, failed bool) string {
	t.Helper()
	in, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	rows := fmt.Sprintf(`{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-10-05T09:00:00Z","origin":{"kind":"human"},"message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":"s1","timestamp":"2026-10-05T09:00:01Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":%q,"input":%s}]}}
{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s1","timestamp":"2026-10-05T09:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":%s,"is_error":%t}]}}
`, tool, in, content, failed)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Texts that file tools wrote are what sessions hold most secrets in. They pass
// through the log's redaction as commands do, cut ones too.
func TestInput_WrittenTextsAreRedactedInTheLog(t *testing.T) {
	token := "gh" + "p_" + strings.Repeat("a1B2", 9)
	pem := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7bq\n", 300) + "-----END RSA PRIVATE KEY-----\n"
	for _, tt := range []struct {
		reason, tool string
		input        map[string]any
		secrets      []string
		kept         string
	}{
		{"a new file", "Write", map[string]any{"file_path": "/w/.env", "content": "# settings\nAPI_KEY=s3cr3tvalue99\nGITHUB=" + token}, []string{"s3cr3tvalue99", token}, "# settings"},
		{"both sides of an edit", "Edit", map[string]any{"file_path": "/w/a.go", "old_string": "x := \"" + token + "\"", "new_string": "password = \"hunter2hunter2\" // kept"}, []string{token, "hunter2hunter2"}, "// kept"},
		{"several edits", "MultiEdit", map[string]any{"file_path": "/w/a", "edits": []any{map[string]any{"old_string": "a", "new_string": "first"}, map[string]any{"old_string": token, "new_string": "Authorization: Bearer abcdef1234567890"}}}, []string{token, "abcdef1234567890"}, "first"},
		{"a key that the cut left without an end", "Write", map[string]any{"file_path": "/w/id_rsa", "content": "kept\n" + pem}, []string{"MIIEpAIBAAKCAQEA7bq"}, "kept"},
		{"a token across the cut", "Write", map[string]any{"file_path": "/w/a", "content": "kept " + strings.Repeat("x", 1975) + " " + token}, []string{token[:12]}, "kept"},
		{"a command, as ever", "Bash", map[string]any{"command": "curl -H 'X: " + token + "' https://example.com"}, []string{token}, "curl"},
		{"what a task says it is for", "Bash", map[string]any{"command": "x", "description": "push with " + token, "run_in_background": true}, []string{token}, ""},
	} {
		g := newGate(t)
		g.Log = &decisionlog.Writer{Path: filepath.Join(t.TempDir(), "log.jsonl")}
		o := g.Evaluate(context.Background(), stopEvent(t, turnOf(t, tt.tool, tt.input, "ok", false)))
		if err := g.Log.Append(o.Record("id", "v1")); err != nil {
			t.Fatal(err)
		}
		logged, err := os.ReadFile(g.Log.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range tt.secrets {
			if strings.Contains(string(logged), s) {
				t.Errorf("%s: the log holds %q", tt.reason, s)
			}
		}
		if !strings.Contains(string(logged), tt.kept) {
			t.Errorf("%s: %q is not in the log", tt.reason, tt.kept)
		}
	}
}

func TestInput_WhatACallTells(t *testing.T) {
	for _, tt := range []struct {
		reason, tool string
		input        map[string]any
		result       string
		failed       bool
		want         map[string]any // of the call, beside id, name, at and result_time
	}{
		{"an edit", "Edit", map[string]any{"file_path": "/w/a", "old_string": "a", "new_string": "b"}, "ok", false,
			map[string]any{"failed": false, "file_path": "/w/a", "written": "b", "replaced": "a"}},
		{"a file that is cut", "Write", map[string]any{"file_path": "/w/a", "content": strings.Repeat("x", 3000)}, "ok", false,
			map[string]any{"failed": false, "file_path": "/w/a", "written": strings.Repeat("x", 2000), "cut": true}},
		{"a command that failed", "Bash", map[string]any{"command": "make test"}, "Exit code 2\nno", true,
			map[string]any{"failed": true, "command": "make test", "exit_code": 2}},
		{"a command that was refused", "Bash", map[string]any{"command": "make test"}, "The user doesn't want to proceed", true,
			map[string]any{"failed": true, "command": "make test"}},
	} {
		g := newGate(t)
		o := g.Evaluate(context.Background(), stopEvent(t, turnOf(t, tt.tool, tt.input, tt.result, tt.failed)))
		call := o.Input["turn"].(map[string]any)["tools"].([]any)[0].(map[string]any)
		for _, key := range []string{"id", "name", "at", "result_time"} {
			if call[key] == nil {
				t.Errorf("%s: no %s", tt.reason, key)
			}
			delete(call, key)
		}
		if diff := cmp.Diff(tt.want, call); diff != "" {
			t.Errorf("%s: %s", tt.reason, diff)
		}
	}
}

// The ledger is a file that others can write: what is no Git summary is none.
func TestGitDoc(t *testing.T) {
	full, err := json.Marshal(evidence.GitSummary{Branch: "main", Head: "c0ffee", Upstream: "origin/main", Ahead: 2, Behind: 1, Findings: []evidence.FindingCode{evidence.GitDiverged}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason, raw string
		want        map[string]any
	}{
		{"what the status check writes", string(full), map[string]any{"final": false, "branch": "main", "head": "c0ffee", "upstream": "origin/main", "ahead": 2, "behind": 1, "findings": []any{"diverged"}}},
		{"no branch", `{"final":true,"findings":[]}`, map[string]any{"final": true, "ahead": 0, "behind": 0, "findings": []any{}}},
		{"a check of another version", `{"final":true,"more":1}`, map[string]any{"final": true, "ahead": 0, "behind": 0, "findings": []any{}}},
		{"odd findings and counts", `{"final":true,"ahead":-3,"findings":["x",7,null]}`, map[string]any{"final": true, "ahead": 0, "behind": 0, "findings": []any{"x"}}},
		{"a word where a number should be", `{"final":true,"ahead":"many","branch":7}`, map[string]any{"final": true, "ahead": 0, "behind": 0, "findings": []any{}}},
		{"without the answer", `{"branch":"main"}`, nil},
		{"no object", `["final"]`, nil},
		{"a string for the answer", `{"final":"true"}`, nil},
		{"broken", `{"final":true`, nil},
		{"none", ``, nil},
	} {
		got := gitDoc(json.RawMessage(tt.raw))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.reason, diff)
		}
	}
}

// A status check says what it saw of Git, and the schema knows it.
func TestInput_GitOfTheStatusCheck(t *testing.T) {
	g := newGate(t)
	s, err := g.Store.Session("s1")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	line := `{"v":1,"id":"e1","ts":"2026-10-05T09:00:03Z","kind":"end_turn_checked","check_id":"k3f9a1b2","git":{"final":false,"branch":"main","ahead":1,"findings":["unpushed"]}}` + "\n"
	if err := os.WriteFile(filepath.Join(s.Path(), "ledger.jsonl"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	ev := stopEvent(t, turnOf(t, "Bash", map[string]any{"command": "make"}, "ok", false))
	ev.Host = hookio.HostClaudeCode
	o := g.Evaluate(context.Background(), ev)
	check, _ := o.Input["evidence"].(map[string]any)["status_check"].(map[string]any)
	want := map[string]any{"check_id": "k3f9a1b2", "at": "2026-10-05T09:00:03.000Z", "git": map[string]any{"final": false, "branch": "main", "ahead": 1, "behind": 0, "findings": []any{"unpushed"}}}
	if diff := cmp.Diff(want, check); diff != "" {
		t.Error(diff)
	}
	if wrong := schemaOf(t, "input")(o.Input); wrong != "" {
		t.Error(wrong)
	}
}
