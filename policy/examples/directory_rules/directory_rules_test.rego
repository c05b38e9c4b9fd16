package stophook.rules.directory_rules_test

import data.stophook.rules.directory_rules

edit(path) := {"id": "e", "name": "Edit", "file_path": path, "failed": false, "at": {"offset": 10}}

run(command) := {"id": "r", "name": "Bash", "command": command, "failed": false, "result_time": "x", "at": {"offset": 20}}

texts(tools, params) := out if out := {d.text | some d in directory_rules.demand} with input as {
	"session": {"cwd": "/w"},
	"turn": {"tools": tools},
	"config": {"params": params},
}

test_infra if texts([edit("/w/infra/main.tf")], {}) == {"infra/: you edited infra/main.tf and did not check it since (terraform validate or terraform plan or make plan). Run `terraform validate`."}

test_docs if {
	some text in texts([edit("/w/docs/a.md")], {})
	endswith(text, "Run `make docs`.")
}

test_each_its_own if {
	count(texts([edit("/w/infra/main.tf"), edit("/w/docs/a.md")], {})) == 2
	count(texts([edit("/w/infra/main.tf"), edit("/w/docs/a.md"), run("make docs")], {})) == 1
}

test_checked[command] if {
	some command in ["terraform validate", "cd infra && terraform plan -out x", "make plan"]
	count(texts([edit("/w/infra/main.tf"), run(command)], {})) == 0
}

test_checked_too_early if count(texts([run("make plan"), edit("/w/infra/main.tf")], {})) == 1

test_the_check_failed if count(texts([edit("/w/infra/main.tf"), object.union(run("make plan"), {"failed": true})], {})) == 1

test_the_check_was_interrupted if count(texts([edit("/w/infra/main.tf"), object.remove(run("make plan"), ["result_time"])], {})) == 1

test_elsewhere[path] if {
	some path in ["/w/main.go", "/w/infrastructure/a.tf", "/w/api/docs.go"]
	count(texts([edit(path)], {})) == 0
}

test_a_refused_edit if count(texts([object.union(edit("/w/infra/main.tf"), {"failed": true})], {})) == 0

test_another_working_directory if count(texts([edit("/other/infra/main.tf")], {})) == 1

areas := {"directory_rules": [{"below": "infra/", "run": ["make plan"]}, {"below": "infra/sandbox/", "run": []}, {"below": "infra/prod/", "run": ["make review"]}]}

test_the_deepest_decides if {
	count(texts([edit("/w/infra/sandbox/a.tf")], areas)) == 0
	some text in texts([edit("/w/infra/prod/a.tf"), run("make plan")], areas)
	endswith(text, "Run `make review`.")
}

test_each_edit_its_area if count(texts([edit("/w/infra/a.tf"), edit("/w/infra/prod/a.tf"), run("make review")], areas)) == 1
