# METADATA
# title: No TODO left
# description: A turn finishes what it starts; a TODO that it writes has a ticket.
# schemas:
#   - input: schema.input
# custom:
#   code: example.todo_left
#   severity: block
package stophook.rules.no_todo

# Parameters, all optional:
#
#   params:
#     no_todo:
#       markers: [TODO, FIXME]              # whole words
#       ticket: "TODO\\(#\\d+\\)"           # a regular expression: lines that match it may stay
#       ignore: ["**/*.md"]                 # files that may have them
#
# What this rule cannot see, and what it does about it:
#   - What Write overwrote. A file that is written anew counts as this turn's work, its old TODOs included.
#   - More than the first 2,000 bytes that a call wrote, and more than the latest 64 KiB of a turn (`cut`). A TODO
#     behind them is missed. An edit that is cut is not judged: the TODO may have stood in what was cut of the old
#     text.
#   - What a shell command or a subagent wrote: it is missed.
#   - Whether a TODO was removed by a shell command: remove it with the editor, or the rule asks for it.

demand contains {"text": text, "evidence": [offset | some [offset, _, _] in left]} if {
	[_, path, line] := min(left)
	text := sprintf("TODO: you wrote `%s` into %s%s and left it there. Finish it, or give it a ticket; this finds it: `grep -n '%s' %s`.", [brief(line), shown(path), others, marker_of(line), shown(path)])
}

others := sprintf(" (and %d more)", [count(left) - 1]) if count(left) > 1

else := ""

# left is every line with a marker that this turn added and did not take away again.
left contains [call.at.offset, call.file_path, line] if {
	some i, call in input.turn.tools
	adds(call)
	some line in marked(call.written)
	not contains(object.get(call, "replaced", ""), line) # it was there before
	not taken_away(i, call.file_path, line)
}

adds(call) if {
	not call.failed
	not matches(call.file_path, object.get(input.config.params, ["no_todo", "ignore"], ["**/*.md", "/tmp/**"]))
	not half_seen(call)
}

half_seen(call) if {
	call.cut
	call.replaced
}

marked(text) := {trim_space(line) |
	some line in split(text, "\n")
	regex.match(pattern, line)
	not regex.match(ticket, line)
}

taken_away(i, path, line) if {
	some j, later in input.turn.tools
	j > i
	later.file_path == path
	not later.failed
	not contains(later.written, line)
	later.name == "Write"
}

taken_away(i, path, line) if {
	some j, later in input.turn.tools
	j > i
	later.file_path == path
	not later.failed
	contains(later.replaced, line)
	not contains(object.get(later, "written", ""), line)
}

markers := object.get(input.config.params, ["no_todo", "markers"], ["TODO", "FIXME", "XXX"])

pattern := sprintf(`\b(%s)\b`, [concat("|", markers)])

ticket := object.get(input.config.params, ["no_todo", "ticket"], `\b(TODO|FIXME|XXX)\((#\d+|[A-Z]+-\d+)\)`)

marker_of(line) := regex.find_n(pattern, line, 1)[0]

brief(line) := line if {
	count(line) <= 80
} else := concat("", [substring(line, 0, 77), "..."])

# matches holds a path against globs: whole, and below the working directory. ** also stands for no folder.
matches(path, globs) if {
	some glob_ in globs
	some form in {path, shown(path), concat("", ["/", shown(path)])}
	glob.match(glob_, ["/"], form)
}

# shown is a path as people write it: below the working directory where it is there. The directory may be
# another than at the time of the edit, and then the path is shown whole.
shown(path) := trim_prefix(path, concat("", [object.get(input.session, "cwd", ""), "/"]))
