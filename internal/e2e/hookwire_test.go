package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

// answers are what a PreToolUse hook may print, by name, and how it ends.
func answers() map[string]struct {
	stdout string
	exit   string
} {
	type answer = struct {
		stdout string
		exit   string
	}
	specific := func(rest string) string { return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + rest + `}}` }
	return map[string]answer{
		"silent":       {"", "0"},
		"text":         {"all is well", "0"},
		"exit1":        {"", "1"},
		"exit2":        {"", "2"},
		"allow":        {specific(`"permissionDecision":"allow"`), "0"},
		"allow2":       {specific(`"permissionDecision":"allow"`), "2"},
		"deny":         {specific(`"permissionDecision":"deny","permissionDecisionReason":"no"`), "0"},
		"deny1":        {specific(`"permissionDecision":"deny"`), "1"},
		"ask":          {specific(`"permissionDecision":"ask"`), "0"},
		"block":        {`{"decision":"block","reason":"no"}`, "0"},
		"block1":       {`{"decision":"block"}`, "1"},
		"approve":      {`{"decision":"approve"}`, "0"},
		"broken":       {`{"decision":"block",}`, "0"},
		"broken2":      {`{"decision":"block",}`, "2"},
		"enum":         {`{"decision":"deny","reason":"no"}`, "0"},
		"null":         {`{"decision":"block","reason":null}`, "0"},
		"number":       {`{"decision":"block","reason":5}`, "0"},
		"words":        {`hello {"decision":"block","reason":"no"}`, "0"},
		"mark":         {"\ufeff" + `{"decision":"block","reason":"no"}`, "0"},
		"unknown":      {`{"decision":"block","reason":"no","mood":1}`, "0"},
		"nameless":     {`{"hookSpecificOutput":{"permissionDecision":"deny"}}`, "0"},
		"other":        {`{"hookSpecificOutput":{"hookEventName":"PostToolUse"}}`, "0"},
		"otherblock":   {`{"decision":"block","hookSpecificOutput":{"hookEventName":"PostToolUse"}}`, "0"},
		"lines":        {"{\"a\":1}\n{\"b\":2}", "0"},
		"linesblock":   {"{\"a\":1}\n{\"decision\":\"block\",\"reason\":\"no\"}", "0"},
		"unclosed":     {`{ "decision": "block"`, "0"},
		"input":        {specific(`"permissionDecision":"allow","updatedInput":{"command":"touch ran-input-changed"}`), "0"},
		"inputalone":   {specific(`"updatedInput":{"command":"touch ran-inputalone-changed"}`), "0"},
		"inputlist":    {specific(`"updatedInput":[1]`), "0"},
		"continuetrue": {`{"continue":true,"decision":"block","reason":"no"}`, "0"},
	}
}

// answering is a hook that answers as the command's name asks for: "touch ran-NAME".
func answering() string {
	var b strings.Builder
	b.WriteString("x=$(cat); case \"$x\" in ")
	all := answers()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.WriteString("*'ran-" + name + "\"'*) printf '%s' '" + all[name].stdout + "'; echo said-" + name + " >&2; exit " + all[name].exit + ";; ")
	}
	return b.String() + "esac"
}

