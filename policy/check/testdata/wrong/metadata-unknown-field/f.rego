# METADATA
# titel: Fields
# severity: warn
# custom:
#   code: acme.f
#   severty: observe
#   deferable: true
#   owner: tools
package stophook.rules.f

demand contains {"text": "Run `make test`."} if input.turn.is_tool_turn
