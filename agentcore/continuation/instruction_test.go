package continuation_test

import (
	"strings"
	"testing"

	"github.com/stophook/stophook/agentcore/continuation"
)

// readers are all whom an instruction can be for.
func readers() map[string]continuation.Reader {
	all := map[string]continuation.Reader{}
	for _, mode := range []continuation.Mode{continuation.Headless, continuation.Interactive} {
		for _, dialect := range []continuation.Dialect{continuation.Native, continuation.Claude} {
			for _, who := range []string{"main", "subagent"} {
				name := strings.Join([]string{string(dialect), string(mode), who}, "_")
				all[name] = continuation.Reader{Mode: mode, Dialect: dialect, Subagent: who == "subagent"}
			}
		}
	}
	all["no_background"] = continuation.Reader{NoBackground: true}
	return all
}

func TestInstruction_AC165(t *testing.T) {
	t.Parallel()
	for name, r := range readers() {
		text := continuation.Instruction(r)
		golden(t, "instruction_"+name, text)
		says(t, text, "anything that keeps running after the call that started it has returned", "&", "nohup", "tmux", "container")
		saysNot(t, text, "  ")
		if r.NoBackground { // AC-2: it hears of nothing that it cannot do
			saysNot(t, text, "run_in_background", "task", "notification")
			continue
		}
		says(t, text, "run_in_background")
		if r.Dialect == continuation.Claude {
			saysNot(t, text, "wait_task", "shell_kill", "read_file")
		} else {
			saysNot(t, text, "BashOutput", "TaskOutput", "KillShell", ".output file")
		}
		if r.Subagent && r.Dialect == continuation.Native { // AC-16
			says(t, text, "task_id", "summary", "end your turn")
		}
	}
}

// A text says one thing of how a turn ends: collect first, or end and be woken.
func TestInstruction_D04_neverBoth(t *testing.T) {
	t.Parallel()
	for name, r := range readers() {
		text := continuation.Instruction(r)
		collect, woken := strings.Contains(text, "Before you end"), strings.Contains(text, "wakes you.\n")
		switch {
		case r.Subagent || r.NoBackground:
			if woken {
				t.Errorf("%s: nothing wakes it, and the text says so:\n%s", name, text)
			}
		case collect == woken || woken != (r.Mode == continuation.Interactive):
			t.Errorf("%s: collect %v, woken %v:\n%s", name, collect, woken, text)
		}
	}
}

// No text names a tool that the agent does not have.
func TestInstruction_AC2_onlyToolsThatAreThere(t *testing.T) {
	t.Parallel()
	for name, r := range readers() {
		if r.Dialect == continuation.Claude {
			continue
		}
		r.Tools = &continuation.Tools{}
		text := continuation.Instruction(r)
		saysNot(t, text, "wait_task", "shell_kill", "read_file", "  ")
		r.Tools = &continuation.Tools{Read: "cat_file", Wait: "await", Kill: "end_it"}
		if r.Mode == continuation.Headless && !r.NoBackground {
			says(t, continuation.Instruction(r), "cat_file", "await", "end_it")
		} else if t.Failed() {
			t.Log(name)
		}
	}
}
