package transcript

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/transcript/shell"
)

// fold derives the turn from the steps, as [fold.turn] does from Claude Code's rows.
func (f *foreign) fold() {
	s := f.session
	t := &s.Turn
	t.Origin, t.Tools, t.Boxes, t.FinalTextSource = "unknown", []ToolCall{}, []Box{}, "none"
	turnAt := f.walk(t)
	f.calls(t, turnAt)
	f.texts(t, turnAt)
	if s.WindowOffset > 0 && !t.Complete {
		s.Blind = append(s.Blind, BlindWindowCut)
	}
	if s.Rows > 0 && len(f.steps) == 0 {
		s.Blind = append(s.Blind, BlindUnknownShape)
	}
}

// walk finds where the turn began: at the latest prompt that is no hook's reason.
func (f *foreign) walk(t *Turn) (turnAt int) {
	turnAt = -1
	for i := len(f.steps) - 1; i >= 0; i-- {
		switch s := f.steps[i]; s.kind {
		case stepRemediation:
			if t.Remediation < maxRemediation {
				t.Remediation++
			}
		case stepPrompt:
			t.StartedAt, t.Complete, t.Origin = clonePosition(s.at), true, "human"
			t.PromptUUID, t.PromptAt = strings.Clone(s.id), s.at.Time
			return i
		}
	}
	t.Complete = f.session.WindowOffset == 0
	return turnAt
}

func clonePosition(p Position) Position {
	p.UUID = strings.Clone(p.UUID)
	return p
}

// calls gathers the turn's tool calls with their results.
func (f *foreign) calls(t *Turn, turnAt int) {
	steps := slices.DeleteFunc(slices.Clone(f.steps[turnAt+1:]), func(s step) bool {
		return s.kind != stepCall && s.kind != stepResult && s.kind != stepRan
	})
	room := textsLimit
	var tools []ToolCall
	seen := map[string]bool{}
	for i := len(steps) - 1; i >= 0; i-- { // the latest calls keep their texts
		s := steps[i]
		if s.kind != stepCall || s.id != "" && seen[s.id] {
			continue
		}
		seen[s.id] = true
		c := s.call
		c.ID, c.At = strings.Clone(s.id), clonePosition(s.at)
		room -= c.take(s.input, room)
		tools = append(tools, c)
	}
	slices.Reverse(tools)
	tools = f.settle(tools, steps)
	t.ToolCalls, t.IsToolTurn = len(tools), len(tools) > 0
	t.Tools = append(t.Tools, tools[max(0, len(tools)-MaxTools):]...)
	for _, c := range t.Tools {
		at := c.At.Time
		if c.ResultTime.After(at) {
			at = c.ResultTime
		}
		if at.After(t.LastToolAt) {
			t.LastToolAt = at
		}
		if c.Evidence == "" && at.After(t.LastOtherToolAt) {
			t.LastOtherToolAt = at
		}
	}
}

// settle adds results to their calls. A command that ran without a call of its own
// was run by a script tool: it takes that tool's place, because the tool itself says
// nothing of what it did.
func (f *foreign) settle(tools []ToolCall, steps []step) []ToolCall {
	at := make(map[string]int, len(tools))
	for i, c := range tools {
		at[c.ID] = i
	}
	var ran []ToolCall
	for _, s := range steps {
		if s.kind == stepCall {
			continue
		}
		i, ok := at[s.id]
		if !ok {
			if s.kind == stepRan {
				c := ToolCall{ID: strings.Clone(s.id), Name: "exec_command", At: clonePosition(s.at), ResultTime: s.at.Time,
					Failed: s.fail, ExitCode: s.exit}
				c.command(s.text)
				ran = append(ran, c)
			}
			continue
		}
		c := &tools[i]
		c.ResultTime = s.at.Time
		c.Failed = c.Failed || s.fail
		if s.exit != nil && *s.exit != 0 {
			c.ExitCode = s.exit
		}
	}
	if len(ran) == 0 {
		return tools
	}
	tools = slices.DeleteFunc(tools, func(c ToolCall) bool {
		return c.Name == "exec" && slices.ContainsFunc(ran, func(r ToolCall) bool {
			return !r.At.Time.Before(c.At.Time) && !r.At.Time.After(c.ResultTime)
		})
	})
	tools = append(tools, ran...)
	slices.SortStableFunc(tools, func(a, b ToolCall) int { return int(min(max(a.At.Offset-b.At.Offset, -1), 1)) })
	return tools
}

