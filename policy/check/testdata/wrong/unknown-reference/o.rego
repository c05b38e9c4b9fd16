# METADATA
# title: o
# description: What it is for.
# custom:
#   code: acme.o
package stophook.rules.o

import data.acme.libb

demand contains {"text": "Run `make test`."} if libb.busy

demand contains {"text": "Run `make lint`."} if data.acme.lib.bussy

demand contains {"text": "Run `make vet`."} if count(data.stophook.rules.status_chek.demand) == 0