// The same settings and the same calls, once with the real client and once with our
// host's side of hooks: what runs there runs here, and what is refused is refused
// (RT-50). And what the client writes to a hook is what we would have written.
func TestClient_hooksAsOurs(t *testing.T) {
	recorded := t.TempDir()
	record := func(event string) map[string]any {
		return map[string]any{"type": "command", "command": "cat > " + recorded + "/" + event + ".$$; echo $PPID-$PWD >/dev/null"}
	}
	group := func(matcher string, hooks ...any) map[string]any {
		return map[string]any{"matcher": matcher, "hooks": hooks}
	}
	touch := func(name string) map[string]any {
		return map[string]any{"type": "command", "command": "touch " + recorded + "/m-" + name}
	}
	s := stage(t, Setup{Install: func(*Stage) {}, Settings: map[string]any{"hooks": map[string]any{
		"SessionStart":     []any{group("", record("SessionStart")), group("resume", touch("resume")), group("startup|clear", touch("startup"))},
		"UserPromptSubmit": []any{group("never", record("UserPromptSubmit"))},
		"PreToolUse": []any{group("Bash", map[string]any{"type": "command", "command": answering()}, record("PreToolUse")),
			group("Ba", touch("part")), group("B.s", touch("pattern")), group("Edit, Bash", touch("comma")), group("^a", touch("no")),
			group("bash", touch("case")), group("*", touch("star")), group("a(", touch("broken"))},
		"PostToolUse": []any{group("Edit|Bash", record("PostToolUse"))},
		"Stop":        []any{group("never", record("Stop"))},
		"SessionEnd":  []any{group("other", record("SessionEnd"))},
	}}})
	names := slices.Sorted(maps.Keys(answers()))
	parts := []Block{Text("I try all.")}
	for _, name := range names {
		parts = append(parts, Bash("touch ran-"+name))
	}
	s.Script(Says("start it", parts...), Says("TOOL_RESULT", Text("Done.")))
	r := s.Print("please start it")
	success(t, r.AwaitResult(1), "Done.")
	exits(t, r)

	settings, err := hook.LoadSettings(filepath.Join(s.Config, "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	commands := hook.NewCommands(settings, hook.Options{ProjectDir: s.Project, Env: os.Environ()})
	ran := func(name string) bool { _, err := os.Stat(filepath.Join(s.Project, "ran-"+name)); return err == nil }
	theirs := markers(t, recorded)
	sent := payloads(t, recorded) // before ours come on top

	var client, ours []string
	for _, name := range names {
		input, _ := json.Marshal(map[string]string{"command": "touch ran-" + name})
		out, err := commands.Run(t.Context(), hookio.Payload{Event: hookio.PreToolUse, CWD: s.Project, ToolName: "shell", ToolInput: input})
		if err != nil {
			t.Fatal(err)
		}
		client = append(client, verdict(name, ran(name), ran(name+"-changed")))
		runs := out.Permission != hookio.PermitDeny && out.Permission != hookio.PermitAsk && !out.Block // nobody is there to be asked
		ours = append(ours, verdict(name, runs && out.UpdatedInput == nil, runs && out.UpdatedInput != nil))
	}
	if diff := cmp.Diff(client, ours); diff != "" {
		t.Errorf("what runs (-client +ours):\n%s", diff)
	}
	if _, err := commands.Run(t.Context(), hookio.Payload{Event: hookio.SessionStart, Source: "startup"}); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(client, "\n"); strings.Count(all, "is refused") < 10 || strings.Count(all, " runs") < 10 {
		t.Errorf("the calls prove nothing any more:\n%s", all)
	}
	if diff := cmp.Diff(theirs, markers(t, recorded)); diff != "" {
		t.Errorf("what matches (-client +ours):\n%s", diff)
	}
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"} {
		if len(sent[event]) == 0 {
			t.Errorf("%s: the client called no hook", event)
		}
		for _, data := range sent[event] {
			sameWire(t, event, data)
		}
	}
}

func verdict(name string, ran, changed bool) string {
	switch {
	case changed:
		return name + " runs changed"
	case ran:
		return name + " runs"
	}
	return name + " is refused"
}

// markers lists the touched files and removes them.
func markers(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "m-*"))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		os.Remove(f)
		files[i] = filepath.Base(f)
	}
	return files
}

func payloads(t *testing.T, dir string) map[string][][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "[A-Z]*.*"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		event, _, _ := strings.Cut(filepath.Base(f), ".")
		all[event] = append(all[event], data)
	}
	return all
}

// sameWire writes what the client wrote, and compares it member by member.
func sameWire(t *testing.T, event string, data []byte) {
	t.Helper()
	ev, err := hookio.Decode(data, hookio.HostAuto)
	if err != nil || ev.Host != hookio.HostClaudeCode {
		t.Fatalf("%s: %v of host %q", event, err, ev.Host)
	}
	extra := gjson.ParseBytes(data)
	p := hookio.Payload{Event: ev.Name, SessionID: ev.SessionID, TranscriptPath: ev.TranscriptPath, CWD: ev.CWD, PromptID: ev.PromptID,
		PermissionMode: "default", Effort: "medium", LastAssistantMessage: ev.LastAssistantMessage, BackgroundTasks: ev.BackgroundTasks,
		SessionCrons: ev.SessionCrons, ToolName: ev.ToolName, ToolInput: ev.ToolInput, ToolUseID: ev.ToolUseID, Prompt: ev.Prompt,
		Source: ev.Source, Reason: extra.Get("reason").Str, ToolResponse: json.RawMessage(extra.Get("tool_response").Raw)}
	if ms := extra.Get("duration_ms"); ms.Exists() {
		n := ms.Int()
		p.DurationMS = &n
	}
	ours, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	members := func(object []byte) (list []string) {
		gjson.ParseBytes(object).ForEach(func(k, v gjson.Result) bool {
			list = append(list, k.Str+"="+v.Raw)
			return true
		})
		return list
	}
	if diff := cmp.Diff(members(data), members(ours)); diff != "" {
		t.Errorf("%s (-client +ours):\n%s", event, diff)
	}
}
