package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A subagent stops without any ritual, even where the hook is called for it, and the
// main thread owes its own.
func TestClient_subagentStop(t *testing.T) {
	const sub = "SUBAGENT-PROMPT"
	s := stage(t, Setup{Script: []Reply{
		{When: "start it", NotFirst: "^" + sub, Blocks: []Block{Text("I send somebody."), Use("Agent", map[string]any{
			"description": "Do a part", "prompt": sub + " please do it", "subagent_type": "general-purpose", "run_in_background": false})}},
		{When: sub, First: sub, Blocks: []Block{Text("I work."), Bash("echo sub-out")}},
		{When: "TOOL_RESULT sub-out", First: sub, Blocks: []Block{Text("The part is done.")}},
		{When: "TOOL_RESULT .*The part is done", NotFirst: sub, Blocks: []Block{Text("All is done.")}},
		declares(feedback("Status check")),
		checks(declared),
		shows("Checked."),
	}, Install: func(s *Stage) {
		s.Install()
		s.alsoHook("SubagentStop")
	}})
	r := s.Print("please start it")
	exits(t, r)
	success(t, r.AwaitResult(1), "┌─ stophook check")
	session := r.Session()
	s.Verify(session, nil, "block status_check_missing", "allow pass")
	subs := s.of("SubagentStop")
	count(t, "stops of the subagent", len(subs), 1)
	if len(subs) == 1 && verdictLine(subs[0].Verdict, subs[0].Code) != "allow not_main_thread" {
		t.Errorf("the subagent's stop: %s", decisionText(subs[0]))
	}
	files, _ := filepath.Glob(filepath.Join(s.Config, "projects", "*", session, "subagents", "*.jsonl"))
	count(t, "transcripts of the subagent", len(files), 1)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(data), "Stop hook feedback:") {
			t.Errorf("the subagent was sent back: %v\n%s", err, data)
		}
	}
}
