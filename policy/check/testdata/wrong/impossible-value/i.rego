# METADATA
# title: i
# description: What it is for.
# custom:
#   code: acme.i
package stophook.rules.i

demand contains {"text": "Run `make test`."} if {
	some task in input.tasks
	task.state == "runing"
	input.host.mode in {"headless", "tty"}
}
