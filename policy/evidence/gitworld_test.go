//go:build unix

package evidence

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitWorld makes git independent of the machine's configuration.
func gitWorld(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, and these tests are about what it answers")
	}
	config := filepath.Join(t.TempDir(), "gitconfig")
	// The odd settings are what users have and a check must not fall for.
	mustWrite(t, config, `[user]
	name = Test
	email = test@example.com
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
[commit]
	gpgsign = false
[status]
	showUntrackedFiles = no
	aheadBehind = false
	branch = false
	relativePaths = true
[diff]
	ignoreSubmodules = all
[advice]
	detachedHead = false
`)
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, gitEnv(nil)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func commit(t *testing.T, dir, name, text string) {
	t.Helper()
	mustWrite(t, filepath.Join(dir, name), text)
	git(t, dir, "add", name)
	git(t, dir, "commit", "-q", "-m", "change "+name)
}

// clone makes a bare remote with one commit on main, and a clone of it.
func clone(t *testing.T) (dir, remote string) {
	t.Helper()
	base := t.TempDir()
	remote, dir = filepath.Join(base, "remote.git"), filepath.Join(base, "clone")
	git(t, base, "init", "-q", "--bare", remote)
	git(t, base, "clone", "-q", remote, dir)
	commit(t, dir, "a.txt", "a\n")
	git(t, dir, "push", "-q", "-u", "origin", "HEAD:main")
	return dir, remote
}

// push adds a commit to the remote from somewhere else.
func push(t *testing.T, remote, name string) {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other")
	git(t, filepath.Dir(other), "clone", "-q", remote, other)
	commit(t, other, name, "other\n")
	git(t, other, "push", "-q", "origin", "HEAD:main")
}

func codes(r GitReport) []string {
	out := []string{}
	for _, f := range r.Findings {
		out = append(out, string(f.Code))
	}
	return out
}

func mustCheck(t *testing.T, dir string, opts GitOptions) GitReport {
	t.Helper()
	r, err := CheckGit(context.Background(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
