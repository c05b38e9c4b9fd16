package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// A RuleMeta is what the METADATA of a rule or deferral say, with its place.
type RuleMeta struct {
	Name        string // last part of the package: stophook.rules.NAME
	Deferral    bool   // package stophook.deferrals.NAME: it lifts demands and makes none
	Title       string
	Description string
	Brief       string   // one line for the start of a session; {{command}} stands for how to call us, {{session}} for what names the session; may be empty
	Codes       []string // at least one; the first is the default of its demands
	Severity    string   // block (default), warn, observe or off
	Fail        string   // open (default) or closed
	Deferrable  bool     // deferrals may lift its demands; default false
	Events      []string // hook events that it judges: Stop (default), PreToolUse
	Order       int      // rank among the demands behind the built-in ritual; default 100
	Layer       int      // rank of its layer: 0 is the built-in one
	LayerName   string
	File        string
	Line        int // of the package clause
}

// For reports whether the rule judges the event.
func (m *RuleMeta) For(event string) bool { return slices.Contains(m.Events, event) }

// what names the rule in messages.
func (m *RuleMeta) what() string {
	if m.Deferral {
		return "deferral " + m.Name
	}
	return "rule " + m.Name
}

// metaHint tells authors what a rule's file has to begin with.
const metaHint = `begin one file of the rule with a block like
    # METADATA
    # title: Changelog
    # description: Work that users see is in the changelog.
    # custom: {code: acme.changelog_missing, severity: block, deferrable: false}
  directly above its package line`

// reservedCodes are verdicts of the aggregator: a demand with one of them would
// make a block look like something else.
func reservedCode(code string) bool {
	switch strings.TrimPrefix(code, "stop-hook.") {
	case "pass", "prose_pass", "remediation_cap", "evidence_unavailable", "policy_error", "bypass", "not_main_thread", "host_cannot_block":
		return strings.HasPrefix(code, "stop-hook.")
	}
	return false
}

// A metaFault is one thing that is wrong with METADATA.
type metaFault struct {
	key string // such as custom.severity; empty when none is at fault
	msg string
}

func (f *metaFault) Error() string { return f.msg }

// metaFaults are all of one block, by key.
type metaFaults []*metaFault

func (f metaFaults) Error() string {
	msgs := make([]string, len(f))
	for i, fault := range f {
		msgs[i] = fault.msg
	}
	return strings.Join(msgs, "; ")
}

// newRuleMeta reads the METADATA block of a package clause; a is nil when there is none.
func newRuleMeta(m *RuleMeta, a *ast.Annotations) (faults metaFaults) {
	m.Severity, m.Fail, m.Order, m.Events, m.Title = "block", "open", 100, []string{"Stop"}, m.Name
	fail := func(key, format string, args ...any) {
		faults = append(faults, &metaFault{key, fmt.Sprintf(format, args...)})
	}
	if a == nil {
		fail("", "%s has no METADATA for its package, so it has no code", m.what())
		return faults
	}
	m.Description = a.Description
	if a.Title != "" {
		m.Title = a.Title
	}
	for _, key := range slices.Sorted(maps.Keys(a.Custom)) {
		if err := m.set(key, a.Custom[key]); err != nil {
			fail("custom."+key, "METADATA of %s: custom.%s: %v", m.what(), key, err)
		}
	}
	if a.Custom["code"] == nil && a.Custom["codes"] == nil {
		fail("custom", "METADATA of %s lack custom.code", m.what())
	}
	for _, c := range m.Codes {
		if c != "" && !strings.ContainsAny(c, " \t\n") && !reservedCode(c) {
			continue
		}
		if key := "custom.code"; len(faults) == 0 { // an empty one was told when it was read
			if s, _ := a.Custom["code"].(string); s != c {
				key = "custom.codes"
			}
			fail(key, "METADATA of %s: %q cannot be the code of a demand", m.what(), c)
		}
	}
	return faults
}

// set reads one key of custom. Keys that are not ours belong to the author.
func (m *RuleMeta) set(key string, v any) (err error) {
	switch key {
	case "code":
		var c string
		err = metaString(&c, v)
		m.Codes = append([]string{c}, m.Codes...)
	case "codes":
		var c []string
		err = metaStrings(&c, v)
		m.Codes = append(m.Codes, c...)
	case "severity":
		err = metaOneOf(&m.Severity, v, "block", "warn", "observe", "off")
	case "fail":
		err = metaOneOf(&m.Fail, v, "open", "closed")
	case "brief":
		err = metaString(&m.Brief, v)
	case "deferrable":
		var ok bool
		if m.Deferrable, ok = v.(bool); !ok {
			err = fmt.Errorf("true or false is expected")
		}
	case "events":
		if err = metaStrings(&m.Events, v); err != nil {
			return err
		}
		for _, e := range m.Events {
			if e != "Stop" && e != "PreToolUse" {
				return fmt.Errorf("%q is no event that rules can judge; there are Stop and PreToolUse", e)
			}
		}
	case "order":
		err = metaInt(&m.Order, v)
	}
	return err
}

func metaString(p *string, v any) error {
	s, ok := v.(string)
	if !ok || strings.TrimSpace(s) == "" {
		return fmt.Errorf("a text is expected")
	}
	*p = s
	return nil
}

func metaOneOf(p *string, v any, allowed ...string) error {
	s, _ := v.(string)
	if !slices.Contains(allowed, s) {
		return fmt.Errorf("%v is none of %s", v, strings.Join(allowed, ", "))
	}
	*p = s
	return nil
}

func metaStrings(p *[]string, v any) error {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return fmt.Errorf("a list of texts is expected")
	}
	*p = make([]string, len(list))
	for i, e := range list {
		if err := metaString(&(*p)[i], e); err != nil {
			return err
		}
	}
	return nil
}

func metaInt(p *int, v any) error {
	switch n := v.(type) {
	case int:
		*p = n
		return nil
	case float64:
		if *p = int(n); float64(*p) == n {
			return nil
		}
	case json.Number:
		i, err := n.Int64()
		*p = int(i)
		return err
	}
	return fmt.Errorf("a whole number is expected")
}

// term is the METADATA as the policies see them, at data.stophook.meta.NAME.
func (m *RuleMeta) term() *ast.Term {
	codes := make([]*ast.Term, len(m.Codes))
	for i, c := range m.Codes {
		codes[i] = ast.StringTerm(c)
	}
	pair := func(k string, v *ast.Term) [2]*ast.Term { return [2]*ast.Term{ast.StringTerm(k), v} }
	return ast.ObjectTerm(
		pair("code", codes[0]),
		pair("codes", ast.ArrayTerm(codes...)),
		pair("severity", ast.StringTerm(m.Severity)),
		pair("deferrable", ast.BooleanTerm(m.Deferrable)),
		pair("fail", ast.StringTerm(m.Fail)),
		pair("layer", ast.IntNumberTerm(m.Layer)),
		pair("order", ast.IntNumberTerm(m.Order)),
		pair("title", ast.StringTerm(m.Title)),
	)
}
