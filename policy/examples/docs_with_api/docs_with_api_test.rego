package stophook.rules.docs_with_api_test

import data.stophook.rules.docs_with_api

edit(path) := {"id": "e", "name": "Edit", "file_path": path, "failed": false, "at": {"offset": 10}}

texts(tools, params, turn) := out if out := {d.text | some d in docs_with_api.demand} with input as {
	"session": {"cwd": "/w"},
	"turn": object.union({"complete": true, "tool_calls": count(tools), "tools": tools}, turn),
	"config": {"params": {"docs_with_api": params}},
}

api := edit("/w/api/users.go")

test_missing if {
	texts([api], {}, {}) == {"Docs: you changed the API in api/users.go and no file of docs/**, README.md. Write down what changed, then run `git diff --stat -- 'docs/**' 'README.md'`."}
}

test_written[path] if {
	some path in ["/w/docs/api/users.md", "/w/README.md"]
	count(texts([api, edit(path)], {}, {})) == 0
	count(texts([edit(path), api], {}, {})) == 0
}

test_refused if count(texts([api, object.union(edit("/w/README.md"), {"failed": true})], {}, {})) == 1

test_needs_none[path] if {
	some path in ["/w/cmd/main.go", "/w/api/users_test.go", "/w/api/README.md"]
	count(texts([edit(path)], {}, {})) == 0
}

test_other_forms_of_api[path] if {
	some path in ["/w/internal/api/v2/a.go", "/w/users.proto", "/w/spec/openapi.yaml"]
	count(texts([edit(path)], {}, {})) == 1
}

generator := {"commands": ["make docs"]}

test_generated if count(texts([api, {"id": "r", "name": "Bash", "command": "make docs", "failed": false, "at": {"offset": 20}}], generator, {})) == 0

test_generator_failed if {
	some text in texts([api, {"id": "r", "name": "Bash", "command": "make docs", "failed": true, "at": {"offset": 20}}], generator, {})
	endswith(text, "or run `make docs`.")
}

test_parameters if {
	params := {"api": ["pkg/**"], "except": ["pkg/internal/**"], "docs": ["pkg/*.md"]}
	count(texts([edit("/w/pkg/a.go")], params, {})) == 1
	count(texts([edit("/w/pkg/internal/a.go")], params, {})) == 0
	count(texts([edit("/w/pkg/a.md")], params, {})) == 0
	count(texts([edit("/w/pkg/a.go"), edit("/w/pkg/a.md")], params, {})) == 0
}

test_hidden[why] if {
	some why, turn in {"cut": {"complete": false}, "too many": {"tool_calls": 65}}
	count(texts([api], {}, turn)) == 0
}
