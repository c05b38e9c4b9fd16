# METADATA
# title: No claim without a command
# description: A reply that says "tests pass" or "verified" stands on a command of this turn that could show it.
# schemas:
#   - input: schema.input
# custom:
#   code: example.claim_without_command
#   severity: block
package stophook.rules.no_claim_without_command

# Parameters, optional: what counts as a claim, and which commands can show it. `says` is a regular expression
# for one sentence, in lower case; `shown_by` are commands by their first words, and without any, every call that
# looks at something (a shell command, Read, Grep) will do.
#
#   params:
#     no_claim_without_command:
#       - {says: '\btests? pass', shown_by: [make test]}
#       - {says: '\bdeployed\b', shown_by: [make deploy, kubectl rollout status]}
#
# The reply is the one text in which words are looked for, because here the words are the matter. A sentence that
# negates, doubts or only plans is no claim, and neither is what is quoted or stands in code.
#
# What this rule cannot see, and what it does about it:
#   - What a sentence means. It errs towards silence: `not`, `should`, `if` and their kin anywhere in it excuse it.
#   - Commands of earlier turns. A turn without any tool call may speak of those, so it is not asked.
#   - Calls before the window or before the latest 64, and what a subagent or an MCP tool ran: nothing is asked
#     when there are any.
#   - Whether the command showed what is claimed. It did not fail, no more; see no_failing_tests.

demand contains {"text": text} if {
	input.turn.is_tool_turn
	not hidden
	[claim, sentence] := claims[0]
	text := sprintf("Claim: your reply says \"%s\", and no command of this turn shows it. Say what was not checked, or run %s.", [brief(sentence), repair(claim)])
}

# The first claim in the order of the parameters that nothing shows.
claims := [[claim, sentence] |
	some claim in known
	sentence := [s | some s in sentences; regex.match(claim.says, s); not regex.match(doubt, s)][0]
	not is_shown(claim)
]

known := object.get(input.config.params, "no_claim_without_command", [
	{"says": `\b(tests?|specs?|test suite):?( (now|all|both|still|again|also|are|is|were|was|have|has))* (pass|passes|passed|passing|succeed|green)([^-\w]|$)`, "shown_by": [
		"make test", "make check", "go test", "cargo test", "pytest", "python -m pytest", "npm test", "npm run test",
		"pnpm test", "yarn test", "npx jest", "npx vitest", "mvn test", "./gradlew test", "bundle exec rspec",
	]},
	{"says": `\b(builds?|compiles?)\b.*\b(clean|cleanly|successfully|without errors)\b`, "shown_by": [
		"make", "go build", "go vet", "cargo build", "cargo check", "npm run build", "pnpm build", "yarn build", "tsc", "npx tsc", "mvn", "./gradlew",
	]},
	{"says": `\b(verified|confirmed|double-checked)\b`},
])

doubt := `\b(not|\w+n['’]t|never|cannot|unable|without|should|would|could|will|once|if|until|unless|when|before|yet|unverified|todo)\b|\?$`

# Sentences of the reply, in lower case, without code, quotations and what is between backticks.
sentences := [s |
	plain := regex.replace(input.turn.final_text, "(?s)```.*?```|`[^`\n]*`|\"[^\"\n]*\"|(?m:^>.*$)", " ")
	some part in regex.split(`[.!;]\s+|\n+`, lower(plain))
	s := trim_space(part)
	s != ""
]

is_shown(claim) if {
	some call in input.turn.tools
	regex.match(pattern_of(claim.shown_by), call.command)
	worked(call)
}

is_shown(claim) if {
	count(object.get(claim, "shown_by", [])) == 0
	some call in input.turn.tools
	looks(call)
	worked(call)
}

looks(call) if call.name in {"Read", "Grep", "Glob", "WebFetch", "BashOutput", "TaskOutput"}

looks(call) if {
	call.command
	not call.evidence # stophook's own commands look at Git and at nothing else
}

worked(call) if {
	call.result_time # absent while the host has told no result
	not call.failed
}

hidden if not input.turn.complete

hidden if input.turn.tool_calls > count(input.turn.tools)

hidden if {
	some call in input.turn.tools
	regex.match(`^(Agent|Task|mcp__.*)$`, call.name)
}

repair(claim) := sprintf("`%s`", [claim.shown_by[0]]) if {
	count(claim.shown_by) > 0
} else := "the command that shows it"

brief(sentence) := sentence if {
	count(sentence) <= 80
} else := concat("", [substring(sentence, 0, 77), "..."])

# pattern_of matches a command line that begins one of the commands: at its start, behind && || ; | & ( or a new
# line, and behind what only wraps it. It is text, and all there is: quoted text can look like a command.
pattern_of(words) := sprintf(`(?:^|[;&|(\n])\s*(?:(?:time|sudo|env|command|timeout \S+|\w+=\S*)\s+)*(?:%s)(?:$|[\s;&|)])`, [alternatives]) if {
	alternatives := concat("|", [regex.replace(c, `[.+*?^$(){}|\[\]\\]`, `\$0`) | some c in words])
	alternatives != ""
}
