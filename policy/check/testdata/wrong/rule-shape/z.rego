# METADATA
# title: z
# description: What it is for.
# custom:
#   code: acme.z
package stophook.rules.z

demand := {"text": "Run `make test`."}
