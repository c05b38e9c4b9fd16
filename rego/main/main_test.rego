package stophook.main_test

import data.stophook.main

ritual := {
	"status_check": {"check_id": "k3f9a1b2"},
	"status_box": {"check_id": "k3f9a1b2"},
	"task_declared": {"text": "parser"},
	"session_named": {"name": "parser"},
}

base := {
	"host": {"name": "claude-code", "mode": "interactive", "event": "Stop", "can_block": true},
	"self": {"command": "stophook", "bypass": false, "shadow": false},
	"transcript": {"blind": []},
	"turn": {"is_tool_turn": true, "api_error": false},
	"tasks": [],
	"handoffs": [],
	"debt": {"owed": [], "nudged": false},
	"evidence": {"available": true},
	"remediation": {"count": 0, "cap": 5},
	"config": {"closing": "any_text", "defer_minutes": 30, "rules": {}, "box_on_prose": false},
}

handoff := [{"task_id": "b1", "age_seconds": 60, "state": {"any_text": "open", "ended": "open"}}]

of(code, deferrable, order) := {
	"code": code, "codes": [code], "severity": "block", "deferrable": deferrable,
	"fail": "open", "layer": 0, "order": order, "title": code,
}

meta := {
	"status_check": of("stop-hook.status_check_missing", true, 10),
	"status_box": of("stop-hook.status_box_missing", true, 20),
	"task_declared": of("stop-hook.task_undeclared", false, 30),
	"session_named": of("stop-hook.session_unnamed", false, 40),
	"background_debt": of("stop-hook.background_debt", false, 50),
}

deferral_meta := {"background_handoff": of("stop-hook.background_handoff_deferred", false, 10)}

decide(change) := out if out := main.decision with input as object.union(base, change)
	with data.stophook.meta as meta
	with data.stophook.deferral_meta as deferral_meta
	with data.stophook.known as meta
	with data.stophook.warnings as []

fail(change) := out if out := main.on_failure with input as object.union(object.union(base, {"failure": {"kind": "policy_error", "message": "broken", "file": "p.rego", "line": 3}}), change)
	with data.stophook.meta as meta
	with data.stophook.known as object.union(meta, {"inline_waiter": "built-in"})

test_block_names_all_in_order if {
	d := decide({})
	[d.verdict, d.code] == ["block", "stop-hook.status_check_missing"]
	[x.rule | some x in d.demands] == ["status_check", "status_box", "task_declared", "session_named"]
	d.effects == {"remediation": "increment", "reconcile_session_end": false, "nudge": false}
	startswith(d.reason, "This turn cannot end yet:\n- Status check")
}

test_pass if {
	d := decide({"evidence": ritual})
	[d.verdict, d.code, d.effects.remediation] == ["allow", "stop-hook.pass", "clear"]
}

test_prose if decide({"turn": {"is_tool_turn": false}}).code == "stop-hook.prose_pass"

# PO-3, PO-4, PO-12.
test_defer if {
	d := decide({"handoffs": handoff, "evidence": object.remove(ritual, ["status_check", "status_box"])})
	[d.verdict, d.code, d.effects.remediation] == ["defer", "stop-hook.background_handoff_deferred", "clear"]
	[x.task_id | some x in d.deferrals] == ["b1"]
	every x in d.demands { x.deferred }
}

test_defer_keeps_the_task if {
	d := decide({"handoffs": handoff})
	[d.verdict, d.code] == ["block", "stop-hook.task_undeclared"]
	not contains(d.reason, "Status")
}

test_nothing_to_defer if {
	d := decide({"handoffs": handoff, "evidence": ritual})
	[d.code, d.deferrals] == ["stop-hook.pass", []]
}

# PO-8.
test_defer_in_claude_code_only if decide({"handoffs": handoff, "host": {"name": "codex"}}).code == "stop-hook.status_check_missing"

test_deferral_switched_off if {
	c := {"rules": {"background_handoff": {"severity": "off"}}}
	decide({"handoffs": handoff, "config": c}).code == "stop-hook.status_check_missing"
}

# PO-7: only an ordinary pass reconciles.
test_session_end if {
	asked := {"evidence": object.union(ritual, {"session_end_requested": {"at": "x"}})}
	decide(asked).effects.reconcile_session_end
	decide({"turn": {"is_tool_turn": false}, "evidence": {"session_end_requested": {"at": "x"}}}).effects.reconcile_session_end
	lifted := decide({"handoffs": handoff, "evidence": object.remove(asked.evidence, ["status_check"])})
	lifted.effects == {"remediation": "clear", "reconcile_session_end": false, "nudge": false}
}

test_severities if {
	c := {"rules": {"status_check": {"severity": "warn"}, "status_box": {"severity": "observe"}, "task_declared": {"severity": "off"}, "session_named": {"severity": "off"}}}
	d := decide({"config": c})
	d.code == "stop-hook.pass"
	[x.rule | some x in d.demands] == ["status_check", "status_box"]
	contains(d.system_message, "Status check")
	not contains(d.system_message, "Status box")
}

test_early if {
	decide({"host": {"event": "SubagentStop"}}).code == "stop-hook.not_main_thread"
	decide({"host": {"event": "StopFailure"}}).code == "stop-hook.host_cannot_block"
	decide({"host": {"can_block": false}}).code == "stop-hook.host_cannot_block"
	decide({"turn": {"api_error": true}}).code == "stop-hook.host_cannot_block"
	decide({"host": {"event": "SessionStart"}}).code == "stop-hook.pass"
	bypass := decide({"self": {"bypass": true}})
	bypass.code == "stop-hook.bypass"
	bypass.system_message != ""
}

