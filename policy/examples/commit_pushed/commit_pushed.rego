# METADATA
# title: Commit pushed
# description: A turn that edits or commits leaves nothing uncommitted and nothing unpushed.
# schemas:
#   - input: schema.input
# custom:
#   code: example.not_pushed
#   codes: [example.not_committed]
#   severity: block
#   deferrable: true
package stophook.rules.commit_pushed

# Parameters: those of quiet_hours. While it is quiet this rule asks for commits and not for pushes, or the two
# would hold the agent between them.
#
# Where the facts come from, the better source first:
#   - the status check of this turn that no other call came after: it looked at Git itself
#     (input.evidence.status_check.git), in the directory where it was run;
#   - without one, the calls: a `git commit` that no `git push` followed.
#
# What this rule cannot see, and what it does about it:
#   - Whose changes Git reports. What a person left uncommitted counts too, but only in a turn that edits or
#     commits itself; in any other turn nothing is asked.
#   - Other repositories and work trees than the one of the status check: by their calls only.
#   - Commits and pushes inside scripts or by a subagent: by Git's word only, and a push that the status check
#     made before is stale anyway.
#   - A push that still runs in the background: nothing is asked, and the turn that its end begins is asked again
#     by its own status check.
# The setting require_git_finalization does the first half without a rule: the status check itself refuses.

demand contains {"code": "example.not_committed", "text": text} if {
	worked
	git.findings[_] in {"dirty", "untracked", "submodule_dirty"}
	text := sprintf("Commit: Git has changes%s that are not committed. Run `git add -A && git commit`.", [on_branch])
}

demand contains {"text": text} if {
	worked
	not quiet
	not pushing
	finding := [f | some f in ["diverged", "behind", "no_upstream", "unpushed", "submodule_unpushed"]; f in git.findings][0]
	told := {
		"unpushed": ["has commits that are not pushed", "git push"],
		"submodule_unpushed": ["has a submodule with commits that are not pushed", "git push --recurse-submodules=on-demand"],
		"no_upstream": ["is pushed nowhere", "git push -u origin HEAD"],
		"behind": ["lacks commits of its upstream", "git pull --rebase"],
		"diverged": ["and its upstream went apart", "git pull --rebase && git push"],
	}[finding]
	text := sprintf("Push: the branch%s %s. Run `%s`.", [on_branch, told[0], told[1]])
}

demand contains {"text": text, "evidence": [input.turn.tools[last_commit].at.offset]} if {
	not git
	not quiet
	not pushing
	not pushed_after(last_commit)
	text := sprintf("Push: you committed and did not push since%s. Run `git push`.", [failed_push])
}

# Only what Git could tell: a check that had no time says nothing about pushes.
git := g if {
	g := input.evidence.status_check.git
	count({f | some f in g.findings; f in {"git_failed", "git_timeout", "no_git"}}) == 0
}

on_branch := sprintf(" on %s", [git.branch]) if git.branch

else := ""

worked if last_commit >= 0

worked if {
	some call in input.turn.tools
	call.name in {"Edit", "MultiEdit", "Write", "NotebookEdit"}
	not call.failed
}

last_commit := max([i | some i, call in input.turn.tools; regex.match(command_pattern("git commit"), call.command); done(call)])

pushed_after(i) if {
	some j, call in input.turn.tools
	j >= i
	regex.match(command_pattern("git push"), call.command)
	done(call)
}

failed_push := " (the push failed)" if {
	some call in input.turn.tools
	regex.match(command_pattern("git push"), call.command)
	not done(call)
} else := ""

pushing if {
	some task in input.tasks
	task.state == "running"
	regex.match(command_pattern("git push"), task.command)
}

# done: it ran and did not fail. A call that got into the background is judged by its task.
done(call) if {
	call.result_time
	not call.failed
	count({t | some t in input.tasks; t.tool_use_id == call.id; object.get(t, "exit_code", 1) != 0}) == 0
}

# command_pattern matches a command line that begins the command, with Git's own flags before its word.
command_pattern(command) := sprintf(`(?:^|[;&|(\n])\s*(?:(?:time|env|command|\w+=\S*)\s+)*%s(?:$|[\s;&|)])`, [replace(command, "git ", `git(?:\s+(?:-C|-c)\s+\S+)*\s+`)])

# quiet is as in quiet_hours. Times of one day compare as numbers of minutes.
quiet if {
	window := input.config.params.quiet_hours
	from := minutes(object.get(window, "from", "22:00"))
	to := minutes(object.get(window, "to", "07:00"))
	now := (((minutes(substring(input.now, 11, 5)) + object.get(window, "utc_offset_minutes", 0)) % 1440) + 1440) % 1440
	((now - from) + 1440) % 1440 < ((to - from) + 1440) % 1440
}

minutes(clock) := (to_number(parts[0]) * 60) + to_number(parts[1]) if parts := split(clock, ":")
