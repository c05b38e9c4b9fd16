# METADATA
# title: j
# description: What it is for.
# custom:
#   code: acme.j
package stophook.rules.j

demand contains {"txt": "Run `make test`."} if input.turn.is_tool_turn

demand contains {"text": "Run `make test`.", "code": "acme.other", "severity": "warn"} if input.turn.is_tool_turn

demand contains "Run `make test`." if input.turn.is_tool_turn
