# METADATA
# title: Docs with API
# description: A turn that changes the API touches its documentation.
# schemas:
#   - input: schema.input
# custom:
#   code: example.docs_with_api
#   severity: block
package stophook.rules.docs_with_api

# Parameters, all optional:
#
#   params:
#     docs_with_api:
#       api: ["api/**", "**/*.proto"]       # what counts as the API
#       except: ["**/*_test.go"]            # and what of it does not
#       docs: ["docs/api/**"]               # one of these must be edited as well
#       commands: [make docs]               # or one of these run, by their first words
#
# What this rule cannot see, and what it does about it:
#   - Whether the edit changed the API or only a comment in its file. Say why no docs are needed in the reply,
#     and the person sees it: use `severity: warn` where that happens often.
#   - Edits by a shell command or a subagent: they demand nothing, and docs written that way are not seen. Name
#     a generator in `commands`.
#   - Calls before the window or before the latest 64. The docs may be among them, so nothing is demanded then.

demand contains {"text": text, "evidence": [edit.at.offset]} if {
	not hidden
	not documented
	edit := input.turn.tools[min(api_edits)]
	text := sprintf("Docs: you changed the API in %s and no file of %s. Write down what changed%s", [shown(edit.file_path), concat(", ", docs), repair])
}

repair := sprintf(", or run `%s`.", [commands[0]]) if count(commands) > 0

else := sprintf(", then run `git diff --stat -- %s`.", [concat(" ", [sprintf("'%s'", [d]) | some d in docs])])

api_edits contains i if {
	some i, call in input.turn.tools
	edits(call)
	matches(call.file_path, object.get(input.config.params, ["docs_with_api", "api"], ["**/api/**", "**/*.proto", "**/openapi.*"]))
	not matches(call.file_path, object.get(input.config.params, ["docs_with_api", "except"], ["**/*_test.go", "**/*.test.*", "**/*.md"]))
	not matches(call.file_path, docs)
}

docs := object.get(input.config.params, ["docs_with_api", "docs"], ["docs/**", "README.md"])

commands := object.get(input.config.params, ["docs_with_api", "commands"], [])

documented if {
	some call in input.turn.tools
	edits(call)
	matches(call.file_path, docs)
}

documented if {
	some call in input.turn.tools
	some command in commands
	startswith(call.command, command)
	not call.failed
}

# hidden: calls of this turn are out of sight, and the docs may be among them.
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
