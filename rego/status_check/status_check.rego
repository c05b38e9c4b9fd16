# METADATA
# title: Status check
# description: A tool turn ends with a guarded status check, made after its last other tool call.
# custom:
#   code: stop-hook.status_check_missing
#   severity: block
#   deferrable: true
#   events: [Stop]
#   order: 10
#   brief: "Before you end a turn that used tools, run `{{command}} status{{session}} --end-turn` as the last command and show the box that it prints."
package stophook.rules.status_check

demand contains {"text": concat("", [why, " Run `", input.self.command, " status", session, " --end-turn` as the last command of this turn.", git])} if {
	input.turn.is_tool_turn
	not input.evidence.status_check
}

why := "Status check: the one of this turn is older than your last tool call." if input.evidence.stale_check

else := "Status check: this turn used tools and has none."

git := " It refuses while your work is uncommitted, unpushed or behind: it then says what to do." if input.config.require_git_finalization

else := ""

# Elsewhere than in Claude Code no variable of the shell need tell which session it is.
session := object.get(input.self, "session_flag", "")
