# METADATA
# title: status_check
# description: What it is for.
# custom:
#   code: acme.status_check
package stophook.rules.status_check

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
