package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestTutorial does what policy/README.md tells authors to do, in its order: every
// console block is run and must print what stands there, and a block of YAML that
// begins with a file's name is written into that file first.
func TestTutorial(t *testing.T) {
	repo, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(repo, "policy", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, commands := tutorialScript(string(text))
	if commands < 10 {
		t.Fatalf("only %d commands found", commands)
	}
	file := filepath.Join(t.TempDir(), "tutorial.txtar")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}, Setup: func(e *testscript.Env) error {
		home := filepath.Join(e.WorkDir, "home")
		e.Setenv("HOME", home)
		sessions := filepath.Join(home, ".claude", "projects", "-home-dev-proj")
		if err := os.MkdirAll(sessions, 0o700); err != nil {
			return err
		}
		for _, name := range []string{"edited-after-the-run", "tests-after-the-edit"} {
			row, err := os.ReadFile(filepath.Join(repo, "policy", "examples", "tests_after_edit", "cases", name, "transcript.jsonl"))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(sessions, name+".jsonl"), row, 0o600); err != nil {
				return err
			}
		}
		return os.Symlink(repo, filepath.Join(e.WorkDir, "stophook"))
	}})
}

// tutorialScript turns the blocks of a document into a script.
func tutorialScript(doc string) (script string, commands int) {
	var run, files strings.Builder
	lines := strings.Split(doc, "\n")
	for i := 0; i < len(lines); i++ {
		switch lines[i] {
		case "```yaml":
			if name, ok := strings.CutPrefix(lines[i+1], "# "); ok && strings.HasSuffix(name, ".yaml") {
				fmt.Fprintf(&run, "cp %s.block %s\n", filepath.Base(name), name)
				fmt.Fprintf(&files, "-- %s.block --\n", filepath.Base(name))
				for i += 2; lines[i] != "```"; i++ {
					files.WriteString(lines[i] + "\n")
				}
			}
		case "```console":
			for i++; lines[i] != "```"; i++ {
				if command, ok := strings.CutPrefix(lines[i], "$ "); ok {
					run.WriteString(scriptCommand(command))
					commands++
				} else if line := strings.TrimSpace(lines[i]); line != "" && line != "…" {
					fmt.Fprintf(&run, "stdout '%s'\n", outputPattern(lines[i]))
				}
			}
		}
	}
	return run.String() + "\n" + files.String(), commands
}

// scriptCommand is one command line for testscript, which has single quotes only.
func scriptCommand(line string) string {
	line, fails := strings.CutSuffix(line, "   # exit code 1")
	line = strings.ReplaceAll(line, `"`, `'`)
	if !strings.HasPrefix(line, "stophook ") {
		line = "exec " + line
	}
	if fails {
		line = "! " + line
	}
	return line + "\n"
}

// outputPattern matches a whole line as it is printed, whatever time it took.
func outputPattern(line string) string {
	line = strings.ReplaceAll(regexp.QuoteMeta(line), "'", "''")
	line = regexp.MustCompile(` +\d+ ms$`).ReplaceAllString(line, ` +[0-9.]+ m?s`)
	return "^" + line + "$"
}