# D-37.
test_evidence if {
	open := decide({"evidence": {"available": false, "error": "locked"}})
	[open.verdict, open.code] == ["allow", "stop-hook.evidence_unavailable"]
	contains(open.system_message, "locked")
	shut := decide({"evidence": {"available": false}, "config": {"rules": {"status_check": {"fail": "closed"}}}})
	[shut.verdict, shut.code, shut.effects.remediation] == ["block", "stop-hook.evidence_unavailable", "increment"]
}

# D-38.
test_cap if {
	decide({"remediation": {"count": 4}}).verdict == "block"
	d := decide({"remediation": {"count": 5}})
	[d.verdict, d.code, d.effects.remediation] == ["allow", "stop-hook.remediation_cap", "clear"]
	contains(d.system_message, "stop-hook.status_check_missing, stop-hook.status_box_missing")
	decide({"remediation": {"count": 7, "cap": 99}}).code == "stop-hook.remediation_cap"
}

test_shadow if {
	d := decide({"self": {"shadow": true}})
	[d.verdict, d.effects.remediation] == ["block", "keep"]
}

test_debt if {
	host := {"mode": "headless"}
	d := decide({"host": host, "evidence": ritual, "debt": {"owed": ["b1"]}})
	[d.code, d.effects.nudge] == ["stop-hook.background_debt", true]
	after := decide({"host": host, "evidence": ritual, "debt": {"owed": ["b1"], "nudged": true}})
	after.code == "stop-hook.pass"
	startswith(after.system_message, "1 background task was never collected")
}

test_pretooluse if {
	m := {"inline_waiter": of("stop-hook.inline_waiter", false, 10)}
	call := object.union(base, {"host": {"event": "PreToolUse"}, "tool": {"name": "Bash", "shell": {"waits": [{"kind": "watch", "text": "watch ls", "line": 1}]}}})
	d := main.decision with input as call with data.stophook.meta as m with data.stophook.deferral_meta as {} with data.stophook.warnings as []
	[d.verdict, d.code, d.effects.remediation] == ["block", "stop-hook.inline_waiter", "keep"]
	startswith(d.reason, "This command was not run:")
}

test_blind_is_a_warning if {
	d := decide({"transcript": {"blind": ["missing"]}, "turn": {"is_tool_turn": false}})
	d.warnings == ["the transcript could not be seen whole: missing"]
}

test_incomplete_input if {
	d := decide({"config": {"closing": null}})
	[e.message | some e in d.errors] == ["the input document lacks config.closing"]
}

# Demands and deferrals of the wrong shape make the decision void.
shaped(demand, deferral) := {e.rule | some e in out.errors} if {
	out := main.decision with input as base
		with data.stophook.meta as {"mine": of("acme.mine", true, 1)}
		with data.stophook.rules as {"mine": {"demand": [demand]}}
		with data.stophook.deferral_meta as {"yours": of("acme.yours", false, 1)}
		with data.stophook.deferrals as {"yours": {"defer": [deferral]}}
		with data.stophook.warnings as []
}

test_shapes if {
	good := {"text": "x", "evidence": [1]}
	later := {"code": "acme.yours", "task_id": "b1"}
	shaped(good, later) == set()
	every bad in ["x", {}, {"text": " "}, {"text": 1}, {"text": "x", "code": "acme.other"}, {"text": "x", "severity": "warn"}] {
		shaped(bad, later) == {"mine"}
	}
	every bad in ["x", {}, {"code": "acme.yours"}, {"code": "x", "task_id": "b1"}, {"code": "acme.yours", "task_id": "b1", "until": 7}, object.union(later, {"more": 1})] {
		shaped(good, bad) == {"yours"}
	}
}

test_failure if {
	d := fail({})
	[d.verdict, d.code] == ["allow", "stop-hook.policy_error"]
	contains(d.system_message, "p.rego:3: broken")
	nowhere := fail({"failure": {"kind": "evidence_unavailable", "file": ""}})
	nowhere.code == "stop-hook.evidence_unavailable"
	nowhere.system_message == "stophook failed, so nothing was checked: broken"
}

test_failure_closed if {
	closed := {"rules": {"status_check": {"fail": "closed"}}}
	d := fail({"config": closed})
	[d.verdict, d.code, d.effects.remediation] == ["block", "stop-hook.policy_error", "increment"]
	fail({"config": closed, "remediation": {"count": 5}}).code == "stop-hook.remediation_cap"
	fail({"config": closed, "host": {"event": "PreToolUse"}}).verdict == "allow"
	fail({"config": closed, "self": {"bypass": true}}).verdict == "allow"

	# A rule that did not load speaks through the settings; one of another event does not.
	fail({"config": {"rules": {"gone": {"fail": "closed"}}}}).verdict == "block"
	fail({"config": {"rules": {"inline_waiter": {"fail": "closed"}}}}).verdict == "allow"
}

# A stop that another host does not let us hold is said; Claude Code's own are known.
test_unheld_stop_is_said if {
	contains(decide({"host": {"can_block": false, "name": "windsurf"}}).system_message, "windsurf cannot be held")
	decide({"host": {"can_block": false, "name": "claude-code"}}).system_message == ""
}
