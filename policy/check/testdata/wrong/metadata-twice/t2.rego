# METADATA
# title: t
# description: What it is for.
# custom:
#   code: acme.t
package stophook.rules.t

notice contains "x" if input.turn.is_tool_turn
