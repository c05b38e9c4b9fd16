# METADATA
# title: Background work
# description: Where nothing resumes a turn, background work is collected before the turn ends. One nudge a prompt, then a notice.
# custom:
#   code: stop-hook.background_debt
#   severity: block
#   deferrable: false
#   events: [Stop]
#   order: 50
package stophook.rules.background_debt

demand contains {"text": concat("\n", array.concat(array.concat([ask], [line | some [line, _, _] in running]), [how]))} if {
	owed
	not input.debt.nudged
}

# Asked once already: the person learns what is left behind. A task whose own notification began this turn has
# told its end to the agent, read or not.
notice contains sprintf("%s, and nothing here picks that up: %s. Send another message, or look in the working directory.", [left(count(labels)), concat(", ", labels)]) if {
	owed
	input.debt.nudged
	labels := [label | some [_, label, id] in running; not id in object.get(input.turn, "notified", [])]
	count(labels) > 0
}

owed if {
	input.host.mode == "headless"
	count(input.debt.owed) > 0
}

running := [[sprintf("- %s, output: %s", [label, object.get(task, "output_file", "the .output file that the launch reported")]), label, id] |
	some id in input.debt.owed
	task := object.union_n([t | some t in input.tasks; t.id == id])
	label := sprintf("%s (`%s`)", [id, substring(object.get(task, "command", "command not seen"), 0, 160)])
]

ask := "Background work: nothing resumes this turn once it has ended, and what you started was never collected:"

how := "Read that .output file, or call TaskOutput (BashOutput in older versions) with the id; wait if it has not finished, then finish the work. If nothing is left to do, say so in one line."

left(n) := "1 background task was never collected" if n == 1

else := sprintf("%d background tasks were never collected", [n])
