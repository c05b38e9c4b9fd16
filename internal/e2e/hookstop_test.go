package e2e

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

// stopAnswers are what a Stop hook may do: its script, by name.
func stopAnswers() map[string]string {
	say := func(text string) string { return "printf '%s' '" + text + "'; " }
	const complain = "echo go on >&2; "
	return map[string]string{
		"silent":    "",
		"text":      say("all is well"),
		"exit1":     complain + "exit 1",
		"exit2":     complain + "exit 2",
		"exit2mute": "exit 2",
		"exit127":   "no-such-program-here",
		"missing":   "echo \"python3: can't open file '/x.py': [Errno 2] No such file or directory\" >&2; exit 2",
		"block":     say(`{"decision":"block","reason":"go on"}`),
		"block1":    say(`{"decision":"block","reason":"go on"}`) + "exit 1",
		"block2":    say(`{"decision":"block","reason":"go on"}`) + complain + "exit 2",
		"wordless":  say(`{"decision":"block"}`),
		"blank":     say(`{"decision":"block","reason":""}`),
		"approve":   say(`{"decision":"approve"}`),
		"approve2":  say(`{"decision":"approve"}`) + complain + "exit 2",
		"broken":    say(`{"decision":"block",}`),
		"broken1":   say(`{"decision":"block",}`) + "exit 1",
		"enum":      say(`{"decision":"deny","reason":"go on"}`),
		"null":      say(`{"decision":"block","reason":null}`),
		"words":     say(`I say {"decision":"block","reason":"go on"}`),
		"unclosed":  say(`{"decision":"block"`),
		"unknown":   say(`{"decision":"block","reason":"go on","mood":1}`),
		"feedback":  say(`{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"go on"}}`),
		"feedback1": say(`{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"go on"}}`) + "exit 1",
		"other":     say(`{"hookSpecificOutput":{"hookEventName":"SubagentStop","additionalContext":"go on"}}`),
		"message":   say(`{"systemMessage":"hello"}`),
		"message2":  say(`{"systemMessage":"hello"}`) + complain + "exit 2",
		"async":     say(`{"async":true}`),
	}
}

// One answer a turn, to the real client and to our host's side: the same stops are
// held (RT-50, RT-51).
func TestClient_stopHooksAsOurs(t *testing.T) {
	var script strings.Builder
	script.WriteString("x=$(cat); case \"$x\" in ")
	names := slices.Sorted(maps.Keys(stopAnswers()))
	replies := make([]Reply, 0, len(names)+1)
	for _, name := range names {
		script.WriteString("*'\"final " + name + ".\"'*) " + stopAnswers()[name] + ";; ")
		replies = append(replies, Says("please stop "+name+" now", Text("final "+name+".")))
	}
	script.WriteString("esac")
	s := stage(t, Setup{Install: func(*Stage) {}, Script: append(replies, Always("", Text("I gave in."))), Settings: map[string]any{"hooks": map[string]any{
		"Stop": []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": strings.ReplaceAll(script.String(), "; ;;", " ;;")}}}}}}})
	settings, err := hook.LoadSettings(filepath.Join(s.Config, "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	commands := hook.NewCommands(settings, hook.Options{ProjectDir: s.Project, Env: s.environ()})
	word := func(name string, held bool) string {
		if held {
			return name + " is held"
		}
		return name + " passes"
	}

	r := s.Stream()
	var client, ours []string
	for i, name := range names {
		r.Say("please stop " + name + " now")
		client = append(client, word(name, strings.Contains(r.AwaitResult(i+1).Get("result").String(), "I gave in.")))
		final := "final " + name + "."
		out, err := commands.Run(t.Context(), hookio.Payload{Event: hookio.Stop, LastAssistantMessage: &final})
		if err != nil {
			t.Fatal(err)
		}
		ours = append(ours, word(name, out.Block))
	}
	exits(t, r)
	if diff := cmp.Diff(client, ours); diff != "" {
		t.Errorf("(-client +ours):\n%s", diff)
	}
	if all := strings.Join(client, "\n"); strings.Count(all, "is held") < 8 || strings.Count(all, "passes") < 8 {
		t.Errorf("the stops prove nothing any more:\n%s", all)
	}
}
