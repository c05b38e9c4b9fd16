package check

import (
	"errors"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stophook/stophook/policy"
)

// checkConfigs reads the configuration files, each with its bounds, and all
// together: a lower one cannot loosen what a higher one sets.
func (c *checker) checkConfigs() {
	sources := slices.Clone(c.opts.Configs)
	for i := range c.targets {
		for _, s := range c.targets[i].Configs {
			if !slices.ContainsFunc(sources, func(o policy.Source) bool { return o.Path == s.Path }) {
				sources = append(sources, s)
			}
		}
	}
	if len(sources) == 0 {
		return
	}
	_, warnings, err := policy.LoadConfig(sources)
	for _, e := range leaves(err) {
		x := Finding{Kind: KindConfig, Message: e.Error()}
		var ce *policy.ConfigError
		if errors.As(e, &ce) {
			x.File, x.Line, x.Hint = ce.File, ce.Line, ce.Advice
			bare := *ce
			bare.File, bare.Advice = "", ""
			x.Message = bare.Error()
			if errors.Is(ce, policy.ErrConfigRange) && strings.HasPrefix(ce.Allowed, firstDigit(ce.Allowed)) {
				x.Kind = KindThreshold
			}
		}
		c.addConfig(x, SeverityError)
	}
	for _, w := range warnings {
		text := strings.TrimPrefix(w.String(), w.File)
		if _, rest, ok := strings.Cut(text, ": "); ok {
			text = rest
		}
		c.addConfig(Finding{File: w.File, Line: w.Line, Kind: KindConfigLoosens, Message: text}, SeverityWarning)
	}
	for _, s := range sources {
		c.checkRuleNames(s.Path)
	}
}

// firstDigit is the first byte of a text when it is a digit: a bound is a range of
// numbers, and other values are words.
func firstDigit(s string) string {
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		return s[:1]
	}
	return "no number"
}

// leaves takes joined errors apart.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var list []error
		for _, e := range joined.Unwrap() {
			list = append(list, leaves(e)...)
		}
		return list
	}
	return []error{err}
}

func (c *checker) addConfig(x Finding, severity string) {
	x.Severity = severity
	if text, err := os.ReadFile(x.File); err == nil {
		lines := strings.Split(string(text), "\n")
		if x.Line > 0 && x.Line <= len(lines) {
			x.Text = strings.TrimSuffix(lines[x.Line-1], "\r")
		}
	}
	c.findings = append(c.findings, x)
}

// checkRuleNames finds settings for rules that do not exist: they set nothing.
func (c *checker) checkRuleNames(file string) {
	text, err := os.ReadFile(file)
	var doc yaml.Node
	if err != nil || len(text) > policy.MaxConfigBytes || yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return
	}
	var known []string
	for _, list := range [][]policy.RuleMeta{c.inspect.Builtin, c.inspect.Rules} {
		for _, m := range list {
			known = append(known, m.Name)
		}
	}
	pairs(doc.Content[0], func(k, v *yaml.Node) {
		if k.Value != "rules" {
			return
		}
		pairs(v, func(name, _ *yaml.Node) {
			if !slices.Contains(known, name.Value) {
				c.addConfig(Finding{File: file, Line: name.Line, Col: name.Column, Kind: KindConfigRule, Message: "rules." + name.Value + ": there is no rule of that name, so this sets nothing",
					Hint: suggest(name.Value, known, "it may lie in another folder of policies")}, SeverityWarning)
			}
		})
	})
}
