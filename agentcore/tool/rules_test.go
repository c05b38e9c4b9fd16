package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

func shellTool() Tool {
	return Tool{Name: "shell", SubjectKind: SubjectCommand, Subject: subjectOf("command")}
}

func subjectOf(property string) func(json.RawMessage) string {
	return func(input json.RawMessage) string {
		var in map[string]string
		_ = json.Unmarshal(input, &in)
		return in[property]
	}
}

func mustRules(t testing.TB, opts RuleOptions) *Rules {
	t.Helper()
	r, err := ParseRules(opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func command(text string) Request {
	input, _ := json.Marshal(map[string]string{"command": text})
	return Request{Tool: shellTool(), Call: &Call{Name: "shell", Input: input, Env: &Env{}}}
}

func checked(t testing.TB, g Gate, req Request) Permission {
	t.Helper()
	d, err := g.Check(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return d.Permission
}

func TestRules_allowedCommands(t *testing.T) {
	r := mustRules(t, RuleOptions{Allow: []string{"shell(git status)", "shell(git commit:*)", "shell(npm run * --fix)", "shell(echo:*)", "shell(cat:*)", "shell(cd a && make)"}})
	for _, tc := range []struct {
		command string
		want    Permission
	}{
		{"git status", Allow},
		{"  git   status  ", Allow},
		{"'git' \"status\"", Allow},
		{"git status # a comment", Allow},
		{"git status --short", Ask}, // the rule is exact
		{"git stat*", Ask},
		{"git commit", Allow},
		{"git commit -m 'a; rm -rf /'", Allow},
		{"git commit -m \"$msg\"", Allow},
		{"git commitx", Ask},
		{"git -C /x commit", Ask},
		{"/tmp/git commit", Ask},
		{"npm run lint --fix", Allow},
		{"npm run a b --fix", Allow},
		{"npm run lint", Ask},
		{"git status && git commit -m x", Allow},
		{"git status; git commit; echo done", Allow},
		{"git status | cat", Allow},
		{"(git status)", Allow},
		{"{ git status; }", Allow},
		{"! git status", Allow},
		{"if git status; then echo a; fi", Allow},
		{"for f in a b; do echo $f; done", Allow},
		{"git status 2>&1 >/dev/null", Allow},
		{"cat <<EOF\nhello\nEOF", Allow},
		{"cd a && make", Allow}, // as a whole
		// What must not get through:
		{"git status && rm x", Ask},
		{"git status; rm x", Ask},
		{"git status\nrm x", Ask},
		{"git status | sh", Ask},
		{"git status || rm x", Ask},
		{"git status & rm x", Ask},
		{"git status &", Allow},
		{"git commit -m $(rm x)", Ask},
		{"git commit -m `rm x`", Ask},
		{"git commit -m \"$(rm x)\"", Ask},
		{"echo <(rm x)", Ask},
		{"cat <<EOF\n$(rm x)\nEOF", Ask},
		{"echo a > ~/.bashrc", Ask},
		{"echo a >> b", Ask},
		{"cat < secret", Ask},
		{"echo a &> b", Ask},
		{"GIT_SSH_COMMAND=x git commit", Ask},
		{"PATH=/tmp; git status", Ask},
		{"export PATH=/tmp; git status", Ask},
		{"for PATH in /tmp; do git status; done", Ask},
		{"for https_proxy in x; do git status; done", Ask},
		{"echo ${PATH:=/tmp}; git status", Ask},
		{"echo ${x@P}", Ask},
		{"echo $((a[$(rm x)]))", Ask},
		{"git() { rm x; }; git status", Ask},
		{"git() { echo a; }; git status", Ask},
		{"$GIT status", Ask},
		{"{git,rm} status", Ask},
		{"eval git status", Ask},
		{"sudo git status", Ask},
		{"git status $'\\'; rm x #'", Ask}, // one string for Bash, two commands for a plain sh
		{"git status \\\n && rm x", Ask},
		{"[[ a -eq 1 ]]", Ask},
		{"coproc git status", Ask},
		{"git status #\\\nrm x", Ask}, // a backslash does not make a comment longer
		{"git status \x00", Ask},
		{"git status '", Ask},
		{"", Ask},
		{"# nothing", Ask},
		{"cd a && make && rm x", Ask},
	} {
		if got := checked(t, r, command(tc.command)); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.command, got, tc.want)
		}
	}
}

func TestRules_deniedCommands(t *testing.T) {
	r := mustRules(t, RuleOptions{Mode: ModeBypass, Deny: []string{"shell(git push:*)", "shell(rm -rf /)", "shell(curl * | *)"}, Ask: []string{"shell(npm publish)"}})
	for _, tc := range []struct {
		command string
		want    Permission
	}{
		{"git status", Allow},
		{"git push", Deny},
		{"git push origin main", Deny},
		{"git pushx", Allow},
		{"echo git push", Allow},
		{"echo 'git push'", Allow},
		{"make && git push", Deny},
		{"make\ngit push", Deny},
		{"(cd a; git push)", Deny},
		{"echo $(git push)", Deny},
		{"echo `git push`", Deny},
		{"cat <(git push)", Deny},
		{"f() { git push; }; f", Deny},
		{"X=1 git push", Deny},
		{"g\"i\"t pu\\sh", Deny},
		{"/usr/bin/git push", Deny},
		{"sudo git push", Deny},
		{"env A=b timeout 5 git push", Deny},
		{"sh -c 'git push'", Deny},
		{"bash -lc \"make; git push\"", Deny},
		{"eval 'git push'", Deny},
		{"echo x | xargs git push", Deny},
		{"if true; then git push; fi", Deny},
		{"git push > /dev/null &", Deny},
		{"rm -rf /", Deny},
		{"rm -rf /tmp/x", Allow},
		{"npm publish", Ask},
		{"make; npm publish", Ask},
		// What cannot be told is asked about.
		{"$GIT push", Ask},
		{"git $WHAT", Ask},
		{"git {push,status}", Ask},
		{"git p?sh", Ask},
		{"git $'pu\\x73h'", Deny},
		{"eval \"$X\"", Ask},
		{"sh -c \"$X\"", Ask},
		{"make #\\\ngit push", Deny},
		{"make '#' \\\n all", Allow},
		{"make $TARGET", Allow},
		{"cat <(a) $'\\'\ngit push\n#'", Ask}, // a string for Bash, a line for a plain sh
		{"make &>{ git push", Deny},           // a file for Bash, a list for a plain sh
		// What cannot be read is refused.
		{"git push '", Deny},
		{"echo 'a", Deny},
		{"git$x push <<E\n", Deny}, // a text that shells take, without its end
		{strings.Repeat("(", 5000) + "git push" + strings.Repeat(")", 5000), Deny},
		{"git push\x00", Deny},
	} {
		if got := checked(t, r, command(tc.command)); got != tc.want {
			t.Errorf("%.60q: %s, want %s", tc.command, got, tc.want)
		}
	}
}

func TestRules_modes(t *testing.T) {
	read, edit := Tool{Name: "read_file", ReadOnly: true}, Tool{Name: "edit", Edits: true}
	opts := RuleOptions{Allow: []string{"shell(make:*)"}, Ask: []string{"grep"}, Deny: []string{"web_*"}}
	for _, tc := range []struct {
		mode                                                Mode
		read, edit, shell, allowed, grep, fetch, everything Permission
	}{
		{ModeDefault, Allow, Ask, Ask, Allow, Ask, Deny, Ask},
		{"", Allow, Ask, Ask, Allow, Ask, Deny, Ask},
		{ModeAcceptEdits, Allow, Allow, Ask, Allow, Ask, Deny, Ask},
		{ModePlan, Allow, Deny, Deny, Deny, Ask, Deny, Deny},
		{ModeBypass, Allow, Allow, Allow, Allow, Ask, Deny, Allow},
	} {
		opts.Mode = tc.mode
		r := mustRules(t, opts)
		got := []Permission{
			checked(t, r, Request{Tool: read}), checked(t, r, Request{Tool: edit}), checked(t, r, command("ls")), checked(t, r, command("make x")),
			checked(t, r, Request{Tool: Tool{Name: "grep", ReadOnly: true}}), checked(t, r, Request{Tool: Tool{Name: "web_fetch", ReadOnly: true}}), checked(t, r, Request{Tool: Tool{Name: "other"}}),
		}
		if diff := cmp.Diff([]Permission{tc.read, tc.edit, tc.shell, tc.allowed, tc.grep, tc.fetch, tc.everything}, got); diff != "" {
			t.Errorf("mode %q:\n%s", tc.mode, diff)
		}
	}
	if r := mustRules(t, opts).WithMode(ModePlan); r.Mode() != ModePlan {
		t.Error(r.Mode())
	}
}

func TestRules_paths(t *testing.T) {
	dir := realDir(t)
	writeFiles(t, dir, "src/a.go", "secrets/key", "docs/x.md")
	for name, target := range map[string]string{"link": "secrets", "src/out": "../docs/x.md"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("symbolic links cannot be made here: %v", err)
		}
	}
	edit := Tool{Name: "edit", Edits: true, SubjectKind: SubjectPath, Subject: subjectOf("path")}
	r := mustRules(t, RuleOptions{Allow: []string{"edit(src/**)", "edit(docs)", "edit(~/notes/*.md)"}, Deny: []string{"edit(secrets/*)", "edit(**/.env)", "edit(*.lock)"}, Home: filepath.Join(dir, "home")})
	paths, err := NewPaths(dir, PathOptions{Writable: []string{"."}, Home: filepath.Join(dir, "home")})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		path string
		want Permission
	}{
		{"src/a.go", Allow}, {"./src/new/b.go", Allow}, {filepath.Join(dir, "src", "a.go"), Allow}, {"docs/x.md", Allow},
		{"docs", Allow}, {"docsx", Ask}, {"main.go", Ask}, {"src/../main.go", Ask}, {"~/notes/a.md", Allow}, {"~/notes/a.txt", Ask},
		{"src/out", Allow}, // leads to docs, which is allowed as well
		{"secrets/key", Deny}, {"secrets/deep/key", Deny}, {"link/key", Deny}, {"src/../secrets/key", Deny},
		{"src/.env", Deny}, {".env", Deny}, {"/elsewhere/.env", Deny}, {"go.lock", Deny}, {"src/go.lock", Allow},
		{"", Ask}, {"a\x00b", Ask},
	} {
		input, _ := json.Marshal(map[string]string{"path": tc.path})
		call := &Call{Name: "edit", Input: input, Env: &Env{Paths: paths, Handle: execctx.Handle{Type: "process", CWD: dir}}}
		if got := checked(t, r, Request{Tool: edit, Call: call}); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.path, got, tc.want)
		}
	}
}

