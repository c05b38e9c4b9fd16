# METADATA
# title: md
# description: What it is for.
# custom:
#   code: acme.md
package stophook.rules.md

demand contains {"text": "Run `make test`."} if count(7) > 0
