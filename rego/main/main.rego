# The aggregator. It asks every rule that data.stophook.meta lists (the engine puts there what the METADATA say) and
# composes one decision. Start reading at decision; every answer leaves through finish, which counts the blocks.
package stophook.main

decision := finish(early_answer, early_text, false) if early

else := finish(
	object.union(answer, {"demands": demands, "deferrals": lifting, "warnings": array.concat(told, quiet), "errors": [e | some e in errors]}),
	concat("", ["Still missing: ", concat(", ", [data.stophook.meta[d.rule].title | some d in blocking]), "."]),
	"background_debt" in {d.rule | some d in blocking},
)

# on_failure answers when the policies could not be loaded or evaluated, so it does without data.stophook.rules.
on_failure := finish(unsure(concat(".", ["stop-hook", input.failure.kind]), failure_text), failure_text, false)

failure_text := sprintf("stophook could not evaluate its policy, so nothing was checked: %s:%d: %s", [input.failure.file, input.failure.line, input.failure.message]) if input.failure.file != ""

else := sprintf("stophook failed, so nothing was checked: %s", [input.failure.message])

# early is the code of an answer for which no rule is asked.
early := "not_main_thread" if input.host.event == "SubagentStop"

else := "bypass" if input.self.bypass

else := "host_cannot_block" if cannot_block

else := "pass" if not input.host.event in {"PreToolUse", "Stop"}

else := "evidence_unavailable" if {
	stop
	not input.evidence.available
}

early_answer := unsure("stop-hook.evidence_unavailable", early_text) if early == "evidence_unavailable"

else := {"verdict": "allow", "code": concat(".", ["stop-hook", early]), "system_message": early_text}

early_text := concat(": ", ["stophook could not read its evidence, so this stop was not checked", object.get(input, ["evidence", "error"], "no reason given")]) if early == "evidence_unavailable"

else := "stophook is bypassed: this stop was not checked." if {
	early == "bypass"
	stop
}

else := sprintf("stophook: %s cannot be held at this stop, so it was not checked.", [input.host.name]) if {
	early == "host_cannot_block"
	stop
	input.host.can_block == false
	input.host.name != "claude-code"
}

else := "" if early

stop if input.host.event == "Stop"

cannot_block if input.host.event == "StopFailure"

cannot_block if input.host.can_block == false

cannot_block if {
	stop
	input.turn.api_error
}

# unsure lets the turn end and says so, unless a rule is to fail closed.
unsure(code, text) := {"verdict": "block", "code": code, "reason": sprintf("%s This turn cannot end yet, because these rules fail closed: %s. Repair it if it is yours to repair, else tell the person.", [text, concat(", ", closed)])} if {
	stop
	not input.self.bypass
	not cannot_block
	count(closed) > 0
}

else := {"verdict": "allow", "code": code, "system_message": text, "warnings": [text]}

closed contains name if {
	some name, _ in data.stophook.meta
	fail[name] == "closed"
	severity[name] == "block"
}

# A rule that could not be loaded has no METADATA: the settings alone speak for it.
closed contains name if {
	input.failure
	some name, s in input.config.rules
	s.fail == "closed"
	object.get(s, "severity", "block") == "block"
	not data.stophook.known[name]
}

severity := object.union(
	{name: m.severity | some name, m in data.stophook.meta},
	{name: s.severity | some name, s in input.config.rules},
)

fail := object.union(
	{name: m.fail | some name, m in data.stophook.meta},
	{name: s.fail | some name, s in input.config.rules},
)

asked := [[name, m, d] |
	some name, m in data.stophook.meta
	severity[name] != "off"
	some d in data.stophook.rules[name].demand
]

# Sets come out sorted, and that is the order of the demands: the ritual, then by order, then by name.
found contains [object.get(rank, name, 9), m.order, name, demand] if {
	some [name, m, d] in asked
	well_formed(m, d)
	demand := {
		"rule": name,
		"code": object.get(d, "code", m.code),
		"text": d.text,
		"severity": severity[name],
		"deferrable": m.deferrable,
		"deferred": lifted(m),
		"layer": m.layer,
		"evidence": object.get(d, "evidence", []),
	}
}

rank := {"status_check": 1, "status_box": 2, "task_declared": 3, "session_named": 4}

demands := [d | some [_, _, _, d] in found]

blocking := [d | some d in demands; d.severity == "block"; not d.deferred]

# A deferral lifts demands of its own layer and of those below it, never one of a layer above.
lifted(m) if {
	m.deferrable
	some [layer, _] in deferring
	layer <= m.layer
}

else := false

deferring contains [m.layer, {"rule": name, "code": d.code, "task_id": d.task_id, "until": object.get(d, "until", "")}] if {
	input.host.name == "claude-code"
	some [name, m, d] in offered
	sound(m, d)
}

