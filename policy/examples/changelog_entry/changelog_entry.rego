# METADATA
# title: Changelog entry
# description: A turn that changes what the program does adds a line to the changelog.
# schemas:
#   - input: schema.input
# custom:
#   code: example.changelog_entry
#   severity: block
package stophook.rules.changelog_entry

# Parameters, all optional:
#
#   params:
#     changelog_entry:
#       source: ["**/*.go"]                 # files whose change is worth an entry
#       except: ["**/*_test.go"]            # and those of them that are not
#       changelog: ["**/CHANGELOG.md"]      # where entries go
#       commands: [changie new]             # commands that write one, by their first words
#
# What this rule cannot see, and what it does about it:
#   - Edits by a shell command or a subagent: they demand nothing, and an entry made that way is not seen.
#     Name the command in `commands`; an entry by `sed` has to be made again with the editor.
#   - An entry of an earlier turn for the same work: the rule asks for one a turn. Leave it at `severity: warn`
#     where features take several turns.
#   - Calls before the window or before the latest 64. The entry may be among them, so nothing is demanded then.

demand contains {"text": text, "evidence": [edit.at.offset]} if {
	not hidden
	not entry_made
	edit := input.turn.tools[min(source_edits)]
	text := sprintf("Changelog: you changed %s and added no entry. Add one line under the topmost heading of `%s`.", [shown(edit.file_path), changelog_name])
}

source_edits contains i if {
	some i, call in input.turn.tools
	edits(call)
	matches(call.file_path, object.get(input.config.params, ["changelog_entry", "source"], default_source))
	not matches(call.file_path, object.get(input.config.params, ["changelog_entry", "except"], default_except))
}

default_source := ["**/*.go", "**/*.rs", "**/*.py", "**/*.ts", "**/*.tsx", "**/*.js", "**/*.java", "**/*.c", "**/*.cc", "**/*.h"]

default_except := ["**/*_test.go", "**/test_*.py", "**/*.test.*", "**/*.spec.*", "**/test/**", "**/tests/**", "/tmp/**"]

changelogs := object.get(input.config.params, ["changelog_entry", "changelog"], ["**/CHANGELOG.md", "**/CHANGES.md", "**/.changeset/*.md", "**/changelog.d/*"])

changelog_name := trim_prefix(changelogs[0], "**/")

entry_made if {
	some call in input.turn.tools
	edits(call)
	matches(call.file_path, changelogs)
	object.get(call, "written", "") != "" # a line was added, and not only taken away
}

entry_made if {
	some call in input.turn.tools
	some command in object.get(input.config.params, ["changelog_entry", "commands"], ["changie new", "npx changeset", "towncrier create"])
	startswith(call.command, command)
	not call.failed
}

# hidden: calls of this turn are out of sight, and the entry may be one of them.
hidden if not input.turn.complete

hidden if input.turn.tool_calls > count(input.turn.tools)

edits(call) if {
	call.name in {"Edit", "MultiEdit", "Write", "NotebookEdit"}
	not call.failed
}

# matches holds a path against globs: whole, and below the working directory. ** also stands for no folder.
matches(path, globs) if {
	some glob_ in globs
	some form in {path, shown(path), concat("", ["/", shown(path)])}
	glob.match(glob_, ["/"], form)
}

# shown is a path as people write it: below the working directory where it is there. The directory may be
# another than at the time of the edit, and then the path is shown whole.
shown(path) := trim_prefix(path, concat("", [object.get(input.session, "cwd", ""), "/"]))
