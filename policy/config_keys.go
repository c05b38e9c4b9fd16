package policy

import (
	"slices"
	"strconv"
	"strings"
)

// keyKind is the type of a key's value.
type keyKind int

const (
	keyInt keyKind = iota
	keyBool
	keyEnum
	keyMasks
)

// keyDirection says which of two values of a key is the stricter one, and so which
// way a lower layer may move it.
type keyDirection int

const (
	strictNeither  keyDirection = iota // neither: the higher layer decides
	strictSmaller                      // the smaller number
	strictLarger                       // the larger number, true, or the later enum value
	strictAddition                     // lists only grow
)

// keySpec is one key: its type, its bounds and its strict direction.
type keySpec struct {
	path     string // dotted; * stands for a rule's name
	kind     keyKind
	min, max int64
	unit     string
	values   []string // of an enum, from loose to strict
	strict   keyDirection
	def      string // the default in words, for messages
}

// configSpecs lists all keys except params. It is a function so that a process
// without config files does not pay for it at start.
//
// Why each direction is the strict one:
//   - defer_minutes: a shorter deferral ends sooner.
//   - remediation_cap: a higher cap insists longer before a stop passes anyway.
//   - closing: whatever closes in mode ended closes in mode any_text as well, so
//     with any_text a deferral ends no later.
//   - task_scope: turn demands what session demands, and more.
//   - window_bytes: a window too small hides the start of the turn and with it
//     the tool calls that owe the ritual; a larger one only sees more.
//   - box_window_bytes: a box must carry the id of this turn's check, so a larger
//     window can only let more stops pass, and a smaller one only fewer.
//   - rules: severity upwards; a rule that fails closed demands more.
//   - log: a lower layer cannot switch the log off, shorten it, or unmask what a
//     higher layer masks.
//   - block_style is a matter of looks, and so is decided by the higher layer.
func configSpecs() []keySpec {
	return []keySpec{
		{path: "defer_minutes", kind: keyInt, min: MinDeferMinutes, max: MaxDeferMinutes, unit: " minutes", strict: strictSmaller, def: "30"},
		{path: "remediation_cap", kind: keyInt, min: MinRemediationCap, max: MaxRemediationCap, unit: " blocks", strict: strictLarger, def: "5"},
		{path: "closing", kind: keyEnum, values: []string{ClosingEnded, ClosingAnyText}, strict: strictLarger, def: ClosingAnyText},
		{path: "task_scope", kind: keyEnum, values: []string{TaskScopeSession, TaskScopeTurn}, strict: strictLarger, def: TaskScopeSession},
		{path: "box_on_prose", kind: keyBool, strict: strictLarger, def: "false"},
		{path: "require_git_finalization", kind: keyBool, strict: strictLarger, def: "false"},
		{path: "block_style", kind: keyEnum, values: []string{BlockStyleDecision, BlockStyleFeedback}, strict: strictNeither, def: BlockStyleDecision},
		{path: "window_bytes", kind: keyInt, min: MinWindowBytes, max: MaxWindowBytes, unit: " bytes", strict: strictLarger, def: "8388608"},
		{path: "box_window_bytes", kind: keyInt, min: MinBoxWindowBytes, max: MaxBoxWindowBytes, unit: " bytes", strict: strictSmaller, def: "262144"},
		{path: "rules.*.severity", kind: keyEnum, values: []string{SeverityOff, SeverityObserve, SeverityWarn, SeverityBlock}, strict: strictLarger, def: "the rule's own"},
		{path: "rules.*.fail", kind: keyEnum, values: []string{FailOpen, FailClosed}, strict: strictLarger, def: FailOpen},
		{path: "log.enabled", kind: keyBool, strict: strictLarger, def: "true"},
		{path: "log.max_bytes", kind: keyInt, min: MinLogBytes, max: MaxLogBytes, unit: " bytes", strict: strictLarger, def: "16777216"},
		{path: "log.mask", kind: keyMasks, strict: strictAddition, def: "none"},
	}
}

// keysUnder lists the names that may stand directly under a prefix ("" for the
// top level), for suggestions.
func keysUnder(specs []keySpec, prefix string) []string {
	var out []string
	if prefix == "" {
		out = append(out, "params")
	}
	for i := range specs {
		rest, ok := strings.CutPrefix(specs[i].path, prefix)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, ".")
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func allPaths(specs []keySpec) []string {
	out := make([]string, len(specs))
	for i := range specs {
		out[i] = strings.Replace(specs[i].path, "*", "NAME", 1)
	}
	return out
}

// allowed is the bound in words.
func (k *keySpec) allowed() string {
	switch k.kind {
	case keyInt:
		return strconv.FormatInt(k.min, 10) + " to " + strconv.FormatInt(k.max, 10) + k.unit
	case keyBool:
		return "true or false"
	case keyEnum:
		last := len(k.values) - 1
		return strings.Join(k.values[:last], ", ") + " or " + k.values[last]
	default:
		return "a list of mask paths"
	}
}

// keyRelation compares a lower layer's value with the one in force.
type keyRelation int

const (
	relSame keyRelation = iota
	relTighter
	relLooser
	relOther // different, and neither is stricter
)

// compare says how next, a lower layer's value, relates to cur.
func (k *keySpec) compare(cur, next any) keyRelation {
	var a, b int64
	switch k.kind {
	case keyInt:
		a, b = cur.(int64), next.(int64)
	case keyBool:
		a, b = boolRank(cur.(bool)), boolRank(next.(bool))
	case keyEnum:
		a, b = int64(slices.Index(k.values, cur.(string))), int64(slices.Index(k.values, next.(string)))
	}
	switch {
	case a == b:
		return relSame
	case k.strict == strictNeither:
		return relOther
	case (b > a) == (k.strict == strictLarger):
		return relTighter
	default:
		return relLooser
	}
}

func boolRank(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
