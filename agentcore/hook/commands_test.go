package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

// script is one hook of a test: a command of /bin/sh and what else its entry has.
type script struct {
	matcher, command, extra string
}

// load makes settings of the scripts, all in one group list.
func load(t testing.TB, event hookio.EventName, scripts ...script) *hook.Settings {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks of these tests are scripts of /bin/sh")
	}
	var groups []string
	for _, s := range scripts {
		command, err := json.Marshal(s.command)
		if err != nil {
			t.Fatal(err)
		}
		groups = append(groups, fmt.Sprintf(`{"matcher":%q,"hooks":[{"type":"command","command":%s%s}]}`, s.matcher, command, s.extra))
	}
	path := settingsFile(t, "settings.json", fmt.Sprintf("{\"hooks\":{%q:[\n%s]}}", event, strings.Join(groups, ",\n")))
	s, err := hook.LoadSettings(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func options(t testing.TB) hook.Options {
	return hook.Options{ProjectDir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}}
}

func run(t testing.TB, s *hook.Settings, p hookio.Payload) hook.Outcome {
	t.Helper()
	out, err := hook.NewCommands(s, options(t)).Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sansDetail compares outcomes without files, durations and results.
func sansDetail() cmp.Option {
	return cmp.Options{cmpopts.IgnoreFields(hook.Outcome{}, "Results"), cmpopts.IgnoreFields(hook.Failure{}, "File", "Err"), cmpopts.EquateEmpty()}
}

func TestRun_RT50_RT52_outcomes(t *testing.T) {
	say := func(json string) string { return "echo '" + json + "'" }
	permit := func(decision, reason, more string) string {
		return say(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + decision + `","permissionDecisionReason":"` + reason + `"` + more + `}}`)
	}
	stop := false
	failure := func(event hookio.EventName, command, problem string, line int) hook.Failure {
		return hook.Failure{Event: event, Command: command, Line: line, Problem: problem}
	}
	tests := []struct {
		name    string
		payload hookio.Payload
		scripts []script
		want    hook.Outcome
	}{
		{"two blocks, in the order of the settings", hookio.Payload{Event: hookio.Stop},
			[]script{{command: "read x; " + say(`{"decision":"block","reason":"one"}`)}, {command: say(`{"decision":"block","reason":"two","systemMessage":"m"}`)}},
			hook.Outcome{Block: true, Reason: "one\n\ntwo", SystemMessages: []string{"m"}}},
		{"exit 2 is told with its command", hookio.Payload{Event: hookio.Stop}, []script{{command: "echo no >&2; exit 2"}},
			hook.Outcome{Block: true, Reason: "[echo no >&2; exit 2]: no"}},
		{"feedback", hookio.Payload{Event: hookio.Stop}, []script{{command: say(`{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"do x"}}`)}},
			hook.Outcome{Block: true, Feedback: true, Reason: "do x"}},
		{"a crash is shown and decides nothing", hookio.Payload{Event: hookio.Stop}, []script{{command: "echo oh >&2; exit 3"}, {command: "true"}},
			hook.Outcome{Failures: []hook.Failure{failure(hookio.Stop, "echo oh >&2; exit 3", "it ended with exit code 3: oh", 2)}}},
		{"a crash beside a block", hookio.Payload{Event: hookio.Stop}, []script{{command: "kill -9 $$"}, {command: say(`{"decision":"block","reason":"one"}`)}},
			hook.Outcome{Block: true, Reason: "one", Failures: []hook.Failure{failure(hookio.Stop, "kill -9 $$", "it was ended from outside: signal: killed", 2)}}},
		{"the end beats a block", hookio.Payload{Event: hookio.Stop}, []script{{command: say(`{"continue":false,"stopReason":"enough"}`)}, {command: say(`{"decision":"block","reason":"one"}`)}},
			hook.Outcome{Block: true, Reason: "one", Continue: &stop, StopReason: "enough"}},
		{"deny beats ask beats allow", hookio.Payload{Event: hookio.PreToolUse, ToolName: "shell"},
			[]script{{command: permit("allow", "a", `,"updatedInput":{"command":"x"}`)}, {command: permit("ask", "b", "")}, {command: permit("deny", "c", "")}, {command: permit("deny", "d", "")}},
			hook.Outcome{Block: true, Reason: "c\n\nd", Permission: hookio.PermitDeny, PermissionReason: "c\n\nd"}},
		{"ask beats allow", hookio.Payload{Event: hookio.PreToolUse, ToolName: "shell"}, []script{{command: permit("ask", "b", "")}, {command: permit("allow", "a", "")}},
			hook.Outcome{Permission: hookio.PermitAsk, PermissionReason: "b"}},
		{"allow beats silence, inputs get our names back", hookio.Payload{Event: hookio.PreToolUse, ToolName: "write_file"},
			[]script{{command: "true"}, {command: permit("allow", "a", `,"updatedInput":{"file_path":"/x"},"additionalContext":"c"`)}},
			hook.Outcome{Permission: hookio.PermitAllow, PermissionReason: "a", UpdatedInput: json.RawMessage(`{"path":"/x"}`), Context: []string{"c"}}},
		{"the matcher chooses", hookio.Payload{Event: hookio.PreToolUse, ToolName: "shell"},
			[]script{{"Edit", "echo no >&2; exit 2", ""}, {"Bash|Read", permit("ask", "b", ""), ""}},
			hook.Outcome{Permission: hookio.PermitAsk, PermissionReason: "b"}},
		{"nobody matches", hookio.Payload{Event: hookio.PreToolUse, ToolName: "glob"}, []script{{"Edit", "exit 2", ""}}, hook.Outcome{}},
		{"a failure that its settings make a block", hookio.Payload{Event: hookio.PreToolUse, ToolName: "shell"},
			[]script{{"", "exit 3", `,"onFailure":"block"`}},
			hook.Outcome{Block: true, Reason: "[exit 3]: it ended with exit code 3: No stderr output", Permission: hookio.PermitDeny,
				PermissionReason: "[exit 3]: it ended with exit code 3: No stderr output",
				Failures:         []hook.Failure{failure(hookio.PreToolUse, "exit 3", "it ended with exit code 3: No stderr output", 2)}}},
		{"but not at a stop", hookio.Payload{Event: hookio.Stop}, []script{{"", "exit 3", `,"onFailure":"block"`}},
			hook.Outcome{Failures: []hook.Failure{failure(hookio.Stop, "exit 3", "it ended with exit code 3: No stderr output", 2)}}},
		{"context of a prompt", hookio.Payload{Event: hookio.UserPromptSubmit}, []script{{command: "echo one"}, {command: "echo two"}},
			hook.Outcome{Context: []string{"one", "two"}}},
		{"after a tool", hookio.Payload{Event: hookio.PostToolUse, ToolName: "edit"}, []script{{command: say(`{"decision":"block","reason":"lint","suppressOutput":true}`)}},
			hook.Outcome{Block: true, Reason: "lint", SuppressOutput: true}},
		{"a program that is not there", hookio.Payload{Event: hookio.Stop}, []script{{"", "/nowhere/hook", `,"args":[]`}},
			hook.Outcome{Failures: []hook.Failure{failure(hookio.Stop, "/nowhere/hook", "it could not be started: fork/exec /nowhere/hook: no such file or directory", 2)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, load(t, tt.payload.Event, tt.scripts...), tt.payload)
			if diff := cmp.Diff(tt.want, got, sansDetail()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Two hooks of which each waits for the other: they run beside each other, and the
// outcome stands in the order of the settings all the same.
func TestRun_RT50_parallel(t *testing.T) {
	dir := t.TempDir()
	meet := func(mine, other string) string {
		return fmt.Sprintf("touch %s/%s; until [ -e %s/%s ]; do sleep 0.01; done; echo %s", dir, mine, dir, other, mine)
	}
	out := run(t, load(t, hookio.UserPromptSubmit, script{command: meet("a", "b")}, script{command: meet("b", "a")}), hookio.Payload{Event: hookio.UserPromptSubmit})
	if diff := cmp.Diff([]string{"a", "b"}, out.Context); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same command in two files and under two matchers runs once (measured, 2.1.332).
func TestRun_RT50_onceForAll(t *testing.T) {
	file := filepath.Join(t.TempDir(), "n")
	same := "echo x >> " + file
	out := run(t, load(t, hookio.PreToolUse, script{"*", same, ""}, script{"Bash", same, `,"timeout":7`}, script{"Bash", same + " ", ""}),
		hookio.Payload{Event: hookio.PreToolUse, ToolName: "shell"})
	text, err := os.ReadFile(file)
	if err != nil || string(text) != "x\nx\n" || len(out.Results) != 2 {
		t.Errorf("%q, %v, %d results", text, err, len(out.Results))
	}
}

// What a hook reads and where it runs.
func TestRun_RT50_RT24_stdinAndEnvironment(t *testing.T) {
	s := load(t, hookio.SessionStart, script{command: `cat; echo; pwd -P; env | sort`})
	cwd := t.TempDir()
	o := hook.Options{ProjectDir: "/project", Entrypoint: "cli", Attended: true, Agent: "agentcore_1_harness", PID: 7, Hide: []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY"},
		Env: []string{"PATH=" + os.Getenv("PATH"), "ANTHROPIC_API_KEY=k1", "OPENAI_API_KEY=k2", "KEEP=yes", "CLAUDE_CODE_SESSION_ID=outer", "CLAUDE_EFFORT=max",
			"CODEX_SESSION_ID=outer", "STOPHOOK_SESSION_ID=outer", "CLAUDE_CODE_MESSAGING_TOKEN=outer"},
		EnvFile: func(id string) string { return "/env/" + id }}
	out, err := hook.NewCommands(s, o).Run(t.Context(), hookio.Payload{Event: hookio.SessionStart, SessionID: "s1", CWD: cwd, Source: "startup"})
	if err != nil || len(out.Context) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	lines := strings.Split(out.Context[0], "\n")
	resolved, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := hookio.Decode([]byte(lines[0]), hookio.HostAuto)
	if err != nil || ev.Host != hookio.HostClaudeCode || ev.Name != hookio.SessionStart || ev.SessionID != "s1" || ev.Source != "startup" || lines[1] != resolved {
		t.Errorf("stdin %q in %q, %v", lines[0], lines[1], err)
	}
	ours := slices.DeleteFunc(lines[2:], func(l string) bool {
		return strings.HasPrefix(l, "PATH=") || strings.HasPrefix(l, "PWD=") || strings.HasPrefix(l, "_=") || strings.HasPrefix(l, "SHLVL=") || strings.HasPrefix(l, "OLDPWD=")
	})
	want := []string{"AI_AGENT=agentcore_1_harness", "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_CODE_SESSION_ID=s1",
		"CLAUDE_ENV_FILE=/env/s1", "CLAUDE_PID=7", "CLAUDE_PROJECT_DIR=/project", "KEEP=yes"}
	if diff := cmp.Diff(want, ours); diff != "" {
		t.Errorf("the keys of models and the variables of another host are gone (-want +got):\n%s", diff)
	}
}

func TestRun_RT50_folderAndEffort(t *testing.T) {
	s := load(t, hookio.Stop, script{command: `echo "$PWD $CLAUDE_EFFORT" >&2; exit 2`})
	o := options(t)
	p := hookio.Payload{Event: hookio.Stop, CWD: filepath.Join(o.ProjectDir, "gone"), Effort: "high"}
	out, err := hook.NewCommands(s, o).Run(t.Context(), p)
	if err != nil || !strings.HasSuffix(out.Reason, filepath.Base(o.ProjectDir)+" high") || out.Results[0].Reply.Reason != out.Reason {
		t.Errorf("%+v, %v: a folder that is gone must not cost the gate", out, err)
	}
}

func TestRun_RT52_endlessJSON(t *testing.T) {
	out := run(t, load(t, hookio.Stop, script{command: `printf '{"reason":"'; yes | head -c 9000000`}), hookio.Payload{Event: hookio.Stop})
	if len(out.Failures) != 1 || out.Failures[0].Problem != "it printed more than 8 MiB, which is no answer" {
		t.Errorf("%v", out.Failures)
	}
}

func TestRun_RT50_argumentsWithoutAShell(t *testing.T) {
	s := load(t, hookio.UserPromptSubmit, script{"", "/bin/echo", `,"args":["a b","$HOME;x","${CLAUDE_PROJECT_DIR}/y"]`})
	o := options(t)
	out, err := hook.NewCommands(s, o).Run(t.Context(), hookio.Payload{Event: hookio.UserPromptSubmit})
	if want := []string{"a b $HOME;x " + o.ProjectDir + "/y"}; err != nil || !slices.Equal(out.Context, want) {
		t.Errorf("%q, %v; want %q", out.Context, err, want)
	}
}

func TestRun_nothingToDo(t *testing.T) {
	var none *hook.Commands
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]*hook.Commands{"nil": none, "no settings": hook.NewCommands(nil, hook.Options{}),
		"another event": hook.NewCommands(load(t, hookio.Stop, script{command: "exit 2"}), options(t))} {
		if c.Has(hookio.PreToolUse) {
			t.Errorf("%s: it has none", name)
		}
		out, err := c.Run(t.Context(), hookio.Payload{Event: hookio.PreToolUse})
		if diff := cmp.Diff(hook.Outcome{}, out); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
		if _, err := c.Run(ended, hookio.Payload{Event: hookio.PreToolUse}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := hook.NewCommands(load(t, hookio.PreToolUse, script{command: "exit 2"}), options(t))
	if _, err := c.Run(t.Context(), hookio.Payload{Event: hookio.PreToolUse, ToolInput: json.RawMessage("{")}); err == nil {
		t.Error("a payload that is no JSON was sent")
	}
}

// A hook that never reads stdin, one that leaves a process behind which holds its
// output, and one that prints without end.
func TestRun_RT52_oddPrograms(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	out := run(t, load(t, hookio.UserPromptSubmit, script{command: "echo deaf"}, script{command: "yes | head -c 20000000"}),
		hookio.Payload{Event: hookio.UserPromptSubmit, Prompt: big})
	if len(out.Failures) > 0 || out.Context[0] != "deaf" || len(out.Results[1].Stdout) > 64<<10 || len(out.Context[1]) > 10100 {
		t.Errorf("failures %v, %d contexts, %d bytes kept", out.Failures, len(out.Context), len(out.Results[1].Stdout))
	}
	begun := time.Now()
	out = run(t, load(t, hookio.UserPromptSubmit, script{command: "sleep 30 & echo $!"}), hookio.Payload{Event: hookio.UserPromptSubmit})
	if len(out.Failures) > 0 || len(out.Context) != 1 || time.Since(begun) > 20*time.Second {
		t.Errorf("%+v", out)
	}
	killLeft(t, out.Context[0])
}

func BenchmarkRun(b *testing.B) {
	b.Run("no hooks", func(b *testing.B) {
		c := hook.NewCommands(nil, hook.Options{})
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Run(b.Context(), hookio.Payload{Event: hookio.PreToolUse, ToolName: "shell"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("nobody matches", func(b *testing.B) {
		c := hook.NewCommands(load(b, hookio.PreToolUse, script{matcher: "Edit|Write", command: "true"}), options(b))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Run(b.Context(), hookio.Payload{Event: hookio.PreToolUse, ToolName: "shell"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("true", func(b *testing.B) {
		c := hook.NewCommands(load(b, hookio.PreToolUse, script{command: "true"}), options(b))
		for b.Loop() {
			if _, err := c.Run(b.Context(), hookio.Payload{Event: hookio.PreToolUse, ToolName: "shell"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
