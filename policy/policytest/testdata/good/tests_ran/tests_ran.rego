# METADATA
# title: Tests ran
# description: A turn that edits files runs the tests before it ends.
# custom: {code: acme.tests_missing, severity: block, deferrable: true}
package stophook.rules.tests_ran

import data.acme.calls

demand contains {"text": text, "evidence": [edit.at.offset]} if {
	some edit in input.turn.tools
	edit.name in {"Edit", "Write"}
	not calls.ran(command)
	text := sprintf("You edited %s and ran no tests: run `%s`.", [edit.file_path, command])
}

command := object.get(input.config.params, ["acme", "test_command"], "make test")
