# METADATA
# title: n2
# description: What it is for.
# custom:
#   code: acme.n2
package stophook.rules.n2

demand contains {"text": "Run `make test`."} if {
	input.tool.name == "Bash"
}
