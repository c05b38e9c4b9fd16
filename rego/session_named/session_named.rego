# METADATA
# title: Session name
# description: The session has a name, so that people can tell it from others.
# custom:
#   code: stop-hook.session_unnamed
#   severity: block
#   deferrable: false
#   events: [Stop]
#   order: 40
#   brief: "Name this session once with `{{command}} name \"short name\"`."
package stophook.rules.session_named

demand contains {"text": concat("", ["Session name: name this session once: run `", input.self.command, " name \"short name\"`."])} if {
	input.turn.is_tool_turn
	not input.evidence.session_named
}