// texts finds the final text and the boxes in what the agent said.
func (f *foreign) texts(t *Turn, turnAt int) {
	for i, s := range f.steps {
		if s.kind != stepText {
			continue
		}
		if i > turnAt {
			t.FinalText, t.FinalTextSource = s.text, "transcript"
		}
		if i > turnAt || !t.Untimed && s.at.Offset >= f.session.Size-f.opts.BoxWindow {
			for _, id := range checkIDs(s.text) {
				t.Boxes = append(t.Boxes, Box{CheckID: id, Source: "transcript", Offset: s.at.Offset})
			}
		}
	}
	t.FinalText = strings.Clone(t.FinalText)
	slices.Reverse(t.Boxes) // the latest first, as elsewhere
	if last := f.opts.LastAssistantMessage; last != nil {
		t.FinalText, t.FinalTextSource = *last, "payload"
		for _, id := range checkIDs(*last) {
			t.Boxes = append(t.Boxes, Box{CheckID: id, Source: "final_text", Offset: -1})
		}
	}
}

// take reads a call's input, under the names that the hosts use, and tells how many
// bytes of text it kept.
func (c *ToolCall) take(input gjson.Result, room int) int {
	if input.Type == gjson.String && gjson.Valid(input.Str) {
		input = gjson.Parse(input.Str)
	}
	file := c.FilePath // of a patch, known already
	in := c.readInput(input)
	kept := c.keepTexts(in, room)
	c.FilePath = cmp.Or(file, c.FilePath, strings.Clone(firstOf(input, "absolute_path", "filePath", "target_file")))
	c.Background = c.Background || isTrue(input.Get("is_background"))
	if !foreignShell(c.Name) {
		c.Command, c.Evidence = "", ""
		return kept
	}
	command := input.Get("command")
	switch {
	case str(input.Get("cmd")) != "":
		c.command(str(input.Get("cmd")))
	case command.IsArray():
		c.command(argv(command))
	case str(command) != "":
		c.command(str(command))
	}
	return kept
}

// command sets the command of a shell call, and whether it is evidence.
func (c *ToolCall) command(text string) {
	c.Command = strings.Clone(cut(text, commandLimit))
	c.Cut = c.Cut || len(text) > commandLimit
	c.Evidence = ""
	if shell.MayBeEvidence(text) {
		c.Evidence = shell.Parse(text, shell.Options{}).EvidenceCall()
	}
}

// argv is the script of a command line: what stands behind -c of a shell, or all words.
func argv(list gjson.Result) string {
	words := list.Array()
	if n := len(words); n >= 3 && strings.HasPrefix(words[n-2].Str, "-") && strings.HasSuffix(words[n-2].Str, "c") {
		return words[n-1].Str
	}
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = w.Str
	}
	return strings.Join(parts, " ")
}

// foreignShell tells the tools of other hosts whose command is shell text.
func foreignShell(name string) bool {
	switch name {
	case "run_shell_command", "bash", "local_shell", "container.exec", "Execute", "run_terminal_cmd", "run_in_terminal":
		return true
	}
	return shellTool(name)
}

// exitCode reads the number behind one of the marks in the head of a tool's output.
func exitCode(text string, marks ...string) *int {
	text = cut(text, 64<<10)
	for _, mark := range marks {
		_, rest, ok := strings.Cut(text, mark)
		if !ok {
			continue
		}
		n, digits := 0, 0
		for digits < len(rest) && digits < 9 && rest[digits] >= '0' && rest[digits] <= '9' {
			n = n*10 + int(rest[digits]-'0')
			digits++
		}
		if digits > 0 {
			return &n
		}
	}
	return nil
}
