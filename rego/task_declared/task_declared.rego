# METADATA
# title: Task declaration
# description: The session says what it is working on, once, or once a human prompt with task_scope turn.
# custom:
#   code: stop-hook.task_undeclared
#   severity: block
#   deferrable: false
#   events: [Stop]
#   order: 30
#   brief: "Say what you work on with `{{command}} task{{session}} \"one line\"`."
package stophook.rules.task_declared

demand contains {"text": concat("", ["Task: say what you are working on", scope, ": run `", input.self.command, " task", session, " \"one line\"`."])} if {
	input.turn.is_tool_turn
	not input.evidence.task_declared
}

scope := " for this prompt" if input.config.task_scope == "turn"

else := ""

# Elsewhere than in Claude Code no variable of the shell need tell which session it is.
session := object.get(input.self, "session_flag", "")
