# METADATA
# title: Directory rules
# description: Each directory has a check of its own that runs after the last edit below it.
# schemas:
#   - input: schema.input
# custom:
#   code: example.directory_rules
#   severity: block
#   deferrable: true
package stophook.rules.directory_rules

# Parameters, optional. The deepest directory that a file is in decides; one with an empty list asks nothing.
#
#   params:
#     directory_rules:
#       - {below: infra/, run: [terraform validate, make plan]}    # one of them, by its first words
#       - {below: infra/sandbox/, run: []}
#       - {below: docs/, run: [make docs]}
#
# What this rule cannot see, and what it does about it:
#   - Files outside the working directory, and all of them when the session went into another one: a directory
#     of the list is looked for anywhere in the path then.
#   - Edits by a shell command or by a subagent: they demand nothing.
#   - Whether the check was run for that directory. `cd infra && terraform validate` is a validate like any other.
#   - Checks inside a script or behind `bash -c`: name the script.
#   - Whether a check passed, when it stands in a pipe. A call that failed does not count.

demand contains {"text": text, "evidence": [edit.at.offset]} if {
	some area in areas
	count(area.run) > 0
	i := max([i | some i, call in input.turn.tools; edits(call); area_of(call.file_path) == area])
	not checked_after(i, area.run)
	edit := input.turn.tools[i]
	text := sprintf("%s: you edited %s and did not check it since (%s). Run `%s`.", [area.below, shown(edit.file_path), concat(" or ", area.run), area.run[0]])
}

areas := object.get(input.config.params, "directory_rules", [
	{"below": "infra/", "run": ["terraform validate", "terraform plan", "make plan"]},
	{"below": "docs/", "run": ["make docs", "mkdocs build", "vale"]},
])

# area_of is the deepest area that a file is in.
area_of(path) := max([[count(area.below), area] | some area in areas; below(path, area.below)])[1]

below(path, directory) if startswith(shown(path), directory)

below(path, directory) if {
	startswith(shown(path), "/") # not below the working directory
	contains(path, concat("", ["/", directory]))
}

edits(call) if {
	call.name in {"Edit", "MultiEdit", "Write", "NotebookEdit"}
	not call.failed
}

checked_after(i, commands) if {
	some j, call in input.turn.tools
	j > i
	call.result_time # absent while the host has told no result, as when a person interrupts
	not call.failed
	regex.match(pattern_of(commands), call.command)
}

# shown is a path as people write it: below the working directory where it is there. The directory may be
# another than at the time of the edit, and then the path is shown whole.
shown(path) := trim_prefix(path, concat("", [object.get(input.session, "cwd", ""), "/"]))

# pattern_of matches a command line that begins one of the commands: at its start, behind && || ; | & ( or a new
# line, and behind what only wraps it. It is text, and all there is: quoted text can look like a command.
pattern_of(words) := sprintf(`(?:^|[;&|(\n])\s*(?:(?:time|sudo|env|command|timeout \S+|\w+=\S*)\s+)*(?:%s)(?:$|[\s;&|)])`, [alternatives]) if {
	alternatives := concat("|", [regex.replace(c, `[.+*?^$(){}|\[\]\\]`, `\$0`) | some c in words])
	alternatives != ""
}
