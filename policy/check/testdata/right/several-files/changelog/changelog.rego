# METADATA
# title: Changelog
# description: Work that users see is in the changelog.
# custom: {codes: [acme.changelog, acme.changelog_style], owner: docs, mode: strict}
package stophook.rules.changelog

import data.acme.paths

demand contains {"text": "Changelog: add an entry to CHANGELOG.md.", "code": "acme.changelog_style"} if {
	some call in input.turn.tools
	paths.visible(object.get(call, "file_path", ""))
	not mentioned
}
