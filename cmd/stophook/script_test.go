package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stophook/stophook/fixtures"
)

// scriptStart is the instant at which every scripted session begins.
func scriptStart() time.Time { return time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC) }

const scriptSession = "s1"

// TestScripts plays testdata/script/*.txtar with the program itself as the
// command stophook. A script runs in an empty folder with a home of its own and
// with nothing of the developer's environment. Commands beside testscript's:
//
//	session VERB [ARG] ...     append rows to session.jsonl; see (*play).session
//	payload EVENT [KEY=JSON]...  write payload.json, what the host would send
//	wire KIND                  stdout of the last hook: allow, block, feedback, message, context, deny
//	decided VERDICT CODE       the last entry of the decision log
//	json FILE PATH [VALUE]     a value of a JSON document (gjson path); ! json: the path is absent
//	entries FILE N             FILE has N lines, and each is a JSON object
//
// $NOW is one second after the last row of the session; $STATE is the state
// folder. FILE may be stdout, stderr, log (the last entry of the decision log) or
// ledger (the session's).
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			state := filepath.Join(home, ".local", "state", "stophook")
			e.Setenv("HOME", home)
			e.Setenv("STATE", state)
			e.Setenv("ESC", "\x1b")
			e.Setenv("GORACE", "atexit_sleep_ms=50") // the default is 1 s, and the doctor alone starts fifty processes
			p := &play{script: fixtures.NewScript(scriptSession, scriptStart()), path: filepath.Join(e.WorkDir, "session.jsonl"),
				work: e.WorkDir, state: state}
			e.Setenv("NOW", p.now())
			e.Values[playKey{}] = p
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"session": playing((*play).session),
			"payload": playing((*play).payload),
			"wire":    wireCommand,
			"decided": decidedCommand,
			"json":    jsonCommand,
			"entries": entriesCommand,
		},
	})
}

type playKey struct{}

// play is the session that a script writes.
type play struct {
	script *fixtures.Script
	at     time.Duration
	path   string
	work   string
	state  string
	calls  []string          // open tool calls, the latest last
	tasks  map[string]string // tool-use ids by task
	final  string            // the latest assistant text
	host   string            // version that the rows tell
}

func playing(run func(*play, *testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg {
			ts.Fatalf("this command cannot be negated")
		}
		ts.Check(run(ts.Value(playKey{}).(*play), ts, args))
	}
}

// now is the clock of a hook that runs after the last row.
func (p *play) now() string { return scriptStart().Add(p.at + time.Second).Format(time.RFC3339) }

// session appends rows, one verb after the other, each with one argument but
// done. Every verb takes one second.
//
//	prompt TEXT     a person writes
//	shell COMMAND   a command runs
//	call COMMAND    a command begins; result TEXT ends it
//	say TEXT        the agent answers, and its response ends
//	handoff TASK    git push, or the command behind the id, is moved to the
//	                background to deliver a message
//	launch TASK     the agent starts a command in the background
//	wake TASK       the task's notification starts a turn
//	feedback TEXT   the host hands a block's reason to the agent
//	apierror TEXT   the response ends with an API error
//	later DURATION  nothing happens for a while
//	host VERSION    rows so far and from now on are of this host version
//	raw TEXT        a line as it is
//
// @out as an argument is what the last command printed, @box the status box in it.
func (p *play) session(ts *testscript.TestScript, args []string) error {
	if len(args)%2 != 0 {
		return fmt.Errorf("session: verbs and arguments come in pairs: %q", args)
	}
	for i := 0; i < len(args); i += 2 {
		arg := args[i+1]
		switch arg {
		case "@out":
			arg = ts.ReadFile("stdout")
		case "@box":
			out := ts.ReadFile("stdout")
			end := strings.Index(out, "┘")
			if end < 0 {
				return fmt.Errorf("the last command printed no box: %q", out)
			}
			arg = out[:end+len("┘")]
		}
		p.at += time.Second
		p.script.At(p.at)
		if err := p.row(args[i], arg); err != nil {
			return err
		}
	}
	ts.Setenv("NOW", p.now())
	data := string(p.script.Bytes())
	if p.host != "" {
		data = strings.ReplaceAll(data, `"version":"2.1.332"`, `"version":"`+p.host+`"`)
	}
	return os.WriteFile(p.path, []byte(data), 0o600)
}

func (p *play) row(verb, arg string) error {
	s := p.script
	switch verb {
	case "prompt":
		s.Prompt(arg)
	case "shell":
		s.Shell(arg, "done")
	case "call":
		p.calls = append(p.calls, s.Call("Bash", map[string]any{"command": arg, "description": "Run it"}))
	case "result":
		if len(p.calls) == 0 {
			return fmt.Errorf("result without a call")
		}
		last := len(p.calls) - 1
		s.Result(p.calls[last], arg, map[string]any{"stdout": arg, "stderr": "", "interrupted": false})
		p.calls = p.calls[:last]
	case "say":
		s.Say(arg)
		p.final = arg
	case "handoff", "launch":
		if p.tasks == nil {
			p.tasks = map[string]string{}
		}
		task, command, given := strings.Cut(arg, " ")
		switch {
		case verb == "launch":
			p.tasks[task] = s.Launch("./job.sh", task)
		case given:
			p.tasks[task] = s.Handoff(command, task)
		default:
			p.tasks[task] = s.Handoff("git push", task)
		}
	case "wake":
		s.Wake(arg, p.tasks[arg], "completed")
	case "feedback":
		s.Feedback(arg)
	case "apierror":
		s.Raw(fmt.Appendf(nil, `{"type":"assistant","isApiErrorMessage":true,"uuid":"e0000000-0000-4000-8000-000000000001",`+
			`"sessionId":%q,"timestamp":%q,"message":{"role":"assistant","content":[{"type":"text","text":%q}]}}`+"\n",
			scriptSession, s.Now().Format(time.RFC3339), arg))
		p.final = arg
	case "later":
		d, err := time.ParseDuration(arg)
		p.at += d
		return err
	case "host":
		p.host = arg
	case "raw":
		s.Raw([]byte(arg + "\n"))
	default:
		return fmt.Errorf("session: there is no verb %q", verb)
	}
	return nil
}
