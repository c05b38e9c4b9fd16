package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy/install"
)

const source = "../../plugin"

// copyOf is the plugin's source in a folder that a test may spoil.
func copyOf(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "plugin")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(old)) {
		t.Fatalf("%s has no %q", path, old)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte(old), []byte(new)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCheck_TheSourceIsGood(t *testing.T) {
	if faults := check(source); len(faults) > 0 {
		t.Error(strings.Join(faults, "\n"))
	}
}

func TestCheck_FindsFaults(t *testing.T) {
	for _, tt := range []struct{ reason, file, old, new, mention string }{
		{"JSON that does not parse", manifestFile, `{`, `[`, "plugin.json"},
		{"a key that the client does not know", manifestFile, `"homepage"`, `"home_page"`, "home_page"},
		{"a version that is no version", manifestFile, `"0.1.0"`, `"next"`, "three numbers"},
		{"another plugin in the list", ".claude-plugin/marketplace.json", `"source": "./"`, `"source": "../x"`, "from ./"},
		{"no gate", hooksFile, `"Stop"`, `"SubagentStop"`, "no Stop hook"},
		{"a hook that is no command", hooksFile, `"type": "command"`, `"type": "prompt"`, "want command"},
		{"a path with spaces would fall apart", hooksFile, `\"${CLAUDE_PLUGIN_ROOT}/bin/stophook\"`, `${CLAUDE_PLUGIN_ROOT}/bin/stophook`, "stays the same"},
		{"a front matter that is not closed", "skills/stophook/SKILL.md", "\n---\n", "\n", "front matter"},
		{"a skill of another name", "skills/stophook/SKILL.md", "name: stophook", "name: other", "name of its folder"},
		{"an unknown key", "skills/stophook/SKILL.md", "allowed-tools:", "allowed_tools:", "allowed_tools"},
	} {
		dir := copyOf(t)
		edit(t, filepath.Join(dir, tt.file), tt.old, tt.new)
		faults := strings.Join(check(dir), "\n")
		if !strings.Contains(faults, tt.mention) || !strings.Contains(faults, filepath.Base(tt.file)) {
			t.Errorf("%s: %q", tt.reason, faults)
		}
	}
	dir := copyOf(t)
	if err := os.Remove(filepath.Join(dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, standIn), 0o644); err != nil {
		t.Fatal(err)
	}
	faults := strings.Join(check(dir), "\n")
	if want := "chmod 755"; runtime.GOOS != "windows" && !strings.Contains(faults, want) || !strings.Contains(faults, "README.md") {
		t.Errorf("a script that cannot be run and no README: %q", faults)
	}
}

// A build has the program in the place of the script, and can be built again.
func TestRun_Builds(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ reason, program, has, lacks, hook string }{
		{"this system", "stophook", "bin/stophook", "bin/stophook.exe", `"command": "\"${CLAUDE_PLUGIN_ROOT}/bin/stophook\" hook"`},
		{"Windows needs no shell", "stophook.exe", "bin/stophook.exe", "bin/stophook", `"command": "${CLAUDE_PLUGIN_ROOT}/bin/stophook.exe", "args": ["hook"]`},
		{"and back: nothing is left of the other", "stophook", "bin/stophook", "bin/stophook.exe", `hook"`},
	} {
		program, target := filepath.Join(dir, tt.program), filepath.Join(dir, "out")
		if err := os.WriteFile(program, []byte("the program"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run([]string{"-from", source, "-to", target, "-program", program}, &out, &errs); code != 0 {
			t.Fatalf("%s: exit %d: %s", tt.reason, code, errs.String())
		}
		if data, err := os.ReadFile(filepath.Join(target, tt.has)); err != nil || string(data) != "the program" {
			t.Errorf("%s: %q, %v", tt.reason, data, err)
		}
		if _, err := os.Stat(filepath.Join(target, tt.lacks)); !os.IsNotExist(err) {
			t.Errorf("%s: %s is there, too: %v", tt.reason, tt.lacks, err)
		}
		text, err := os.ReadFile(filepath.Join(target, hooksFile))
		if err != nil || strings.Count(string(text), tt.hook) != 4 {
			t.Errorf("%s: not every hook is %s: %s", tt.reason, tt.hook, text)
		}
	}
}

func TestRun_RefusesToBuildOverSomethingElse(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason string
		args   []string
		code   int
	}{
		{"a folder with something in it", []string{"-from", source, "-to", dir, "-program", precious}, 1},
		{"no program", []string{"-from", source, "-to", filepath.Join(dir, "new"), "-program", filepath.Join(dir, "gone")}, 1},
		{"half of the arguments", []string{"-to", dir}, 2},
		{"an unknown flag", []string{"-x"}, 2},
	} {
		var out, errs bytes.Buffer
		if code := run(tt.args, &out, &errs); code != tt.code || errs.Len() == 0 {
			t.Errorf("%s: exit %d, want %d: %s", tt.reason, code, tt.code, errs.String())
		}
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

// The plugin has the hooks that an installation puts into the settings.
func TestHooks_AreThoseOfAnInstallation(t *testing.T) {
	h, err := readHooks(source)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	change, err := install.Plan(install.Options{Command: filepath.Join(home, "bin", "stophook"),
		Env: install.Env{Getenv: func(string) string { return "" }, Home: home, Project: home, GOOS: "linux"}})
	if err != nil {
		t.Fatal(err)
	}
	var settings hooks
	if err := json.Unmarshal(change.After, &settings); err != nil {
		t.Fatal(err)
	}
	matchers := func(h hooks) map[string]string {
		events := map[string]string{}
		for event, groups := range h.Hooks {
			if len(groups) != 1 || len(groups[0].Hooks) != 1 {
				t.Fatalf("%s: want one group of one hook", event)
			}
			events[event] = groups[0].Matcher
		}
		return events
	}
	if diff := cmp.Diff(matchers(settings), matchers(h)); diff != "" || len(h.Hooks) < 4 {
		t.Errorf("settings against plugin: %s", diff)
	}
	// The same commands are allowed, so that no question stands in the agent's way.
	s, err := readSkill(filepath.Join(source, "skills", "stophook", "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"status", "task", "name"} {
		if !strings.Contains(s.AllowedTools, "Bash(stophook "+command+":*)") {
			t.Errorf("the skill does not allow %s: %s", command, s.AllowedTools)
		}
	}
}

// Every command that the texts name is one that the program has.
func TestTexts_NameRealCommands(t *testing.T) {
	named := 0
	for _, name := range []string{"README.md", "skills/stophook/SKILL.md"} {
		data, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, rest := range strings.Split(string(data), "`stophook ")[1:] {
			command, _, _ := strings.Cut(rest, "`")
			words := strings.Fields(command)
			code := sourceOf(t, words[0])
			for _, w := range words[1:] {
				if flag, ok := strings.CutPrefix(w, "--"); ok && !strings.Contains(code, `"`+flag+`"`) {
					t.Errorf("%s: `stophook %s`: there is no --%s", name, command, flag)
				}
			}
			named++
		}
		for _, rest := range strings.Split(string(data), "Bash(stophook ")[1:] {
			word, _, _ := strings.Cut(rest, ":*)")
			sourceOf(t, word)
			named++
		}
	}
	if named < 8 {
		t.Errorf("only %d commands found in the texts", named)
	}
}

// sourceOf is the file of cmd/stophook that defines a command.
func sourceOf(t *testing.T, command string) string {
	t.Helper()
	files, err := filepath.Glob("../../cmd/stophook/*.go")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(files, func(f string) bool {
		data, err := os.ReadFile(f)
		return err == nil && !strings.HasSuffix(f, "_test.go") && bytes.Contains(data, []byte(`Name: "`+command+`"`))
	})
	if i < 0 {
		t.Errorf("the texts name `stophook %s`, which is no command", command)
		return ""
	}
	data, err := os.ReadFile(files[i])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// standInRun runs the script of the source with a PATH of its own.
func standInRun(t *testing.T, dir, path, home, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, standIn), args...)
	cmd.Env = []string{"PATH=" + path, "HOME=" + home}
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := err.(*exec.ExitError); ok {
		return out.String(), errs.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), 0
}

// The script of the source calls the program of the machine, never itself or its
// like, and says what is missing where somebody sees it.
func TestStandIn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for systems with a shell")
	}
	for _, dir := range []string{"/usr/local/bin/stophook", "/opt/homebrew/bin/stophook"} {
		if _, err := os.Stat(dir); err == nil {
			t.Skipf("%s is installed here, and the script would find it", dir)
		}
	}
	plugin, other, home := copyOf(t), copyOf(t), t.TempDir()
	path := strings.Join([]string{filepath.Join(plugin, "bin"), filepath.Join(other, "bin"), "/usr/bin", "/bin"}, ":")
	for _, tt := range []struct {
		reason, stdin string
		args          []string
		stdout        string
		code          int
	}{
		{"a stop passes, visibly", `{"hook_event_name":"Stop"}`, []string{"hook"}, `{"systemMessage":"stophook is not installed`, 0},
		{"a session begins", `{"hook_event_name": "SessionStart"}`, []string{"hook"}, `{"systemMessage":"`, 0},
		{"every tool call is no place to say it again", `{"hook_event_name":"PreToolUse"}`, []string{"hook"}, "", 0},
		{"a prompt that quotes an event is none", `{"hook_event_name":"UserPromptSubmit","prompt":"\"hook_event_name\":\"Stop\""}`, []string{"hook"}, "", 0},
		{"the agent's own command fails", "", []string{"status", "--end-turn"}, "", 127},
	} {
		stdout, stderr, code := standInRun(t, plugin, path, home, tt.stdin, tt.args...)
		if code != tt.code || !strings.HasPrefix(stdout, tt.stdout) || (tt.stdout == "") != (stdout == "") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", tt.reason, code, stdout, stderr)
		}
		if (code != 0) != strings.Contains(stderr, "not installed") {
			t.Errorf("%s: exit %d, stderr %q", tt.reason, code, stderr)
		}
	}
	bin := filepath.Join(home, "go", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "stophook"), []byte("#!/bin/sh\necho \"$#: $2\"; cat; exit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := standInRun(t, plugin, path, home, "payload", "hook", "a  b")
	if stdout != "2: a  b\npayload" || code != 3 {
		t.Errorf("the program of the machine: exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}
