package stophook.rules.commit_pushed_test

import data.stophook.rules.commit_pushed

edit := {"id": "e", "name": "Edit", "file_path": "/w/a.go", "failed": false, "result_time": "x", "at": {"offset": 10}}

run(command) := {"id": command, "name": "Bash", "command": command, "failed": false, "result_time": "x", "at": {"offset": 20}}

demands(tools, evidence, more) := out if out := commit_pushed.demand with input as object.union(
	{"now": "2026-10-05T12:00:00.000Z", "turn": {"tools": tools}, "tasks": [], "evidence": evidence, "config": {"params": {}}},
	more,
)

checked(findings) := {"status_check": {"git": {"branch": "main", "final": count(findings) == 0, "findings": findings, "ahead": 0, "behind": 0}}}

texts(tools, evidence) := {d.text | some d in demands(tools, evidence, {})}

test_clean if count(texts([edit, run("git commit -m x")], checked([]))) == 0

test_not_committed[finding] if {
	some finding in ["dirty", "untracked", "submodule_dirty"]
	some d in demands([edit], checked([finding]), {})
	d.code == "example.not_committed"
	d.text == "Commit: Git has changes on main that are not committed. Run `git add -A && git commit`."
}

test_not_pushed[finding] if {
	some finding, command in {
		"unpushed": "git push", "no_upstream": "git push -u origin HEAD", "behind": "git pull --rebase",
		"diverged": "git pull --rebase && git push", "submodule_unpushed": "git push --recurse-submodules=on-demand",
	}
	some text in texts([edit], checked([finding]))
	endswith(text, sprintf("Run `%s`.", [command]))
}

test_both if count(texts([edit], checked(["dirty", "unpushed"]))) == 2

test_detached if {
	some text in texts([edit], {"status_check": {"git": {"final": false, "findings": ["dirty"], "ahead": 0, "behind": 0}}})
	startswith(text, "Commit: Git has changes that")
}

# What a person left lying there is not this turn's.
test_a_turn_that_changed_nothing if count(texts([run("git status")], checked(["dirty", "unpushed"]))) == 0

test_a_refused_edit_changed_nothing if count(texts([object.union(edit, {"failed": true})], checked(["dirty"]))) == 0

commit := run("git commit -m x")

test_by_the_calls if texts([edit, commit], {}) == {"Push: you committed and did not push since. Run `git push`."}

test_by_the_calls_pushed[command] if {
	some command in ["git push", "git push -u origin HEAD", "git -C /w push", "git pull --rebase && git push"]
	count(texts([edit, commit, run(command)], {})) == 0
}

test_in_one_line if count(texts([run("git add -A && git commit -m x && git push")], {})) == 0

test_committed_again if count(texts([commit, run("git push"), commit], {})) == 1

test_the_push_failed if {
	some text in texts([commit, object.union(run("git push"), {"failed": true, "exit_code": 1})], {})
	contains(text, "(the push failed)")
}

test_no_commit if count(texts([edit], {})) == 0

test_a_check_that_could_not_look if {
	texts([commit], checked(["git_timeout"])) == {"Push: you committed and did not push since. Run `git push`."}
}

test_the_check_knows_better if count(texts([commit], checked([]))) == 0

task(more) := {"tasks": [object.union({"id": "b1", "command": "git push", "tool_use_id": "git push", "state": "ended"}, more)]}

test_pushing if {
	count(demands([commit, run("git push")], {}, task({"state": "running"}))) == 0
	count(demands([commit], checked(["unpushed"]), task({"state": "running"}))) == 0
}

test_pushed_in_the_background if count(demands([commit, run("git push")], {}, task({"exit_code": 0}))) == 0

test_push_failed_in_the_background if count(demands([commit, run("git push")], {}, task({"exit_code": 1}))) == 1

at(now, hours) := {"now": now, "config": {"params": {"quiet_hours": hours}}}

test_quiet if {
	count(demands([commit], {}, at("2026-10-05T23:00:00.000Z", {}))) == 0
	count(demands([commit], checked(["unpushed"]), at("2026-10-05T06:59:00.000Z", {}))) == 0
	{d.code | some d in demands([commit], checked(["dirty", "unpushed"]), at("2026-10-05T23:00:00.000Z", {}))} == {"example.not_committed"}
}

test_not_quiet if {
	count(demands([commit], {}, at("2026-10-05T07:00:00.000Z", {}))) == 1
	count(demands([commit], {}, at("2026-10-05T23:00:00.000Z", {"from": "00:00", "to": "06:00"}))) == 1
	count(demands([commit], {}, at("2026-10-05T23:00:00.000Z", {"utc_offset_minutes": -120}))) == 1
}
