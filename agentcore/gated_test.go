package agentcore_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool/builtin"
	"github.com/stophook/stophook/execctx"
)

// buildStophook builds the program.
func buildStophook(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stophook")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", name, "../cmd/stophook").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return name
}

// stophook runs the program as a hook of a headless agent would, and gives its output.
func stophook(t *testing.T, bin, stdin string, args ...string) []byte {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Stdin = home, strings.NewReader(stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home, "CLAUDE_CODE_ENTRYPOINT=sdk-cli",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("stophook %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return out
}

// judged is what stophook makes of a session.
type judged struct {
	Tasks []struct {
		ID         string `json:"id"`
		State      string `json:"state"`
		OutputFile string `json:"output_file"`
		Harvested  bool   `json:"harvested"`
	} `json:"tasks"`
	Debt struct {
		Paired []string `json:"paired"`
	} `json:"debt"`
}

// The program that holds Claude Code reads our own sessions too: it finds each task with
// its output, and a headless turn that leaves one is sent back by the rule of background
// debt; a task whose outcome was seen is paid (D-07, D-08).
func TestStophook_AC182_D07_D08_backgroundDebt(t *testing.T) {
	mock := execctx.NewMock(execctx.MockOptions{CWD: "/work"})
	s := setup(t, func(c *agentcore.Config) {
		c.Exec, c.Tools, c.Behavior.MaxNudges = mock, builtin.All(builtin.Options{}), -1
	}, launch("make one", "make two"), scripted.Step{Tools: []scripted.Tool{use("shell_kill", obj{"task_id": "bash_1"})}}, say("The other one runs."))
	s.run("go", nil)
	bin := buildStophook(t)
	var got judged
	if err := json.Unmarshal(stophook(t, bin, "", "scan", "--json", s.sess.Path()), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tasks) != 2 || got.Tasks[0].State != "ended" || !got.Tasks[0].Harvested || got.Tasks[1].State != "running" || got.Tasks[1].Harvested {
		t.Errorf("%+v", got.Tasks)
	}
	for _, task := range got.Tasks {
		if filepath.Dir(task.OutputFile) != s.sess.TasksDir() || !strings.HasPrefix(filepath.Base(task.OutputFile), task.ID+".") {
			t.Errorf("the output of %s is %s", task.ID, task.OutputFile)
		}
	}
	if diff := cmp.Diff([]string{"bash_2"}, got.Debt.Paired); diff != "" {
		t.Errorf("debt (-want +got):\n%s", diff)
	}
	payload, err := json.Marshal(obj{"hook_event_name": "Stop", "session_id": s.sess.ID(), "transcript_path": s.sess.Path(), "cwd": t.TempDir(),
		"stop_hook_active": false, "permission_mode": "default"})
	if err != nil {
		t.Fatal(err)
	}
	answer := string(stophook(t, bin, string(payload), "hook"))
	for _, want := range []string{`"block"`, "Background work: nothing resumes this turn", "bash_2 (`make two`)", filepath.Base(got.Tasks[1].OutputFile)} {
		if !strings.Contains(answer, want) {
			t.Errorf("the hook's answer lacks %q:\n%s", want, answer)
		}
	}
	if strings.Contains(answer, "bash_1") {
		t.Errorf("a task that was killed is asked for:\n%s", answer)
	}
}
