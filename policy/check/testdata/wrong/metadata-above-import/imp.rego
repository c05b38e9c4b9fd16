package stophook.rules.imp

# METADATA
# custom: {code: acme.imp}
import data.acme.lib

demand contains {"text": "Run `make test`."} if lib.x
