package stophook.rules.rule

demand contains {"text": "x"} if {
	input.turn.tools[_ == 1
}
