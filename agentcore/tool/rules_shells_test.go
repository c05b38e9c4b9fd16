//go:build unix

package tool

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The shells themselves are the judges: a command that the rules allow is run, with
// programs that leave a mark, and nothing that was not allowed may have run. The
// texts are put together from what shells read differently or at a second look.
func TestRules_RT33_againstTheShells(t *testing.T) {
	shells := findShells(t)
	dir := realDir(t)
	mark := stubs(t, dir)
	allow := mustRules(t, RuleOptions{Allow: []string{"shell(git status)", "shell(git commit:*)", "shell(echo:*)", "shell(cat:*)"}})
	deny := mustRules(t, RuleOptions{Mode: ModeBypass, Deny: []string{"shell(evil:*)"}})
	tokens := []string{"git status", "git commit", "git", "status", "evil", "evil", "evil x", "echo a", "cat", " ", " ", ";", "&&", "||", "|", "\n", "\\\n", "\\", "'", "\"", "$'", "`", "$(", ")", "(",
		"{", "}", "{ ", "; }", "#", " #", "<<E\n", "\nE\n", "<<'E'\n", "!", "if ", "; then ", "; fi", "case a in a) ", ";; esac", ">", "> /dev/null", "2>&1", "&>", "|&", "<(", "$x", "${x", "x=", "a=b ", "\t", "\r", "$\"", "[", "[[ ", "]]", "((", "))", "f() ", "eval ", "{echo,evil}", "ev", "il", "time ", "\"$(", ")\"", "e\\vil", "''"}
	ran := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 1, 9).Draw(rt, "text"), "")
		if !strings.Contains(text, "ev") {
			return
		}
		for name, rules := range map[string]*Rules{"allow": allow, "deny": deny} {
			if checked(t, rules, command(text)) != Allow {
				continue
			}
			ran++
			for _, shell := range shells {
				if marked := runs(t, shell, text, dir, mark); marked {
					rt.Fatalf("%s: %q is allowed by the rules that %s, and ran evil", shell, text, name)
				}
			}
		}
	})
	t.Logf("%d commands were run", ran)
}

// The oracle itself sees what it should.
func TestRules_theShellsJudge(t *testing.T) {
	dir := realDir(t)
	mark := stubs(t, dir)
	for _, shell := range findShells(t) {
		if !runs(t, shell, "git status; evil", dir, mark) || runs(t, shell, "git status; echo evil", dir, mark) {
			t.Errorf("%s does not judge", shell)
		}
	}
}

func findShells(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range []string{"sh", "bash", "dash"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		t.Skip("there is no shell here")
	}
	return found
}

// stubs makes the programs, and gives the file that evil leaves behind.
func stubs(t *testing.T, dir string) string {
	t.Helper()
	mark := filepath.Join(dir, "mark")
	if err := os.MkdirAll(filepath.Join(dir, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"evil": ": > '" + mark + "'", "git": ":", "cat": ":"} {
		if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "bin", name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return mark
}

// runs tells whether evil ran. Only the programs of stubs can be found.
func runs(t *testing.T, shell, text, dir, mark string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", text)
	cmd.Dir, cmd.Env = filepath.Join(dir, "work"), []string{"PATH=" + filepath.Join(dir, "bin")}
	if err := cmd.Run(); err != nil && ctx.Err() != nil {
		t.Fatalf("%s %q does not end", shell, text)
	}
	err := os.Remove(mark)
	return err == nil
}
