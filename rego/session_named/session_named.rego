# METADATA
# title: Session name
# description: The session has a name, so that people can tell it from others.
# custom:
#   code: stop-hook.session_unnamed
#   severity: block
#   deferrable: false
#   events: [Stop]
#   order: 40
#   brief: "Name this session once with `{{command}} name{{session}} \"short name\"`."
package stophook.rules.session_named

demand contains {"text": concat("", ["Session name: name this session once: run `", input.self.command, " name", session, " \"short name\"`."])} if {
	input.turn.is_tool_turn
	not input.evidence.session_named
}

# Elsewhere than in Claude Code no variable of the shell need tell which session it is.
session := object.get(input.self, "session_flag", "")
