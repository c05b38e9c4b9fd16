# METADATA
# title: r
# description: What it is for.
# custom:
#   code: acme.r
package stophook.rules.r

demand contains {"text": "Run `make test`."} if again

again if not once

once if again
