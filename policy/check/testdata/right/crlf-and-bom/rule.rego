# METADATA
# custom: {code: acme.crlf}
package stophook.rules.crlf

demand contains {"text": "Tell the person what is left."} if {
	input.turn.is_tool_turn
}
