# METADATA
# title: Paths
package acme.paths

# METADATA
# title: what users see
# scope: document
visible(path) if startswith(path, "cmd/")

visible(path) if startswith(path, "docs/")
