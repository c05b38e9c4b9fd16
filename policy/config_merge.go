package policy

import (
	"reflect"
	"slices"
	"strings"

	"github.com/stophook/stophook/policy/decisionlog"
)

// configMerger layers settings, highest file first.
type configMerger struct {
	order    []string // paths in the order of their first appearance
	inForce  map[string]*configDecision
	warnings []Warning
}

type configDecision struct {
	value any
	file  string
	line  int
}

func (m *configMerger) add(file string, s *configSetting) {
	cur := m.inForce[s.path]
	if cur == nil {
		if m.inForce == nil {
			m.inForce = map[string]*configDecision{}
		}
		m.inForce[s.path] = &configDecision{s.value, file, s.line}
		m.order = append(m.order, s.path)
		return
	}
	rel := relOther
	switch {
	case s.spec == nil:
		if reflect.DeepEqual(cur.value, s.value) {
			rel = relSame
		}
	case s.spec.strict == strictAddition:
		cur.value = addMasks(cur.value.([]decisionlog.Mask), s.value.([]decisionlog.Mask))
		return
	default:
		rel = s.spec.compare(cur.value, s.value)
	}
	switch rel {
	case relTighter:
		*cur = configDecision{s.value, file, s.line}
	case relLooser, relOther:
		m.warnings = append(m.warnings, Warning{
			Key: s.path, File: file, Line: s.line, Value: showValue(s.value),
			KeptFile: cur.file, KeptLine: cur.line, KeptValue: showValue(cur.value), Neutral: rel == relOther,
		})
	}
}

// addMasks appends the new masks whose path is not masked yet; on the same path
// the higher layer's mask stays.
func addMasks(have, more []decisionlog.Mask) []decisionlog.Mask {
	have = slices.Clone(have)
	for _, m := range more {
		if !slices.ContainsFunc(have, func(h decisionlog.Mask) bool { return h.Path == m.Path }) {
			have = append(have, m)
		}
	}
	return have
}

// set stores a checked value under its path.
func (c *Config) set(path string, value any) {
	if key, ok := strings.CutPrefix(path, paramsPrefix); ok {
		c.Params[key] = value
		return
	}
	if rest, ok := strings.CutPrefix(path, rulesPrefix); ok {
		name, field, _ := strings.Cut(rest, ".")
		r := c.Rules[name]
		if field == "severity" {
			r.Severity = value.(string)
		} else {
			r.Fail = value.(string)
		}
		c.Rules[name] = r
		return
	}
	switch path {
	case "defer_minutes":
		c.DeferMinutes = int(value.(int64))
	case "remediation_cap":
		c.RemediationCap = int(value.(int64))
	case "closing":
		c.Closing = value.(string)
	case "task_scope":
		c.TaskScope = value.(string)
	case "box_on_prose":
		c.BoxOnProse = value.(bool)
	case "require_git_finalization":
		c.RequireGitFinalization = value.(bool)
	case "block_style":
		c.BlockStyle = value.(string)
	case "window_bytes":
		c.WindowBytes = value.(int64)
	case "box_window_bytes":
		c.BoxWindowBytes = value.(int64)
	case "log.enabled":
		c.Log.Enabled = value.(bool)
	case "log.max_bytes":
		c.Log.MaxBytes = value.(int64)
	case "log.mask":
		c.Log.Mask = value.([]decisionlog.Mask)
	}
}
