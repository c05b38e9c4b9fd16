# METADATA
# title: n4
# description: What it is for.
# custom:
#   code: acme.n4
package stophook.rules.n4

demand contains {"text": "Run `make test`."} if {
	false
}
