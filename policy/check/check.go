package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/policy"
)

// Options say what [Check] takes for granted. The zero value is for policies that
// people add to the built-in ones.
type Options struct {
	// Builtin says that the targets are the sources of the built-in layer, whose
	// names and codes are then not taken.
	Builtin bool
	// Configs are further configuration files, highest layer first, for example
	// those of the machine. They come before those of the targets.
	Configs []policy.Source
}

// checker is one run.
type checker struct {
	opts     Options
	targets  []Target
	files    []*file
	byName   map[string]*file
	inspect  *policy.Inspection
	schema   *node
	findings []Finding
	// told are fields that were reported by file, line and name, so that OPA's type
	// checker does not report them again.
	told map[string]bool
}

// Check looks at all files of the targets, which are layers in that order, and
// reports everything that is wrong with them. Faults of policies are findings; an
// error is only returned when there is nothing to check ([ErrNoPolicies]) or the
// program itself is broken. Check has no side effects and may run concurrently.
func Check(targets []Target, opts Options) (*Report, error) {
	c := &checker{opts: opts, targets: targets, byName: map[string]*file{}, told: map[string]bool{}}
	var err error
	if c.schema, err = inputSchema(); err != nil {
		return nil, err
	}
	c.readFiles()
	if len(c.files) == 0 && len(c.findings) == 0 {
		return nil, fmt.Errorf("%w in %s: rules are .rego files; `stophook policy new NAME` makes one", ErrNoPolicies, roots(targets))
	}
	var inspected []policy.InspectFile
	for _, f := range c.files {
		c.byName[f.name] = f
		if f.module != nil && !f.test {
			inspected = append(inspected, policy.InspectFile{Name: f.name, Layer: f.target, Module: f.module})
		}
	}
	names := make([]string, len(targets))
	for i := range targets {
		names[i] = targets[i].Name
	}
	if c.inspect, err = policy.Inspect(names, inspected, opts.Builtin); err != nil {
		return nil, err
	}
	c.checkMetadata()
	c.addInspected()
	c.checkCodes()
	all := c.names()
	for _, f := range c.files {
		if f.module == nil {
			continue
		}
		c.checkFields(f)
		c.checkTestBuiltins(f)
		c.checkDataRefs(f, all)
		c.checkRules(f)
	}
	c.compile(names)
	c.checkConfigs()
	return c.report(), nil
}

func roots(targets []Target) string {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = t.Root
		if t.Only != "" {
			names[i] = t.Root + "/" + t.Only
		}
	}
	return strings.Join(names, ", ")
}

// add reports a finding in a file; its text, layer and severity are filled in.
func (c *checker) add(f *file, x Finding) {
	x.File, x.Layer = f.name, c.targets[f.target].Name
	x.Text = f.line(x.Line)
	if x.Severity == "" {
		x.Severity = SeverityError
	}
	if x.Col > len(x.Text)+1 {
		x.Col = 0
	}
	c.findings = append(c.findings, x)
}

// at reports a finding at a place of the source.
func (c *checker) at(f *file, loc *ast.Location, x Finding) {
	if loc != nil {
		x.Line, x.Col = loc.Row, loc.Col
	}
	c.add(f, x)
}

func (c *checker) addError(f *file, e *policy.PolicyError) {
	c.add(f, Finding{Line: e.Line, Col: e.Col, Kind: e.Kind, Message: e.Message, Hint: e.Hint})
}

// addInspected takes over what the hook's loader finds.
func (c *checker) addInspected() {
	for _, e := range c.inspect.Errors {
		f := c.byName[e.File]
		switch {
		case f == nil:
			continue
		case e.Kind == policy.KindMetadataMissing && (f.lost("METADATA") || c.misplaced(f)):
			continue // told where the METADATA are
		case e.Kind == policy.KindSilent && c.lostIn(f, "demand", "defer"):
			continue
		case e.Key != "":
			e.Line, e.Col = c.metadataLine(f, e.Key, e.Line)
			if e.Hint = "correct the value"; e.Key == "custom" {
				rule, _ := policy.RuleOf(f.module.Package)
				e.Hint = "add it: `custom: {code: acme." + rule + "}`"
			}
		}
		c.addError(f, e)
	}
}

// lostIn reports whether a rule of f's package may stand in what does not parse.
func (c *checker) lostIn(f *file, names ...string) bool {
	for _, g := range c.files {
		if g.module == nil || f.module == nil || !g.module.Package.Path.Equal(f.module.Package.Path) {
			continue
		}
		for _, n := range names {
			if g.lost(n) {
				return true
			}
		}
	}
	return false
}

// checkCodes finds codes that two rules share: a decision with such a code does
// not tell which of them it comes from.
func (c *checker) checkCodes() {
	owners := map[string]*policy.RuleMeta{}
	for i := range c.inspect.Builtin {
		for _, code := range c.inspect.Builtin[i].Codes {
			owners[code] = &c.inspect.Builtin[i]
		}
	}
	for i := range c.inspect.Rules {
		m := &c.inspect.Rules[i]
		f := c.byName[m.File]
		for n, code := range m.Codes {
			key := "custom.code"
			if n > 0 {
				key = "custom.codes"
			}
			line, col := c.metadataLine(f, key, m.Line)
			other := owners[code]
			switch {
			case other == m: // once more under codes
			case other != nil:
				c.add(f, Finding{Line: line, Col: col, Kind: KindCodeCollision,
					Message: fmt.Sprintf("code %s is already that of %s (%s)", code, other.Name, place(other)),
					Hint:    "give it a code of its own, such as acme." + m.Name + ", so that a decision tells which rule made it"})
			case strings.HasPrefix(code, "stop-hook.") && !c.opts.Builtin && !c.toldAt(f, line):
				c.add(f, Finding{Line: line, Col: col, Severity: SeverityWarning, Kind: KindCodePrefix, Message: "codes that begin with stop-hook. are those of the built-in rules",
					Hint: "use a prefix of your own, such as acme." + m.Name})
			}
			if other == nil {
				owners[code] = m
			}
		}
	}
}

// toldAt reports whether a line has an error already.
func (c *checker) toldAt(f *file, line int) bool {
	return slices.ContainsFunc(c.findings, func(x Finding) bool { return x.File == f.name && x.Line == line && x.Severity == SeverityError })
}

func place(m *policy.RuleMeta) string {
	if m.LayerName == policy.LayerBuiltin {
		return "a built-in rule"
	}
	return fmt.Sprintf("%s:%d", m.File, m.Line)
}

// report makes the report out of the findings that are wanted.
func (c *checker) report() *Report {
	r := &Report{Schema: ReportSchema, Findings: []Finding{}}
	for _, f := range c.files {
		if c.targets[f.target].reports(f.name) {
			r.Files++
			r.checked = append(r.checked, f.name)
		}
	}
	for _, m := range c.inspect.Rules {
		if f := c.byName[m.File]; f != nil && c.targets[f.target].reports(f.name) {
			r.Rules++
		}
	}
	for _, x := range c.findings {
		f := c.byName[x.File]
		if f == nil || c.targets[f.target].reports(x.File) {
			r.Findings = append(r.Findings, x)
		}
	}
	r.finish()
	return r
}
