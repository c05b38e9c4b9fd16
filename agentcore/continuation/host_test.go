package continuation_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// fakeVariable makes the test binary play the client, by the script that it names.
const fakeVariable = "CONTINUATION_FAKE_CLIENT"

// fakeClient is `claude -p` in as much as the host's loop sees of it: the first run
// launches a task and walks away, the resumed one does what the script says.
func fakeClient(script string) {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	call := func(id, name, input string) {
		fmt.Printf(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}}`+"\n", id, name, input)
	}
	result := func(subtype, text string, turns int) {
		fmt.Printf(`{"type":"result","subtype":%q,"num_turns":%d,"session_id":"s1","result":%q}`+"\n", subtype, turns, text)
	}
	fmt.Println(`{"type":"system","subtype":"init","session_id":"s1"}`)
	at := slices.Index(os.Args, "--resume")
	switch {
	case at < 0 && script == "capped":
		result("error_max_turns", "", 3)
	case at < 0:
		call("t1", "Bash", launch)
		result("success", "I will wait for it.", 2)
	case os.Args[at+1] != "s1" || !strings.Contains(string(prompt), "BashOutput"):
		result("error_during_execution", "resumed with "+os.Args[at+1]+": "+string(prompt), 1)
	case script == "collects":
		call("t2", "Read", `{"file_path":"/p/u/tasks/b1.output"}`)
		result("success", "All tests pass.", 2)
	case script == "dies":
		os.Exit(3)
	default:
		result("success", "It is surely done by now.", 1)
	}
}

func TestHost_AC159_AC161_AC162_AC163_loopAroundTheClient(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ script, answer, notice, err string }{
		{script: "collects", answer: "All tests pass."},
		{script: "talks", answer: "It is surely done by now.", notice: "1 background task was left behind"},
		{script: "capped", notice: "after 3 turns, and it had been given 200"},
		{script: "dies", answer: "I will wait for it.", err: "claude ended without a result"},
	} {
		t.Run(tt.script, func(t *testing.T) {
			t.Setenv(fakeVariable, tt.script)
			answer, notices, err := client{self}.turn(context.Background(), "-- build it")
			if answer != tt.answer || (err == nil) != (tt.err == "") {
				t.Errorf("answer %q, error %v, want %q and %q", answer, err, tt.answer, tt.err)
			}
			if err != nil {
				says(t, err.Error(), tt.err)
			}
			if (len(notices) > 0) != (tt.notice != "") {
				t.Errorf("notices: %q", notices)
			}
			says(t, strings.Join(notices, "\n"), tt.notice)
		})
	}
}
