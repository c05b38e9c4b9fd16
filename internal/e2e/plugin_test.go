package e2e

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// plugin puts the plugin's source into the stage, with the program in the place of the
// script when bundled is set.
func plugin(s *Stage, bundled bool) string {
	s.t.Helper()
	dir := filepath.Join(s.Home, "a plugin")
	err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "plugin")))
	if err == nil && bundled {
		err = replace(filepath.Join(dir, "bin", "stophook"), filepath.Join(s.bin, "stophook"))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return dir
}

func replace(path, by string) error {
	in, err := os.Open(by)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// claude runs a command of the client that needs no model.
func claude(s *Stage, args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.Ctx, s.client.Path, args...)
	cmd.Dir, cmd.Env = s.Project, s.environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("claude %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The client finds nothing wrong with the plugin, installs it from its folder, and the
// plugin's hook blocks a stop, which the agent repairs by the bare name of the program:
// the plugin brings it, and nothing else on PATH has it.
func TestClient_plugin(t *testing.T) {
	s := stage(t, Setup{Install: func(s *Stage) {
		dir := plugin(s, true)
		s.bin = ""
		contains(s.t.(*testing.T), "claude plugin validate", claude(s, "plugin", "validate", "--strict", dir), "Validation passed")
		claude(s, "plugin", "marketplace", "add", dir)
		claude(s, "plugin", "install", "stophook@stophook")
	}, Script: []Reply{
		declares("start it"),
		Says(declared, Text("All is pushed.")),
		checks(feedback("Status check: .*Run .stophook status --end-turn")),
		shows("Checked and done."),
	}})
	if found, err := exec.LookPath("stophook"); err == nil {
		t.Skipf("%s is on PATH, and would be called instead of the plugin's", found)
	}
	r := s.Print("please start it")
	exits(t, r)
	success(t, r.AwaitResult(1), "┌─ stophook check")
	count(t, "blocks that the agent saw", len(feedbacks(s, r.Session())), 1)
	stops := s.Stops()
	count(t, "stops that were judged", len(stops), 2)
	for i, want := range []string{"block status_check_missing", "allow pass"} {
		if i < len(stops) && verdictLine(stops[i].Verdict, stops[i].Code) != want {
			t.Errorf("stop %d: %s, want %s", i+1, verdictLine(stops[i].Verdict, stops[i].Code), want)
		}
	}
	contains(t, "the first request", string(s.API.Requests()[0].Body), "stophook status --end-turn", "stophook:stophook")
}

// A plugin that has no program in it calls the one of the machine.
func TestClient_pluginWithoutProgram(t *testing.T) {
	var dir string
	s := stage(t, Setup{Install: func(s *Stage) { dir = plugin(s, false) }, Script: []Reply{
		declares("start it"),
		Says(declared, Text("All is pushed.")),
		checks(feedback("Status check: .*Run .stophook status --end-turn")),
		shows("Checked and done."),
	}})
	r := s.Print("please start it", "--plugin-dir", dir)
	exits(t, r)
	success(t, r.AwaitResult(1), "┌─ stophook check")
	s.Verify(r.Session(), nil, "block status_check_missing", "allow pass")
}

// The plugin beside an installation in the settings: the client runs two hooks for each
// stop. They answer alike, a stop counts once, and the cap holds.
func TestClient_pluginBesideSettings(t *testing.T) {
	var dir string
	s := stage(t, Setup{Config: "remediation_cap: 3\n", Install: func(s *Stage) {
		dir = plugin(s, true)
		s.Install()
	}, Script: []Reply{
		declares("start it"),
		Says(declared, Text("All is done.")),
		Always(feedback(""), Text("All is done.")),
	}})
	r := s.Print("please start it", "--plugin-dir", dir)
	exits(t, r)
	success(t, r.AwaitResult(1), "All is done.")
	stops := s.Stops()
	count(t, "judgements, two of each stop", len(stops), 8)
	for i, d := range stops {
		want := "block status_check_missing"
		if i >= 6 {
			want = "allow remediation_cap"
		}
		if got := verdictLine(d.Verdict, d.Code); got != want {
			t.Errorf("judgement %d: %s, want %s", i+1, got, want)
		}
		if got := d.Input.Get("remediation.count").Int(); got != int64(i/2) {
			t.Errorf("judgement %d: after %d blocks, want %d", i+1, got, i/2)
		}
	}
	count(t, "stops of the client", summaries(s, r.Session()), 4)
}
