# METADATA
# title: Tests after edit
# description: A turn that edits source files runs the tests after its last edit.
# schemas:
#   - input: schema.input
# custom:
#   code: example.tests_after_edit
#   severity: block
#   deferrable: true
package stophook.rules.tests_after_edit

# Parameters, all optional:
#
#   params:
#     test_commands: [make test]            # what runs the tests, by its first words
#     tests_after_edit:
#       ignore: ["**/*.md", "docs/**"]      # files that no test covers
#
# What this rule cannot see, and what it does about it:
#   - Edits by a shell command (sed -i, git apply, a generator) or by a subagent: they demand nothing.
#   - Tests inside a script or behind `bash -c`: they do not count. Add the script to test_commands.
#   - Calls before the window or before the latest 64: both an edit and a later test run would have to be
#     in sight for a wrong answer, and then the run is the later one. So nothing is demanded in error.
#   - Whether the tests passed. That is no_failing_tests.

demand contains {"text": text, "evidence": [edit.at.offset]} if {
	some i, edit in input.turn.tools
	i == last_edit
	not tested_after(i)
	text := sprintf("Tests: you edited %s and ran no tests since. Run `%s`.", [shown(edit.file_path), commands[0]])
}

last_edit := max([i | some i, call in input.turn.tools; edits_source(call)])

edits_source(call) if {
	call.name in {"Edit", "MultiEdit", "Write", "NotebookEdit"}
	not call.failed # a refused edit changed nothing
	not ignored(call.file_path)
}

# A run in the background counts once it was started: its result is for the turn that its notification begins.
tested_after(i) if {
	some j, call in input.turn.tools
	j > i
	call.result_time # absent while the host has told no result, as when a person interrupts
	regex.match(pattern, call.command)
	not refused(call)
}

# A call that failed without an exit code was refused, by a person or by a hook, or broken off.
refused(call) if {
	call.failed
	not call.exit_code
}

ignored(path) if matches(path, object.get(input.config.params, ["tests_after_edit", "ignore"], ["**/*.md", "**/*.txt", "/tmp/**"]))

commands := object.get(input.config.params, ["test_commands"], [
	"make test", "make check", "go test", "cargo test", "pytest", "python -m pytest", "npm test", "npm run test",
	"pnpm test", "yarn test", "npx jest", "npx vitest", "mvn test", "./gradlew test", "bundle exec rspec",
])

pattern := pattern_of(commands)

# matches holds a path against globs: whole, and below the working directory. ** also stands for no folder.
matches(path, globs) if {
	some glob_ in globs
	some form in {path, shown(path), concat("", ["/", shown(path)])}
	glob.match(glob_, ["/"], form)
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
