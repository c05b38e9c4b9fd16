# METADATA
# title: mb
# description: What it is for.
# custom:
#   code: acme.mb
package stophook.rules.mb

demand contains {"text": x} if input.turn.is_tool_turn
