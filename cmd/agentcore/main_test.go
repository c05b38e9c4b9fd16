package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/execctx/supervised"
)

// TestMain is the program as well, and a supervisor of its tasks.
func TestMain(m *testing.M) {
	supervised.RunIfSupervisor()
	testscript.Main(m, map[string]func(){"agentcore": main})
}

// TestScripts plays testdata/script/*.txtar with the program itself as the command
// agentcore. A script runs in an empty folder with a home of its own and with nothing
// of the developer's environment. Commands beside testscript's:
//
//	exits N COMMAND ARG...     the command ends with exit code N
//	row FILE PATH=VALUE...     some row of a JSONL file has all these values
//	json FILE PATH [VALUE]     a value of a JSON document (gjson path); ! json: the path is absent
//	events FILE KIND...        the kinds of a stream-json output, deltas left out
//
// FILE may be stdout, stderr, or transcript: the session's file, if there is one
// session. $STATE is the folder of sessions.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("STATE", filepath.Join(home, ".local", "state", "agentcore"))
			e.Setenv("ESC", "\x1b")
			e.Setenv("GORACE", "atexit_sleep_ms=50")
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"json": jsonCommand, "events": eventsCommand, "exits": exitsCommand, "row": rowCommand,
		},
	})
}

// read gives the text of a file by its name in scripts.
func read(ts *testscript.TestScript, name string) string {
	if name != "transcript" {
		return ts.ReadFile(name)
	}
	paths, err := filepath.Glob(filepath.Join(ts.Getenv("STATE"), "sessions", "*", "*.jsonl"))
	ts.Check(err)
	if len(paths) != 1 {
		ts.Fatalf("there are %d sessions, not one", len(paths))
	}
	return ts.ReadFile(paths[0])
}

func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 || neg && len(args) == 3 {
		ts.Fatalf("usage: json FILE PATH [VALUE]; ! json FILE PATH")
	}
	doc := read(ts, args[0])
	if !gjson.Valid(doc) {
		ts.Fatalf("%s is no JSON: %s", args[0], doc)
	}
	got := gjson.Get(doc, args[1])
	switch {
	case neg && got.Exists():
		ts.Fatalf("%s has %s: %s", args[0], args[1], got)
	case neg:
	case !got.Exists():
		ts.Fatalf("%s has no %s: %s", args[0], args[1], doc)
	case len(args) == 3 && got.String() != args[2]:
		ts.Fatalf("%s: %s is %q, want %q", args[0], args[1], got.String(), args[2])
	}
}

// eventsCommand compares the kinds of events.
func eventsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: events FILE KIND...")
	}
	var kinds []string
	for line := range strings.Lines(read(ts, args[0])) {
		if !gjson.Valid(line) {
			ts.Fatalf("no JSON: %q", line)
		}
		if kind := gjson.Get(line, "type").String(); !strings.HasSuffix(kind, "_delta") {
			kinds = append(kinds, kind)
		}
	}
	if got, want := strings.Join(kinds, " "), strings.Join(args[1:], " "); got != want {
		ts.Fatalf("events\n%s\nwant\n%s", got, want)
	}
}

// rowCommand looks for a row of a JSONL file in which all of PATH=VALUE hold.
func rowCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: row FILE PATH=VALUE...")
	}
	doc := read(ts, args[0])
	for line := range strings.Lines(doc) {
		all := true
		for _, arg := range args[1:] {
			path, value, _ := strings.Cut(arg, "=")
			all = all && gjson.Get(line, path).String() == value
		}
		if all {
			if neg {
				ts.Fatalf("there is such a row: %s", line)
			}
			return
		}
	}
	if !neg {
		ts.Fatalf("no row with %v in\n%s", args[1:], doc)
	}
}

// exitsCommand runs the program and compares its exit code.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG]...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
