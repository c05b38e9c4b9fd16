# METADATA
# title: Free parts of the input
# custom:
#   code: acme.free
#   events: [Stop, PreToolUse]
package stophook.rules.free

# hook, params and the tool's input are the host's and the author's own.
demand contains {"text": sprintf("%s: run `make`.", [object.get(input.config.params, ["acme", "name"], "x")])} if {
	input.hook.anything.at_all == 1
	input.config.params.acme.deep[_] == "x"
	object.get(input.hook, ["a", "b"], "") == ""
}

demand contains {"text": "Run `make`."} if {
	input.host.event == "PreToolUse"
	input.tool.input.whatever == "x"
	some name, setting in input.config.rules
	setting.severity == "off"
	name != "x"
}

demand contains {"text": "Run `make`."} if {
	some i
	input.tasks[i].state == "running"
	input.tasks[i].entrance == "requested"
	x := input.turn
	y := x.tools[_]
	y.name in {"Edit", "Write"}
	every t in input.turn.tools {
		t.failed
	}
	[a, b] := [input.now, input.session.id]
	a != b
	data.stophook.meta.free.severity == "block"
	count(data.stophook.rules.status_check.demand) == 0
}
