# METADATA
# title: Status box
# description: The box that the status check printed stands in the assistant's own text, with the id of this turn's check.
# custom:
#   code: stop-hook.status_box_missing
#   severity: block
#   deferrable: true
#   events: [Stop]
#   order: 20
package stophook.rules.status_box

demand contains {"text": concat("", ["Status box: ", what, " in your reply text, its first line with the check id included."])} if {
	due
	not input.evidence.status_box
}

due if input.turn.is_tool_turn

due if input.config.box_on_prose

what := concat("", ["show the box of check ", input.evidence.status_check.check_id, ", as the status check printed it,"]) if input.evidence.status_check

else := concat("", ["show the box that `", input.self.command, " status", session, " --end-turn` prints"])

# Elsewhere than in Claude Code no variable of the shell need tell which session it is.
session := object.get(input.self, "session_flag", "")
