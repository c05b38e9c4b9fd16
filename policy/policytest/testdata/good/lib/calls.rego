# METADATA
# title: What ran
# description: Questions about the calls of the turn.
package acme.calls

ran(command) if {
	some call in input.turn.tools
	contains(object.get(call, "command", ""), command)
	not call.failed
}
