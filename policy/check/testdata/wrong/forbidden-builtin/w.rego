# METADATA
# title: w
# description: What it is for.
# custom:
#   code: acme.w
package stophook.rules.w

demand contains {"text": "Run `make test`."} if {
	http.send({"method": "get", "url": "https://example.org"}).status_code != 200
	time.now_ns() > 0
}

notice contains sprintf("%v", [opa.runtime().env]) if rand.intn("x", 9) > 3
