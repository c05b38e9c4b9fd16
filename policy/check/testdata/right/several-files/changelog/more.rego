package stophook.rules.changelog

mentioned if {
	some call in input.turn.tools
	endswith(call.file_path, "CHANGELOG.md")
}

notice contains sprintf("%d calls", [count(input.turn.tools)]) if input.turn.tool_calls > 60
