package policy

import (
	"math"
	"strings"

	"github.com/stophook/stophook/policy/decisionlog"
)

// configSetting is one key of one file, checked.
type configSetting struct {
	path string   // log.enabled, rules.NAME.fail, params.KEY
	spec *keySpec // nil for params
	line int
	// value is an int64, a bool, a string, a []decisionlog.Mask, or, for params,
	// any JSON value.
	value any
}

const (
	paramsPrefix = "params."
	rulesPrefix  = "rules."
)

// maxConfigErrors bounds what is told about one file.
const maxConfigErrors = 20

// settingsParser collects a file's settings and everything that is wrong with
// it, so that one run shows all there is to fix. A key with an empty value
// ("rules:" with all its lines commented out) counts as not set.
type settingsParser struct {
	file     string
	specs    []keySpec
	settings []configSetting
	errs     []error
}

// parseSettings checks a whole file. What is valid is returned also when other
// keys are not.
func parseSettings(root *configNode, file string) ([]configSetting, []error) {
	p := &settingsParser{file: file, specs: configSpecs()}
	p.group(root, "", func(key string, n *configNode) {
		switch key {
		case "rules":
			p.group(n, rulesPrefix, p.rule)
		case "log":
			p.group(n, "log.", func(key string, n *configNode) { p.key("log."+key, "log."+key, "log.", n) })
		case "params":
			p.group(n, paramsPrefix, func(key string, n *configNode) {
				p.settings = append(p.settings, configSetting{path: paramsPrefix + key, line: n.line, value: n.plain()})
			})
		default:
			p.key(key, key, "", n)
		}
	})
	return p.settings, p.errs
}

// group visits the keys of a map.
func (p *settingsParser) group(n *configNode, prefix string, visit func(key string, n *configNode)) {
	if n.kind == nodeNull {
		return
	}
	if n.kind != nodeMap {
		p.fail(ErrConfigType, strings.TrimSuffix(prefix, "."), n, "is "+n.kind.String()+", not a group of keys",
			"", "write KEY: VALUE lines below it")
		return
	}
	for i, key := range n.keys {
		visit(key, n.kids[i])
	}
}

func (p *settingsParser) rule(name string, n *configNode) {
	if !ruleName(name) {
		p.fail(ErrConfigUnknownKey, rulesPrefix+name, n, "is no rule name", "letters, digits and _ (the last part of the rule's package)",
			"write the NAME of package stophook.rules.NAME")
		return
	}
	prefix := rulesPrefix + name + "."
	p.group(n, prefix, func(key string, n *configNode) { p.key(prefix+key, "rules.*."+key, "rules.*.", n) })
}

// ruleName reports whether s can be the last part of a Rego package path.
func ruleName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// key checks one leaf: path is its name in this file, pattern its name among the
// specs, prefix the group it stands in.
func (p *settingsParser) key(path, pattern, prefix string, n *configNode) {
	if len(p.errs) >= maxConfigErrors {
		return // a file of nothing but mistakes: the rest can wait
	}
	for i := range p.specs {
		if p.specs[i].path == pattern {
			p.leaf(path, &p.specs[i], n)
			return
		}
	}
	name := strings.TrimPrefix(pattern, prefix)
	here := keysUnder(p.specs, prefix)
	advice := "use one of " + strings.Join(here, ", ") + ", or put a setting of your own under params"
	if s := nearestKey(name, here, allPaths(p.specs)); s != "" {
		advice = "did you mean " + s + "?"
	}
	p.fail(ErrConfigUnknownKey, path, n, "is no key that this version knows", "", advice)
}

func (p *settingsParser) leaf(path string, spec *keySpec, n *configNode) {
	if n.kind == nodeNull {
		return
	}
	value, problem, kind := spec.check(n)
	if problem != "" {
		p.fail(kind, path, n, problem, spec.allowed(), "correct the value, or remove the key for the default ("+spec.def+")")
		return
	}
	p.settings = append(p.settings, configSetting{path: path, spec: spec, line: n.line, value: value})
}

// check converts a node to the key's type and holds it against its bounds. A
// problem comes with the sentinel it belongs to.
func (k *keySpec) check(n *configNode) (value any, problem string, kind error) {
	if k.kind == keyMasks {
		return checkMasks(n)
	}
	if n.kind != nodeScalar {
		return nil, "is " + n.kind.String(), ErrConfigType
	}
	switch v := n.scalar.(type) {
	case bool:
		if k.kind == keyBool {
			return v, "", nil
		}
	case string:
		if k.kind != keyEnum {
			break
		}
		for _, allowed := range k.values {
			if v == allowed {
				return v, "", nil
			}
		}
		return nil, showValue(v) + " is not one of the values", ErrConfigRange
	default:
		if k.kind != keyInt {
			break
		}
		i, whole := wholeNumber(v)
		if !whole {
			return nil, showValue(v) + " is no whole number", ErrConfigType
		}
		if i < k.min || i > k.max {
			return nil, showValue(v) + " is out of bounds", ErrConfigRange
		}
		return i, "", nil
	}
	return nil, showValue(n.scalar) + " has the wrong type", ErrConfigType
}

// wholeNumber accepts 30 and 30.0, as JSON Schema's integer does. A number too
// large for int64 is whole and out of every bound.
func wholeNumber(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case float64:
		if v != math.Trunc(v) {
			return 0, false
		}
		if math.Abs(v) > 1<<53 {
			return math.MaxInt64, true
		}
		return int64(v), true
	default: // json.Number beyond int64
		return math.MaxInt64, true
	}
}

func checkMasks(n *configNode) (value any, problem string, kind error) {
	if n.kind != nodeList {
		return nil, "is " + n.kind.String() + ", not a list", ErrConfigType
	}
	masks := make([]decisionlog.Mask, 0, len(n.kids))
	for _, kid := range n.kids {
		m, err := decisionlog.ParseMask(kid.plain())
		if err != nil {
			return nil, showValue(kid.plain()) + ": " + err.Error(), ErrConfigRange
		}
		masks = append(masks, m)
	}
	return masks, "", nil
}

func (p *settingsParser) fail(kind error, key string, n *configNode, problem, allowed, advice string) {
	if len(p.errs) >= maxConfigErrors {
		return
	}
	e := &ConfigError{File: p.file, Line: n.line, Key: key, Problem: problem, Allowed: allowed, Advice: advice, Err: kind}
	if n.kind == nodeScalar {
		e.Value = showValue(n.scalar)
	}
	p.errs = append(p.errs, e)
}
