# METADATA
# title: un
# description: What it is for.
# custom:
#   code: acme.un
package stophook.rules.un

import data.acme.lib

demand contains {"text": "Run `make test`."} if {
	calls := input.turn.tools
	input.turn.is_tool_turn
}
