# METADATA
# title: Quiet hours
# description: Nothing is pushed or deployed at night.
# schemas:
#   - input: schema.input
# custom:
#   code: example.quiet_hours
#   severity: block
#   events: [PreToolUse, Stop]
package stophook.rules.quiet_hours

# Parameters, all optional:
#
#   params:
#     quiet_hours:
#       from: "22:00"
#       to: "07:00"                         # may lie behind midnight; the same as from: never quiet
#       utc_offset_minutes: 120             # what the clock there is ahead of UTC
#       commands: [git push, make deploy]   # what is not run then, by its first words
#
# The command is stopped before it runs (PreToolUse), because afterwards it is too late. At Stop the rule holds
# nobody up: it tells the person what waits for the morning.
#
# What this rule cannot see, and what it does about it:
#   - The zone of the machine, and daylight saving time: input.now is in UTC, and policies have no other clock.
#     Change the offset twice a year, or take an hour more at both ends.
#   - Commands inside scripts, make targets and `bash -c`: name the script. Quoted text can look like a command;
#     then the agent is told so and can write it to a file instead.
#   - Other ways to push, such as a tool of an MCP server.

demand contains {"text": text} if {
	input.host.event == "PreToolUse"
	quiet
	some command in commands
	regex.match(pattern_of([command]), input.tool.input.command)
	text := sprintf("Quiet hours: `%s` is not run between %s and %s, and it is %s. Keep the work until then: `git commit`.", [command, from, to, clock])
}

notice contains sprintf("Quiet hours: %d commits wait to be pushed after %s.", [git.ahead, to]) if {
	input.host.event == "Stop"
	quiet
	git := input.evidence.status_check.git
	git.ahead > 0
}

settings := object.get(input.config.params, "quiet_hours", {})

from := object.get(settings, "from", "22:00")

to := object.get(settings, "to", "07:00")

commands := object.get(settings, "commands", ["git push", "gh pr merge", "gh release", "npm publish", "kubectl apply", "terraform apply", "make deploy", "make release"])

# Minutes since midnight there. The remainder of a negative number is negative, hence the second 1440.
now := (((minutes(substring(input.now, 11, 5)) + object.get(settings, "utc_offset_minutes", 0)) % 1440) + 1440) % 1440

clock := sprintf("%02d:%02d", [floor(now / 60), now % 60])

quiet if ((now - minutes(from)) + 1440) % 1440 < ((minutes(to) - minutes(from)) + 1440) % 1440

minutes(text) := (to_number(parts[0]) * 60) + to_number(parts[1]) if parts := split(text, ":")

# pattern_of matches a command line that begins one of the commands: at its start, behind && || ; | & ( or a new
# line, and behind what only wraps it. It is text, and all there is: quoted text can look like a command.
pattern_of(words) := sprintf(`(?:^|[;&|(\n])\s*(?:(?:time|sudo|env|command|timeout \S+|\w+=\S*)\s+)*(?:%s)(?:$|[\s;&|)])`, [alternatives]) if {
	alternatives := concat("|", [regex.replace(c, `[.+*?^$(){}|\[\]\\]`, `\$0`) | some c in words])
	alternatives != ""
}
