package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Scripts call the workshop as users do: stophook COMMAND.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"stophook": main}) }

// TestScripts plays testdata/script/*.txtar, each in an empty folder with a home of
// its own and nothing of the developer's environment. $REPO is the repository.
func TestScripts(t *testing.T) {
	repo, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("REPO", repo)
			e.Setenv("ESC", "\x1b")
			return os.Mkdir(home, 0o700)
		},
	})
}
