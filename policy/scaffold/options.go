package scaffold

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stophook/stophook/policy"
)

const (
	maxName  = 64  // bytes
	maxTitle = 100 // characters
)

// fill checks the options and puts in the defaults.
func (o *Options) fill() error {
	if err := o.checkName(); err != nil {
		return err
	}
	if o.Title = strings.TrimSpace(o.Title); o.Title == "" {
		o.Title = strings.ToUpper(o.Name[:1]) + strings.ReplaceAll(o.Name[1:], "_", " ")
	}
	if !utf8.ValidString(o.Title) || strings.IndexFunc(o.Title, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) >= 0 || utf8.RuneCountInString(o.Title) > maxTitle {
		return fmt.Errorf("title %q: a title is one line of at most %d characters", o.Title, maxTitle)
	}
	if o.Code == "" {
		o.Code = "project." + o.Name
	}
	if err := o.checkCode(); err != nil {
		return err
	}
	switch o.Event {
	case "":
		o.Event = "Stop"
	case "Stop":
	case "PreToolUse":
		if o.Deferral {
			return fmt.Errorf("event PreToolUse: a deferral puts off what a stop owes, so it is for Stop")
		}
	default:
		return fmt.Errorf("event %q is none that rules can judge: there are Stop and PreToolUse", o.Event)
	}
	return nil
}

func (o *Options) checkName() error {
	good := func(s string) bool {
		return s != "" && (s[0] < '0' || s[0] > '9') && strings.IndexFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' }) < 0
	}
	switch {
	case o.Name == "":
		return fmt.Errorf("a rule needs a name, such as tests_ran")
	case !good(o.Name):
		if near := strings.Trim(strings.Map(nameRune, o.Name), "_"); good(near) {
			return fmt.Errorf("name %q: a name has lower-case letters, digits and _, and begins with none of the digits: call it %s", o.Name, near)
		}
		return fmt.Errorf("name %q: a name has lower-case letters, digits and _, and begins with none of the digits", o.Name)
	case len(o.Name) > maxName:
		return fmt.Errorf("name %s…: a name has at most %d letters", o.Name[:16], maxName)
	case strings.HasSuffix(o.Name, "_test"):
		return fmt.Errorf("name %q: files that end in _test.rego are tests, so a rule cannot be called so", o.Name)
	case o.Name == "schemas" || o.Name == "cases":
		return fmt.Errorf("name %q: folders of that name hold something else; choose another", o.Name)
	case slices.Contains(keywords(), o.Name):
		return fmt.Errorf("name %q is a word of Rego; choose another", o.Name)
	}
	builtin, err := builtinRules()
	if err != nil {
		return err
	}
	for _, m := range builtin {
		if m.Name == o.Name {
			return fmt.Errorf("name %q: there is a built-in rule of that name; choose another", o.Name)
		}
		if slices.Contains(m.Codes, o.Code) && o.Code != "" {
			return fmt.Errorf("code %q is that of the built-in rule %s; choose another", o.Code, m.Name)
		}
	}
	return nil
}

func (o *Options) checkCode() error {
	good := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/:", r)
	}
	switch {
	case strings.HasPrefix(o.Code, "stop-hook."):
		return fmt.Errorf("code %q: codes that begin with stop-hook. are those of the built-in rules; use a prefix of your own", o.Code)
	case strings.IndexFunc(o.Code, func(r rune) bool { return !good(r) }) >= 0 || len(o.Code) > 128 || strings.ContainsRune("._-/:", rune(o.Code[0])):
		return fmt.Errorf("code %q: a code has letters, digits and . _ - only, such as acme.%s", o.Code, o.Name)
	case strings.HasSuffix(o.Code, ":"):
		return fmt.Errorf("code %q: a code ends with a letter or digit", o.Code)
	}
	return nil
}

func nameRune(r rune) rune {
	switch r = unicode.ToLower(r); {
	case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		return r
	}
	return '_'
}

// keywords cannot be the last part of a package that is imported by name.
func keywords() []string {
	return []string{"as", "contains", "data", "default", "else", "every", "false", "if", "import", "in", "input", "not", "null", "package", "some", "true", "with"}
}

func builtinRules() ([]policy.RuleMeta, error) {
	e, err := policy.NewEngine(context.Background(), policy.EngineOptions{})
	if err != nil {
		return nil, err
	}
	return e.Rules(), nil
}
