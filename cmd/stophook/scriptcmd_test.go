package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// payload writes payload.json. KEY=JSON replaces a field, KEY= leaves it out.
func (p *play) payload(ts *testscript.TestScript, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("usage: payload EVENT [KEY=JSON]...")
	}
	doc := map[string]any{"hook_event_name": args[0], "session_id": scriptSession, "transcript_path": p.path, "cwd": p.work}
	if args[0] == "Stop" {
		doc["stop_hook_active"], doc["last_assistant_message"], doc["background_tasks"] = false, p.final, []any{}
	}
	for _, arg := range args[1:] {
		key, value, ok := strings.Cut(arg, "=")
		switch {
		case !ok:
			return fmt.Errorf("payload: %q is not KEY=JSON", arg)
		case value == "":
			delete(doc, key)
		case !json.Valid([]byte(value)):
			return fmt.Errorf("payload: %s is no JSON", value)
		default:
			doc[key] = json.RawMessage(value)
		}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.work, "payload.json"), b, 0o600)
}

// wireCommand checks the form of the last hook's stdout.
func wireCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: wire allow|block|feedback|message|context|deny|followup")
	}
	out := ts.ReadFile("stdout")
	if kind := otherWire(out); kind != "" {
		if kind != args[0] {
			ts.Fatalf("the wire carries %s, want %s: %q", kind, args[0], out)
		}
		return
	}
	if err := legal(out); err != nil {
		ts.Fatalf("illegal stdout %q: %v", out, err)
	}
	if got := wireKind(out); got != args[0] {
		ts.Fatalf("the wire carries %s, want %s: %q", got, args[0], out)
	}
}

func wireKind(out string) string {
	o := gjson.Parse(out)
	specific := o.Get("hookSpecificOutput")
	switch {
	case out == "":
		return "allow"
	case o.Get("decision").Exists():
		return "block"
	case specific.Get("permissionDecision").Exists():
		return "deny"
	case specific.Get("hookEventName").String() == "Stop":
		return "feedback"
	case specific.Exists():
		return "context"
	}
	return "message"
}

// otherWire tells the answers that only other hosts than Claude Code get, by their
// keys; policy/hookio's goldens hold each of them to the letter.
func otherWire(out string) string {
	var o map[string]any
	if json.Unmarshal([]byte(out), &o) != nil {
		return ""
	}
	switch keys := strings.Join(slices.Sorted(maps.Keys(o)), " "); keys {
	case "followup_message":
		return "followup"
	case "agent_message permission", "permissionDecision permissionDecisionReason":
		return "deny"
	case "decision reason":
		if o["decision"] == "deny" {
			return "deny"
		}
	case "additionalContext", "additional_context":
		return "context"
	}
	return ""
}

// decidedCommand checks the last entry of the decision log.
func decidedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: decided VERDICT CODE")
	}
	r := gjson.Get(readScriptFile(ts, "log"), "result")
	if got := r.Get("verdict").String() + " " + r.Get("code").String(); got != args[0]+" stop-hook."+args[1] {
		ts.Fatalf("decided %s, want %s stop-hook.%s\nreason: %s\nmessage: %s", got, args[0], args[1], r.Get("reason"), r.Get("system_message"))
	}
}

// readScriptFile reads a file by name, or what a name stands for.
func readScriptFile(ts *testscript.TestScript, name string) string {
	p := ts.Value(playKey{}).(*play)
	switch name {
	case "log":
		lines := strings.Split(strings.TrimSpace(ts.ReadFile(filepath.Join(p.state, "decisions.jsonl"))), "\n")
		return lines[len(lines)-1]
	case "ledger":
		return ts.ReadFile(filepath.Join(p.state, "sessions", scriptSession, "ledger.jsonl"))
	}
	return ts.ReadFile(name)
}

func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [VALUE]")
	}
	text := readScriptFile(ts, args[0])
	if !gjson.Valid(text) {
		ts.Fatalf("%s is no JSON: %q", args[0], text)
	}
	v := gjson.Get(text, args[1])
	if v.IsObject() || v.IsArray() { // however it was indented
		var b bytes.Buffer
		ts.Check(json.Compact(&b, []byte(v.Raw)))
		v.Raw = b.String()
	}
	switch {
	case neg && len(args) == 2:
		if v.Exists() {
			ts.Fatalf("%s has %s: %s", args[0], args[1], v.Raw)
		}
	case neg:
		ts.Fatalf("! json takes no value")
	case !v.Exists():
		ts.Fatalf("%s has no %s: %s", args[0], args[1], text)
	case len(args) == 3 && v.String() != args[2]:
		ts.Fatalf("%s of %s is %s, want %s", args[1], args[0], v.Raw, args[2])
	}
}

// entriesCommand counts lines, and holds each of them to be one JSON object.
func entriesCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: entries FILE N")
	}
	p := ts.Value(playKey{}).(*play)
	path := args[0]
	switch path {
	case "log":
		path = filepath.Join(p.state, "decisions.jsonl")
	case "ledger":
		path = filepath.Join(p.state, "sessions", scriptSession, "ledger.jsonl")
	}
	text := ts.ReadFile(path)
	n := 0
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") || !gjson.Valid(line) || line[0] != '{' {
			ts.Fatalf("%s: line %d is no JSON object: %q", args[0], n+1, line)
		}
		n++
	}
	if fmt.Sprint(n) != args[1] {
		ts.Fatalf("%s has %d entries, want %s:\n%s", args[0], n, args[1], text)
	}
}
