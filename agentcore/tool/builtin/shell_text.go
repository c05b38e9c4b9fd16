package builtin

import (
	_ "embed"
	"strings"

	"github.com/stophook/stophook/agentcore/tool"
)

// What the model reads about the shell: shell.md always, shell_background.md where
// commands can be tasks, and one of the others for who collects them.
var (
	//go:embed shell.md
	shellText string
	//go:embed shell_background.md
	shellBackgroundText string
	//go:embed shell_interactive.md
	shellInteractiveText string
	//go:embed shell_headless.md
	shellHeadlessText string
	//go:embed shell_subagent.md
	shellSubagentText string
)

// describe puts the description together. It names no tool that is not offered
// beside it.
func (s *shell) describe(o tool.Offer) string {
	text := shellText
	if o.Background {
		text += shellBackgroundText
		switch {
		case o.Subagent: // AC-16
			text += shellSubagentText
		case o.Headless: // D-04
			text += shellHeadlessText
		default: // AC-15
			text += shellInteractiveText
		}
	}
	return strings.NewReplacer("{default}", ms(s.opts.DefaultTimeout), "{max}", ms(s.opts.MaxTimeout),
		"{kill}", when(o.Kill, " shell_kill ends a task."),
		"{wait}", when(o.Wait, " Use wait_task only when the very next step needs the result."),
		"{collect}", choose(o.Wait, "wait for its end with wait_task, then read its output", "read its output until it is complete"),
		"{stop}", when(o.Kill, ", or end it with shell_kill when nobody needs it any more"),
	).Replace(text)
}

// guidance is what the model does next, in the result of a call that left a task.
func guidance(o tool.Offer) string {
	read := "It runs in the background; read_file on that path shows its output."
	switch {
	case o.Subagent:
		return read + " Give its task_id in your summary and end your turn: the agent that you answer to is told when it has ended."
	case o.Headless:
		return read + " Nothing wakes you after your turn: collect the task before you end it."
	}
	return read + " Do not poll: go on with other work or end your turn, and a <task-notification> tells you when it has ended."
}

func when(yes bool, text string) string { return choose(yes, text, "") }

func choose(yes bool, text, otherwise string) string {
	if yes {
		return text
	}
	return otherwise
}
