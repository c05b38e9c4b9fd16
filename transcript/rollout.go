package transcript

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// rolloutRow reads one row of a Codex session, $CODEX_HOME/sessions/**/rollout-*.jsonl:
// {timestamp, type, payload}. The shapes were seen in files that codex-cli 0.171.0
// wrote; those of older versions (user_message, exec_command_end, local_shell_call)
// follow the types of its public source.
func rolloutRow(f *foreign, row gjson.Result) {
	at := parseTime(row.Get("timestamp"))
	p := row.Get("payload")
	switch str(row.Get("type")) {
	case "turn_context":
		f.turnID = str(p.Get("turn_id"))
	case "event_msg":
		rolloutEvent(f, p, at)
	case "response_item":
		rolloutItem(f, p, at)
	}
}

// rolloutEvent reads what the host reports about the turn.
func rolloutEvent(f *foreign, p gjson.Result, at time.Time) {
	switch str(p.Get("type")) {
	case "task_started", "turn_started":
		f.turnID = str(p.Get("turn_id"))
	case "user_message": // older versions: beside the message itself
		f.prompt(str(p.Get("message")), f.rolloutKey(p), "", at)
	case "exec_command_end":
		f.add(ranStep(p, str(p.Get("call_id"))), "", at)
	case "item_completed":
		if item := p.Get("item"); str(item.Get("type")) == "CommandExecution" {
			f.add(ranStep(item, str(item.Get("id"))), "", at)
		}
	}
}

func ranStep(v gjson.Result, id string) step {
	s := step{kind: stepRan, id: id, text: argv(v.Get("command"))}
	if code := v.Get("exit_code"); code.Type == gjson.Number {
		n := int(code.Int())
		s.exit, s.fail = &n, n != 0
	}
	return s
}

// rolloutItem reads what went to the model and came from it.
func rolloutItem(f *foreign, p gjson.Result, at time.Time) {
	id := str(p.Get("id"))
	switch kind := str(p.Get("type")); kind {
	case "message":
		switch text := rolloutText(p); str(p.Get("role")) {
		case "assistant":
			f.say(text, id, at)
		case "user":
			switch {
			case strings.HasPrefix(text, "<hook_prompt"):
				f.add(step{kind: stepRemediation, text: text}, id, at)
			case byPerson(p, text):
				f.prompt(text, f.rolloutKey(p), id, at)
			}
		}
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call", "image_generation_call":
		s := step{kind: stepCall, id: cmp.Or(str(p.Get("call_id")), id), input: p.Get("arguments")}
		s.call.Name = strings.Clone(cmp.Or(str(p.Get("name")), strings.TrimSuffix(kind, "_call")))
		if s.call.Name == "apply_patch" {
			s.call.FilePath = patchedFile(cmp.Or(str(p.Get("input")), str(gjson.Get(str(p.Get("arguments")), "input"))))
		}
		if kind == "local_shell_call" {
			s.input = p.Get("action")
		}
		f.add(s, id, at)
	case "function_call_output", "custom_tool_call_output":
		f.add(rolloutResult(p), id, at)
	}
}

// rolloutKey names the cycle of a prompt: the turn, which a hook's block does not end.
func (f *foreign) rolloutKey(p gjson.Result) string {
	return cmp.Or(str(p.Get("internal_chat_message_metadata_passthrough.turn_id")), f.turnID, str(p.Get("id")),
		"row "+strconv.FormatInt(f.row, 10))
}

// byPerson tells a prompt from what the harness says in the user's role. Versions
// that mark who wrote a message are believed; before, the harness used tags.
func byPerson(p gjson.Result, text string) bool {
	if from := p.Get("internal_chat_message_metadata_passthrough.content_item_metadata.#.provenance.type"); len(from.Array()) > 0 {
		for _, v := range from.Array() {
			if v.Str == "user" {
				return true
			}
		}
		return false
	}
	return text != "" && !strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "# AGENTS.md instructions")
}

// rolloutText joins the text of a message.
func rolloutText(p gjson.Result) string {
	var parts []string
	p.Get("content").ForEach(func(_, c gjson.Result) bool {
		if t := str(c.Get("text")); t != "" {
			parts = append(parts, t)
		}
		return true
	})
	return strings.Join(parts, "\n")
}

// rolloutResult reads a tool's output: words, or (older versions) words and a code
// in a JSON object, or content items.
func rolloutResult(p gjson.Result) step {
	s := step{kind: stepResult, id: str(p.Get("call_id"))}
	out := p.Get("output")
	text := str(out)
	if out.IsObject() {
		text = str(out.Get("content"))
		s.fail = out.Get("success").Type == gjson.False
	}
	if strings.HasPrefix(text, "{") && gjson.Valid(text) {
		if code := gjson.Get(text, "metadata.exit_code"); code.Type == gjson.Number {
			n := int(code.Int())
			s.exit = &n
		}
	}
	if s.exit == nil {
		s.exit = exitCode(cut(text, 400), "exited with code ", "Exit code: ")
	}
	s.fail = s.fail || s.exit != nil && *s.exit != 0 || strings.HasPrefix(text, "Command blocked by ") ||
		strings.HasPrefix(text, "exec_command failed")
	return s
}

// patchedFile is the first file that a patch names.
func patchedFile(patch string) string {
	for line := range strings.Lines(patch) {
		if op, path, ok := strings.Cut(strings.TrimSpace(line), " File: "); ok && strings.HasPrefix(op, "*** ") {
			return strings.Clone(path)
		}
	}
	return ""
}