func TestRules_names(t *testing.T) {
	r := mustRules(t, RuleOptions{
		Allow: []string{"Bash(make:*)", "mcp_x_*", "say(hello *)"}, Deny: []string{"Basch(rm:*)", "*(nothing)"},
		Aliases: map[string]string{"Bash": "shell"},
	})
	if got := checked(t, r, command("make all")); got != Allow {
		t.Errorf("an alias: %s", got)
	}
	say := Tool{Name: "say", Subject: subjectOf("text")}
	for text, want := range map[string]Permission{`{"text":"hello you"}`: Allow, `{"text":"bye"}`: Ask, `{"text":"nothing"}`: Deny} {
		if got := checked(t, r, Request{Tool: say, Call: &Call{Input: json.RawMessage(text)}}); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := checked(t, r, Request{Tool: Tool{Name: "mcp_x_do"}}); got != Allow {
		t.Errorf("a prefix: %s", got)
	}
	reg := mustRegistry(t, mustTool(t, "shell", echo))
	if diff := cmp.Diff([]string{"Basch(rm:*)", "mcp_x_*", "say(hello *)"}, r.Unmatched(reg)); diff != "" {
		t.Error(diff)
	}
}

func TestRules_errors(t *testing.T) {
	for _, opts := range []RuleOptions{{Mode: "yolo"}, {Allow: []string{"shell("}}, {Allow: []string{"shell()"}}, {Deny: []string{""}}, {Ask: []string{"a b"}}, {Ask: []string{"(x)"}}} {
		var re *RuleError
		if _, err := ParseRules(opts); !errors.As(err, &re) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
}

// More denials and questions never loosen, and parts put together are never freer
// than the strictest of them.
func TestRules_RT33_tightenOnly(t *testing.T) {
	rules := []string{"shell(git status)", "shell(git push:*)", "shell(echo:*)", "shell(rm *)", "shell"}
	parts := []string{"git status", "git push origin", "echo a", "rm x", "$X y", "echo $(rm x)", "sudo rm x"}
	joins := []string{" && ", "; ", " | ", "\n", " || ", " & "}
	some := func(t *rapid.T, label string) []string {
		return rapid.SliceOfN(rapid.SampledFrom(rules), 0, 3).Draw(t, label)
	}
	rapid.Check(t, func(t *rapid.T) {
		opts := RuleOptions{Mode: rapid.SampledFrom([]Mode{ModeDefault, ModeBypass}).Draw(t, "mode"), Allow: some(t, "allow"), Ask: some(t, "ask"), Deny: some(t, "deny")}
		check := func(opts RuleOptions, text string) Permission {
			r, err := ParseRules(opts)
			if err != nil {
				t.Fatal(err)
			}
			d, err := r.Check(context.Background(), command(text))
			if err != nil {
				t.Fatal(err)
			}
			return d.Permission
		}
		a, b := rapid.SampledFrom(parts).Draw(t, "a"), rapid.SampledFrom(parts).Draw(t, "b")
		whole := a + rapid.SampledFrom(joins).Draw(t, "join") + b
		was := check(opts, whole)
		if strictest := max(check(opts, a).strength(), check(opts, b).strength()); was.strength() < strictest {
			t.Fatalf("%q is %s, freer than its parts", whole, was)
		}
		tighter := opts
		tighter.Deny = append(append([]string{}, opts.Deny...), some(t, "more deny")...)
		tighter.Ask = append(append([]string{}, opts.Ask...), some(t, "more ask")...)
		if now := check(tighter, whole); now.strength() < was.strength() {
			t.Fatalf("%q was %s, and with more rules %s", whole, was, now)
		}
	})
}

func FuzzRules(f *testing.F) {
	for _, seed := range []string{"git status && rm x", "echo $(git push)", "a <<EOF\nb\nEOF", "$'\\'; x", "case a in b) c;; esac", "((a[$(x)]))"} {
		f.Add(seed)
	}
	r := mustRules(f, RuleOptions{Allow: []string{"shell(git status)", "shell(echo:*)"}, Deny: []string{"shell(git push:*)"}})
	f.Fuzz(func(t *testing.T, text string) {
		alone := checked(t, r, command(text))
		if with := checked(t, r, command(text+"\nrm x")); with == Allow && alone != Deny {
			t.Fatalf("%q with rm behind it is allowed", text)
		}
	})
}
