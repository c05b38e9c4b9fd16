# METADATA
# title: k
# description: What it is for.
# custom:
#   code: acme.k
package stophook.rules.k

import data.acme.lib

demand contains {"text": "Run `make test`."} if lib.busy
