# METADATA
# title: u
# description: What it is for.
# custom:
#   code: acme.u
package stophook.rules.u

demand contains {"text": text} if input.turn.is_tool_turn

notice contains "Look." if missing(input.turn)

notice contains msg if msg := sprintf("%d", [total])
