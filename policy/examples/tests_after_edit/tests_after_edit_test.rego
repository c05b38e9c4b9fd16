package stophook.rules.tests_after_edit_test

import data.stophook.rules.tests_after_edit

edit(path) := {"id": "e", "name": "Edit", "file_path": path, "failed": false, "at": {"offset": 10}}

run(command) := {"id": "r", "name": "Bash", "command": command, "failed": false, "result_time": "2026-10-05T09:00:05.000Z", "at": {"offset": 20}}

texts(tools, params) := out if out := {d.text | some d in tests_after_edit.demand} with input as {
	"session": {"cwd": "/w"},
	"turn": {"tools": tools},
	"config": {"params": params},
}

test_no_run if texts([edit("/w/a.go")], {}) == {"Tests: you edited a.go and ran no tests since. Run `make test`."}

test_run_before_the_edit if count(texts([run("make test"), edit("/w/a.go")], {})) == 1

test_run_after_the_edit if count(texts([edit("/w/a.go"), run("make test")], {})) == 0

test_the_latest_edit_counts if count(texts([edit("/w/a.go"), run("make test"), edit("/w/b.go")], {})) == 1

test_no_edit if count(texts([run("ls")], {})) == 0

test_a_failed_run_is_a_run if count(texts([edit("/w/a.go"), object.union(run("go test ./..."), {"failed": true, "exit_code": 1})], {})) == 0

test_a_refused_run_is_none if count(texts([edit("/w/a.go"), object.union(run("go test ./..."), {"failed": true})], {})) == 1

test_an_interrupted_run_is_none if count(texts([edit("/w/a.go"), object.remove(run("make test"), ["result_time"])], {})) == 1

test_a_refused_edit_is_none if count(texts([object.union(edit("/w/a.go"), {"failed": true})], {})) == 0

# What needs no test, by the parameter or its default.
test_ignored[path] if {
	some path in ["/w/README.md", "/w/docs/x.md", "/tmp/scratch.py"]
	count(texts([edit(path)], {})) == 0
}

test_ignored_by_parameter[glob] if {
	some glob in ["gen/**", "**/*.pb.go", "/w/gen/*"]
	count(texts([edit("/w/gen/a.pb.go")], {"tests_after_edit": {"ignore": [glob]}})) == 0
}

test_command_by_parameter if texts([edit("/w/a.go"), run("make test")], {"test_commands": ["bin/ci"]}) == {"Tests: you edited a.go and ran no tests since. Run `bin/ci`."}

# Places at which a command line begins a command.
test_counts[command] if {
	some command in [
		"make test", "cd api && make test", "make lint; make test", "CI=1 make test", "time go test ./...", "(go test ./...)",
		"timeout 60 go test ./... 2>&1 | tail -5", "git status\nmake test", "env A=b go test",
	]
	count(texts([edit("/w/a.go"), run(command)], {})) == 0
}

test_counts_not[command] if {
	some command in ["echo make test", "make tests", "grep 'go test' Makefile", "git commit -m 'make test'", "bash -c 'make test'"]
	count(texts([edit("/w/a.go"), run(command)], {})) == 1
}

test_no_commands_at_all_demands_nothing if count(texts([edit("/w/a.go")], {"test_commands": []})) == 0
