package install_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/install"
)

// anySettings draws a settings file: any layout, comments, trailing commas, with and
// without hooks and permissions of others.
func anySettings() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		gaps := []string{"", "", " ", "\t", nl, nl + "  ", nl + "\t\t"}
		if rapid.Bool().Draw(t, "comments") {
			gaps = append(gaps, " /* { */ ", "// ]"+nl, nl+"  // \"hooks\": {"+nl)
		}
		trailing := rapid.Bool().Draw(t, "trailing commas")
		gap := func() string { return rapid.SampledFrom(gaps).Draw(t, "gap") }
		list := func(open, closing string, items []string) string {
			text := open + gap()
			for i, item := range items {
				text += item + gap()
				if i < len(items)-1 || trailing && rapid.Bool().Draw(t, "trailing") {
					text += "," + gap()
				}
			}
			return text + closing
		}
		member := func(name, value string) string { return `"` + name + `"` + gap() + ":" + gap() + value }
		some := func(all ...string) []string {
			n := rapid.IntRange(0, len(all)).Draw(t, "n")
			return rapid.Permutation(all).Draw(t, "order")[:n]
		}
		hook := func() string {
			return list("{", "}", []string{member("type", `"command"`), member("command", `"./mine.sh stophook hook"`)})
		}
		group := func() string {
			return list("{", "}", []string{member("matcher", `"Bash|Edit"`), member("hooks", list("[", "]", some(hook(), hook())))})
		}
		events := some(member("Stop", list("[", "]", some(group(), group()))), member("PreToolUse", list("[", "]", some(group()))),
			member("SessionStart", list("[", "]", nil)), member("Other", list("[", "]", some(group()))))
		rules := list("[", "]", some(`"WebFetch"`, `"Bash(stophook status:*)"`, `"Bash(/usr/local/bin/stophook name:*)"`))
		members := some(member("hooks", list("{", "}", events)), member("permissions", list("{", "}", some(member("allow", rules),
			member("deny", "[]")))), member("model", `"op\"us // no"`), member("env", `{"A":"1"}`))
		mark := rapid.SampledFrom([]string{"", "\xef\xbb\xbf"}).Draw(t, "mark")
		return mark + gap() + list("{", "}", members) + gap()
	})
}

func anyOptions(t *rapid.T, env install.Env) install.Options {
	opts := claude(env)
	opts.Profile = rapid.SampledFrom(install.Profiles()).Draw(t, "profile")
	opts.Command = rapid.SampledFrom([]string{program, "/opt/my tools/stophook", "/opt/it's/stophook", `C:\Program Files\stophook.exe`}).Draw(t, "program")
	opts.Exec = rapid.Bool().Draw(t, "exec")
	return opts
}

// Whatever stands in the file, installing and removing gives it back, whichever
// installations lie between; a second one of a kind changes nothing.
func TestInstallThenRemove_property(t *testing.T) {
	env := place(t)
	path := settingsPath(env)
	rapid.Check(t, func(t *rapid.T) {
		before := anySettings().Draw(t, "settings")
		write(t, path, before)
		for range rapid.IntRange(1, 3).Draw(t, "installations") {
			opts := anyOptions(t, env)
			c, err := install.Plan(opts)
			if err != nil {
				t.Fatalf("%q: %v", before, err)
			}
			if json.Valid([]byte(before)) && !json.Valid(c.After) {
				t.Fatalf("%q was JSON, and became %q", before, c.After)
			}
			if err := c.Apply(); err != nil {
				t.Fatal(err)
			}
			if again, err := install.Plan(opts); err != nil || again.Changes() {
				t.Fatalf("a second installation: %v, %v", again, err)
			}
			entries, err := install.Found(env)
			if err != nil || len(entries) != 4 {
				t.Fatalf("%d entries, %v in %q", len(entries), err, c.After)
			}
			for _, e := range entries {
				if e.Program != opts.Command || e.Profile != opts.Profile || (e.Args != nil) != opts.Exec {
					t.Fatalf("%+v is not what was asked for", e)
				}
			}
		}
		c, err := install.PlanRemove(claude(env))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		if string(c.After) != before {
			t.Fatalf("not restored\n got %q\nwant %q", c.After, before)
		}
	})
}

// A file that does not parse is refused and stays as it is; nothing that is drawn
// makes an installation panic or write something that it cannot read again.
func FuzzPlan(f *testing.F) {
	for _, seed := range []string{"{}", "{", `{"hooks":{"Stop":[{"hooks":[{"command":"stophook hook","args":[1]}]}]}}`, "{\"hooks\":null}", "\xff\xfe",
		`{"hooks":{"Stop":[{"hooks":[{"command":"/a/stophook hook"}, {"bash":"/b/stophook hook"}]}]},}`,
		`{"permissions":{"allow":["Bash(stophook task:*)"]},"hooks":{"x":[{"command":"'stophook"}]}}`} {
		f.Add([]byte(seed))
	}
	env := place(f)
	path := settingsPath(env)
	f.Fuzz(func(t *testing.T, text []byte) {
		write(t, path, string(text))
		c, err := install.Plan(claude(env))
		if err != nil {
			if !errors.Is(err, install.ErrUnreadable) || strings.Contains(err.Error(), "please report") {
				t.Fatalf("%q: %v", text, err)
			}
			if got := get(t, path); got != string(text) {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		if again, err := install.Plan(claude(env)); err != nil || again.Changes() {
			t.Fatalf("%q became %q, and then %v", text, c.After, err)
		}
		gone, err := install.PlanRemove(claude(env))
		if err != nil {
			t.Fatalf("%q: %v", c.After, err)
		}
		if err := gone.Apply(); err != nil {
			t.Fatal(err)
		}
		if left, err := install.Found(env); err != nil || len(left) > 0 {
			t.Fatalf("%q keeps %v, %v", gone.After, left, err)
		}
	})
}
