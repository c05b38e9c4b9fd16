# METADATA
# title: No failing tests
# description: A turn does not end on a test run that failed.
# schemas:
#   - input: schema.input
# custom:
#   code: example.tests_failing
#   codes: [example.tests_unclear]
#   severity: block
#   deferrable: true
package stophook.rules.no_failing_tests

# Parameters, all optional:
#
#   params:
#     test_commands: [make test]            # what runs the tests, by its first words
#     no_failing_tests:
#       unclear: false                      # true: a run whose result cannot be told does not count as passed
#
# What this rule cannot see, and what it does about it:
#   - Whether tests were run at all. That is tests_after_edit.
#   - The result of a run in a pipe or followed by more (`make test | tail`, `make test || true`): the host
#     tells the exit code of the whole line. Such a run is never called failed; with `unclear` it must be repeated.
#   - Tests inside a script or behind `bash -c`: the script counts once it is in test_commands.
#   - Runs before the window or before the latest 64 calls: the last run decides, and it is the last to be cut.
#   - A run that a person or a hook refused ran nothing, so the one before it decides.

demand contains {"text": text, "evidence": [last_run.offset]} if {
	last_run.result == "failed"
	text := sprintf("Tests: the last run failed (`%s`). Repair what fails, then run `%s`.", [brief(last_run.command), commands[0]])
}

demand contains {"code": "example.tests_unclear", "text": text, "evidence": [last_run.offset]} if {
	object.get(input.config.params, ["no_failing_tests", "unclear"], false)
	last_run.result == "unclear"
	text := sprintf("Tests: the last run does not show whether they passed (`%s`): the exit code is that of the whole line. Run `%s` by itself.", [brief(last_run.command), commands[0]])
}

# The runs stand in a set, and sets come out sorted: by offset here.
last_run := runs[count(runs) - 1]

runs := [r | some r in seen]

seen contains {"offset": call.at.offset, "index": i, "command": call.command, "result": result(call)} if {
	some i, call in input.turn.tools
	regex.match(pattern, call.command)
	call.result_time # no result: it was interrupted
	not refused(call)
}

# A run of an earlier turn that ended in the background since. It stands where its end was told.
seen contains {"offset": task.ended_at.offset, "index": -1, "command": task.command, "result": task_result(task)} if {
	some task in input.tasks
	regex.match(pattern, task.command)
	told_now(task)
	not task.tool_use_id in {call.id | some call in input.turn.tools}
}

# Its notification began this turn, or came into it.
told_now(task) if task.id in object.get(input.turn, "notified", [])

told_now(task) if task.ended_at.offset >= input.turn.started_at.offset

# A call that got into the background, asked for or moved by the host, has a result of its own that only says so.
result(call) := task_result(task) if {
	some task in input.tasks
	task.tool_use_id == call.id
} else := "failed" if {
	call.failed
} else := "unclear" if {
	regex.match(`[|;&]`, trim_right(tail_of(call.command), " \n"))
} else := "passed"

task_result(task) := "running" if {
	task.state == "running"
} else := "passed" if {
	task.exit_code == 0
} else := "failed" if {
	task.exit_code > 0
} else := "unclear"

# tail_of is what follows the test command in its line, without redirections, in which & begins no command.
tail_of(command) := regex.replace(concat("", [substring(words, count(words) - 1, 1), rest]), `\d*>&\d*|&>`, "") if {
	words := regex.find_n(pattern, command, 1)[0]
	parts := split(command, words)
	rest := concat(words, array.slice(parts, 1, count(parts)))
}

# A call that failed without an exit code was refused, by a person or by a hook, or broken off.
refused(call) if {
	call.failed
	not call.exit_code
}

brief(command) := command if {
	count(command) <= 80
} else := concat("", [substring(command, 0, 77), "..."])

commands := object.get(input.config.params, ["test_commands"], [
	"make test", "make check", "go test", "cargo test", "pytest", "python -m pytest", "npm test", "npm run test",
	"pnpm test", "yarn test", "npx jest", "npx vitest", "mvn test", "./gradlew test", "bundle exec rspec",
])

pattern := pattern_of(commands)

# pattern_of matches a command line that begins one of the commands: at its start, behind && || ; | & ( or a new
# line, and behind what only wraps it. It is text, and all there is: quoted text can look like a command.
pattern_of(words) := sprintf(`(?:^|[;&|(\n])\s*(?:(?:time|sudo|env|command|timeout \S+|\w+=\S*)\s+)*(?:%s)(?:$|[\s;&|)])`, [alternatives]) if {
	alternatives := concat("|", [regex.replace(c, `[.+*?^$(){}|\[\]\\]`, `\$0`) | some c in words])
	alternatives != ""
}
