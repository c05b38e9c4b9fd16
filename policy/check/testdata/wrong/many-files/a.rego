# METADATA
# title: ma
# description: What it is for.
# custom:
#   code: acme.ma
package stophook.rules.ma

demand contains {"text": "Run `make test`."} if input.handofs