offered := [[name, m, d] |
	some name, m in data.stophook.deferral_meta
	not name in muted
	some d in data.stophook.deferrals[name].defer
]

muted contains name if {
	some name, s in input.config.rules
	s.severity in {"observe", "off"}
}

lifting := [d | some [layer, d] in deferring; layer <= max([x.layer | some x in demands; x.deferred])]

answer := {"verdict": "block", "code": blocking[0].code, "reason": concat("\n- ", array.concat([header], [d.text | some d in blocking]))} if count(blocking) > 0

else := {"verdict": "defer", "code": lifting[0].code, "reason": sprintf("Status evidence is put off until background task %s reports.", [lifting[0].task_id]), "system_message": concat("\n", told)} if {
	some d in demands
	d.deferred
	d.severity == "block"
}

else := {"verdict": "allow", "code": "stop-hook.prose_pass", "system_message": concat("\n", told)} if {
	stop
	not input.turn.is_tool_turn
}

else := {"verdict": "allow", "code": "stop-hook.pass", "system_message": concat("\n", told)}

header := "This turn cannot end yet:" if stop

else := "This command was not run:"

told := array.concat([d.text | some d in demands; d.severity == "warn"; not d.deferred], [n | some n in notices])

notices contains n if {
	some name, _ in data.stophook.meta
	severity[name] in {"block", "warn"}
	some n in data.stophook.rules[name].notice
	is_string(n)
}

quiet := array.concat(
	[concat("", ["the transcript could not be seen whole: ", b]) | some b in input.transcript.blind],
	data.stophook.warnings,
)

# What makes the decision void: the engine turns it into a policy error, so that a slip in a rule is no silent pass.
errors contains {"rule": name, "message": "a demand needs a text that is not blank, may have evidence and one of the METADATA's codes, and nothing else"} if {
	some [name, m, d] in asked
	not well_formed(m, d)
}

errors contains {"rule": name, "message": "a deferral needs a task_id and one of the METADATA's codes, may have until, and nothing else"} if {
	some [name, m, d] in offered
	not sound(m, d)
}

errors contains {"rule": "", "message": concat("", ["the input document lacks ", concat(".", path)])} if {
	stop
	not complete
	some path in [
		["self", "command"], ["turn", "is_tool_turn"], ["remediation", "count"], ["remediation", "cap"],
		["config", "rules"], ["config", "closing"], ["config", "defer_minutes"],
	]
	not has(path)
}

has([a, b]) if input[a][b] != null

complete if {
	is_string(input.self.command)
	is_boolean(input.turn.is_tool_turn)
	is_number(input.remediation.count)
	is_number(input.remediation.cap)
	is_object(input.config.rules)
	is_string(input.config.closing)
	is_number(input.config.defer_minutes)
}

well_formed(m, d) if {
	is_string(d.text)
	trim_space(d.text) != ""
	object.get(d, "code", m.code) in m.codes
	count(object.remove(d, ["text", "code", "evidence"])) == 0
}

sound(m, d) if {
	is_string(d.task_id)
	trim_space(d.task_id) != ""
	d.code in m.codes
	is_string(object.get(d, "until", ""))
	count(object.remove(d, ["code", "task_id", "until"])) == 0
}

# finish applies the remediation cap and says what the caller has to do. A count that is missing counts as reached.
finish(v, rest, nudge) := object.union_n([blank, v, {
	"verdict": "allow",
	"code": "stop-hook.remediation_cap",
	"reason": "",
	"system_message": sprintf("stophook lets this turn end after %v blocked stops in a row. %s", [object.get(input, ["remediation", "count"], "too many"), rest]),
	"effects": effects({"verdict": "allow", "code": ""}, false),
}]) if {
	v.verdict == "block"
	stop
	not under_cap
}

else := object.union_n([blank, v, {"effects": effects(v, nudge)}])

under_cap if input.remediation.count < min([7, input.remediation.cap])

blank := {"schema": "stophook.decision/v1", "reason": "", "demands": [], "deferrals": [], "warnings": [], "system_message": "", "errors": []}

effects(v, nudge) := {"remediation": "keep", "reconcile_session_end": false, "nudge": false} if not stop

else := {"remediation": "keep", "reconcile_session_end": false, "nudge": false} if input.self.shadow

# A failure proves nothing, so it does not start the count again either.
else := {"remediation": "keep", "reconcile_session_end": false, "nudge": false} if {
	v.verdict == "allow"
	v.code in {"stop-hook.policy_error", "stop-hook.evidence_unavailable"}
}

else := {"remediation": "increment", "reconcile_session_end": false, "nudge": nudge} if v.verdict == "block"

else := {"remediation": "clear", "reconcile_session_end": true, "nudge": false} if {
	v.code in {"stop-hook.pass", "stop-hook.prose_pass"}
	input.evidence.session_end_requested
}

else := {"remediation": "clear", "reconcile_session_end": false, "nudge": false}
