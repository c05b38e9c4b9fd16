package hook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

// gated is an agent of ours as its hooks see it: the real stophook, installed by its
// own installer, and a transcript.
type gated struct {
	t        *testing.T
	bin      string
	o        hook.Options
	commands *hook.Commands
	payload  hookio.Payload
	rows     int
}

const gatedSession = "5f0e1a2b-0000-4000-8000-00000000a001"

// builtOnce builds the program once for all tests that need it.
var builtOnce = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "stophook-bin-")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "stophook")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", name, "../../cmd/stophook").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return name, nil
})

func gate(t *testing.T, install ...string) *gated {
	t.Helper()
	bin, err := builtOnce()
	if err != nil {
		t.Fatal(err)
	}
	home, project := t.TempDir(), t.TempDir()
	g := &gated{t: t, bin: bin}
	g.o = hook.Options{ProjectDir: project, Attended: true, Entrypoint: "cli",
		Env: []string{"PATH=" + filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home,
			"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}}
	g.payload = hookio.Payload{SessionID: gatedSession, TranscriptPath: filepath.Join(home, gatedSession+".jsonl"), CWD: project, PermissionMode: "default"}
	g.stophook(append([]string{"install"}, install...)...)
	settings, err := hook.LoadSettings(filepath.Join(home, ".claude", "settings.json"))
	if err != nil || len(settings.Warnings) > 0 {
		t.Fatalf("%v, %q", err, settings.Warnings)
	}
	g.commands = hook.NewCommands(settings, g.o)
	return g
}

// stophook runs the program as the agent's shell would.
func (g *gated) stophook(args ...string) string {
	g.t.Helper()
	cmd := exec.Command(g.bin, args...)
	cmd.Dir = g.payload.CWD
	cmd.Env = append(append([]string{}, g.o.Env...), hook.SessionEnv(g.o, gatedSession, "agentcore_agent")...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("stophook %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// row writes one row in the shape of the client's.
func (g *gated) row(kind string, content any, more string) {
	g.t.Helper()
	g.rows++
	message, err := json.Marshal(map[string]any{"role": kind, "content": content})
	if err != nil {
		g.t.Fatal(err)
	}
	line := fmt.Sprintf(`{"type":%q,"message":%s,"uuid":"d0000000-0000-4000-8000-%012d","isSidechain":false,"sessionId":%q,"cwd":%q,"version":"2.1.332","timestamp":%q%s}`+"\n",
		kind, message, g.rows, gatedSession, g.payload.CWD, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), more)
	f, err := os.OpenFile(g.payload.TranscriptPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		g.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line); err != nil {
		g.t.Fatal(err)
	}
}

func (g *gated) says(text string) {
	g.row("assistant", []any{map[string]any{"type": "text", "text": text}}, "")
}

// shell is a call of our own shell tool, under its own name.
func (g *gated) shell(command, output string) {
	id := fmt.Sprintf("toolu_%d", g.rows)
	g.row("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": "shell", "input": map[string]any{"command": command}}}, "")
	g.row("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": output}}, `,"toolUseResult":{"stdout":"x","stderr":"","interrupted":false}`)
}

func (g *gated) run(change func(*hookio.Payload)) hook.Outcome {
	g.t.Helper()
	p := g.payload
	change(&p)
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Minute)
	defer cancel()
	out, err := g.commands.Run(ctx, p)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, f := range out.Failures {
		g.t.Errorf("%s", f.Error())
	}
	return out
}

func (g *gated) stop(final string, active bool) hook.Outcome {
	g.t.Helper()
	return g.run(func(p *hookio.Payload) {
		p.Event, p.StopHookActive, p.LastAssistantMessage, p.BackgroundTasks = hookio.Stop, active, &final, &[]hookio.BackgroundTask{}
	})
}

// The real stophook gates an agent of ours: it refuses a call that would sit and wait,
// holds the end of a turn without evidence, and lets it pass when the agent, through
// its own shell tool, has done what the reason asks for.
func TestRun_RT50_realStophookBlocksThenPasses(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program; run without -short")
	}
	t.Cleanup(func() {
		if bin, err := builtOnce(); err == nil {
			os.RemoveAll(filepath.Dir(bin))
		}
	})
	for name, flags := range map[string][]string{"shell form": nil, "exec form": {"--exec"}} {
		t.Run(name, func(t *testing.T) { play(t, gate(t, flags...)) })
	}
}

func play(t *testing.T, g *gated) {
	start := g.run(func(p *hookio.Payload) { p.Event, p.Source = hookio.SessionStart, "startup" })
	if len(start.Context) != 1 || !strings.Contains(start.Context[0], "stophook") {
		t.Errorf("the briefing is missing: %+v", start)
	}
	before := func(command string) hook.Outcome {
		input, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		return g.run(func(p *hookio.Payload) {
			p.Event, p.ToolName, p.ToolInput, p.ToolUseID = hookio.PreToolUse, "shell", input, "toolu_1"
		})
	}
	if out := before("while ! grep -q done out.log; do sleep 5; done"); out.Permission != hookio.PermitDeny || !out.Block || out.Reason == "" {
		t.Errorf("PO-14: a waiter through our shell tool was not refused: %+v", out)
	}
	if out := before("make test"); out.Permission != "" || out.Block {
		t.Errorf("an ordinary call: %+v", out)
	}

	g.row("user", "run the tests", `,"origin":{"kind":"human"}`)
	g.shell("make test", "ok")
	g.says("All pass.")
	held := g.stop("All pass.", false)
	if !held.Block || !strings.Contains(held.Reason, "stophook status") {
		t.Fatalf("a turn without evidence was let go: %+v", held)
	}
	g.row("user", "Stop hook feedback:\n"+held.Reason, `,"isMeta":true`)

	g.shell(`stophook task "run the tests"`, g.stophook("task", "run the tests"))
	g.shell(`stophook name "test run"`, g.stophook("name", "test run"))
	shown := g.stophook("status", "--end-turn")
	g.shell("stophook status --end-turn", shown)
	end := strings.Index(shown, "┘")
	if end < 0 {
		t.Fatalf("no box in %q", shown)
	}
	final := "All pass.\n\n" + shown[:end+len("┘")]
	g.says(final)
	if out := g.stop(final, true); out.Block {
		t.Errorf("the ritual was done through our shell tool, and the turn was held all the same: %s", out.Reason)
	}
}
