package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// denied are the commands that the client refused in a turn because nobody allowed them.
func denied(result gjson.Result) []string {
	var commands []string
	for _, d := range result.Get("permission_denials").Array() {
		commands = append(commands, d.Get("tool_input.command").String())
	}
	return commands
}

// Where nobody allowed anything, the installation allows the evidence commands and
// nothing else, so that the ritual needs no person to say yes.
func TestClient_installedRules(t *testing.T) {
	s := stage(t, Setup{Settings: map[string]any{"permissions": map[string]any{"deny": []string{"WebFetch"}}}, Script: []Reply{
		Says("start it", Text("I write."), Bash("touch written")),
		declares("TOOL_RESULT .*needs approval"),
		checks(declared),
		shows("I may not write."),
	}})
	r := s.Print("please start it")
	exits(t, r)
	result := r.AwaitResult(1)
	success(t, result, "┌─ stophook check")
	s.Verify(r.Session(), nil, "allow pass")
	if diff := cmp.Diff([]string{"touch written"}, denied(result)); diff != "" {
		t.Errorf("refused commands (-want +got)\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(s.Project, "written")); err == nil {
		t.Error("a command that nobody allowed was run")
	}
}

// After uninstall the settings are as they were, byte for byte, and the client calls
// nothing of ours any more.
func TestClient_uninstall(t *testing.T) {
	var before []byte
	read := func(s *Stage) []byte {
		data, err := os.ReadFile(filepath.Join(s.Config, "settings.json"))
		if err != nil {
			s.t.Fatal(err)
		}
		return data
	}
	s := stage(t, Setup{Install: func(s *Stage) {
		before = read(s)
		s.Install()
	}, Script: []Reply{
		Always("start it", Text("I look."), Bash("echo looked")),
		Says("TOOL_RESULT looked", Text("Done.")),
		declares(feedback("Status check")),
		checks(declared),
		shows("Checked."),
		Says("TOOL_RESULT looked", Text("Done without any ritual.")),
	}})
	r := s.Print("please start it")
	exits(t, r)
	s.Verify(r.Session(), nil, "block status_check_missing", "allow pass")

	s.Must("uninstall")
	if diff := cmp.Diff(string(before), string(read(s))); diff != "" {
		t.Errorf("the settings after install, a session, and uninstall (-want +got)\n%s", diff)
	}
	decided := len(s.Decisions())
	r = s.Print("please start it again")
	exits(t, r)
	success(t, r.AwaitResult(1), "Done without any ritual.")
	count(t, "decisions after uninstall", len(s.Decisions())-decided, 0)
	if requests := s.API.Requests(); strings.Contains(string(requests[len(requests)-1].Body), "stophook") {
		t.Error("the agent is still told of stophook")
	}
}

// Of the profile background only the guard of shell commands and the debt of headless
// runs are left.
func TestClient_profileBackground(t *testing.T) {
	s := stage(t, Setup{Install: func(s *Stage) { s.Install("--profile", "background") }, Script: []Reply{
		Says("start it", Text("I wait."), Bash("while [ ! -e done.txt ]; do sleep 1; done")),
		Says("TOOL_RESULT .*Do not wait for background work inside a shell command", Text("I look."), Bash("echo looked")),
		Says("TOOL_RESULT looked", Text("Done without any ritual.")),
	}})
	r := s.Print("please start it")
	exits(t, r)
	success(t, r.AwaitResult(1), "Done without any ritual.")
	// A replay knows no profiles: it is told by a file what this one switches off.
	file := filepath.Join(s.Home, "background.yaml")
	text := "rules:\n  status_check: {severity: off}\n  status_box: {severity: off}\n  task_declared: {severity: off}\n  session_named: {severity: off}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Verify(r.Session(), []string{"--config", file}, "allow pass")
	count(t, "blocks that the agent saw", len(feedbacks(s, r.Session())), 0)
}
