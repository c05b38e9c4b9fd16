//go:build unix

package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCheckGit_PO2EveryFinding(t *testing.T) {
	gitWorld(t)
	for _, c := range []struct {
		reason string
		make   func(t *testing.T) string // returns the folder to check
		codes  []string
		final  bool
		sum    string
	}{
		{"all committed and pushed", func(t *testing.T) string { d, _ := clone(t); return d }, nil, true, "main: clean, pushed"},
		{"an ignored file is nobody's work", func(t *testing.T) string {
			d, _ := clone(t)
			commit(t, d, ".gitignore", "*.log\n")
			git(t, d, "push", "-q")
			mustWrite(t, filepath.Join(d, "x.log"), "x")
			return d
		}, nil, true, "main: clean, pushed"},
		{"changed, not staged", func(t *testing.T) string {
			d, _ := clone(t)
			mustWrite(t, filepath.Join(d, "a.txt"), "changed")
			return d
		}, []string{"dirty"}, false, "main: 1 changed"},
		{"staged, seen from a folder below", func(t *testing.T) string {
			d, _ := clone(t)
			mustWrite(t, filepath.Join(d, "a.txt"), "changed")
			git(t, d, "add", "a.txt")
			os.Mkdir(filepath.Join(d, "sub"), 0o755)
			return filepath.Join(d, "sub")
		}, []string{"dirty"}, false, "main: 1 changed"},
		{"a rename is two changes", func(t *testing.T) string {
			d, _ := clone(t)
			git(t, d, "mv", "a.txt", "b.txt")
			return d
		}, []string{"dirty"}, false, "main: 2 changed"},
		{"new files, though the user's configuration hides them", func(t *testing.T) string {
			d, _ := clone(t)
			mustWrite(t, filepath.Join(d, "new file\n.txt"), "x")
			return d
		}, []string{"untracked"}, false, "main: 1 untracked"},
		{"a commit that was not pushed", func(t *testing.T) string {
			d, _ := clone(t)
			commit(t, d, "b.txt", "b")
			return d
		}, []string{"unpushed"}, false, "main: 1 unpushed"},
		{"behind, known only after a fetch", func(t *testing.T) string {
			d, r := clone(t)
			push(t, r, "b.txt")
			git(t, d, "fetch", "-q")
			return d
		}, []string{"behind"}, false, "main: 1 behind"},
		{"the check itself does not fetch", func(t *testing.T) string {
			d, r := clone(t)
			push(t, r, "b.txt")
			return d
		}, nil, true, "main: clean, pushed"},
		{"diverged replaces both", func(t *testing.T) string {
			d, r := clone(t)
			push(t, r, "b.txt")
			commit(t, d, "c.txt", "c")
			git(t, d, "fetch", "-q")
			return d
		}, []string{"diverged"}, false, "main: 1 ahead and 1 behind"},
		{"detached", func(t *testing.T) string {
			d, _ := clone(t)
			git(t, d, "checkout", "-q", "--detach")
			return d
		}, []string{"detached_head"}, false, "detached head"},
		{"no remote at all", func(t *testing.T) string {
			d := t.TempDir()
			git(t, d, "init", "-q")
			commit(t, d, "a.txt", "a")
			return d
		}, []string{"no_upstream"}, false, "main: no upstream, 1 unpushed"},
		{"a new branch with a commit of its own", func(t *testing.T) string {
			d, _ := clone(t)
			git(t, d, "switch", "-q", "-c", "topic")
			commit(t, d, "b.txt", "b")
			return d
		}, []string{"no_upstream"}, false, "topic: no upstream, 1 unpushed"},
		{"a new branch without commits has nothing to lose", func(t *testing.T) string {
			d, _ := clone(t)
			git(t, d, "switch", "-q", "-c", "topic")
			return d
		}, []string{"no_upstream"}, true, "topic: no upstream"},
		{"the upstream branch was deleted after an unpushed commit", func(t *testing.T) string {
			d, _ := clone(t)
			git(t, d, "switch", "-q", "-c", "topic")
			commit(t, d, "b.txt", "b")
			git(t, d, "push", "-q", "-u", "origin", "topic")
			git(t, d, "push", "-q", "origin", ":topic")
			return d
		}, []string{"no_upstream"}, false, "topic: no upstream, 1 unpushed"},
		{"level with a local branch is not pushed", func(t *testing.T) string {
			d, _ := clone(t)
			commit(t, d, "b.txt", "b")
			git(t, d, "switch", "-q", "-c", "topic", "--track", "main")
			return d
		}, []string{"unpushed"}, false, "topic: 1 unpushed"},
		{"level with a local branch that was pushed", func(t *testing.T) string {
			d, _ := clone(t)
			git(t, d, "switch", "-q", "-c", "topic", "--track", "main")
			return d
		}, nil, true, "topic: clean, pushed"},
		{"before the first commit", func(t *testing.T) string {
			d := t.TempDir()
			git(t, d, "init", "-q")
			return d
		}, nil, true, "main: clean"},
		{"before the first commit, with a file", func(t *testing.T) string {
			d := t.TempDir()
			git(t, d, "init", "-q")
			mustWrite(t, filepath.Join(d, "a"), "a")
			return d
		}, []string{"untracked"}, false, "main: 1 untracked"},
		{"a merge that stopped", func(t *testing.T) string {
			d := conflict(t)
			stop(t, d, "merge", "topic")
			return d
		}, []string{"merge_or_rebase_in_progress", "dirty"}, false, "main: merge in progress, 1 changed"},
		{"a rebase that stopped detaches HEAD by itself", func(t *testing.T) string {
			d := conflict(t)
			stop(t, d, "rebase", "topic")
			return d
		}, []string{"merge_or_rebase_in_progress", "dirty"}, false, "rebase in progress, 1 changed"},
		{"a cherry-pick that stopped", func(t *testing.T) string {
			d := conflict(t)
			stop(t, d, "cherry-pick", "topic")
			return d
		}, []string{"merge_or_rebase_in_progress", "dirty"}, false, "main: cherry-pick in progress, 1 changed"},
		{"a linked work tree has its own state", func(t *testing.T) string {
			d := conflict(t)
			linked := filepath.Join(t.TempDir(), "linked")
			git(t, d, "worktree", "add", "-q", "-b", "third", linked, "main")
			stop(t, linked, "merge", "topic")
			return linked
		}, []string{"merge_or_rebase_in_progress", "dirty", "no_upstream"}, false, "third: merge in progress, 1 changed, no upstream"},
		{"no repository: nothing owned", func(t *testing.T) string { return t.TempDir() }, []string{"not_a_repository"}, true, "not a repository"},
		{"a bare repository", func(t *testing.T) string { _, r := clone(t); return r }, []string{"no_work_tree"}, false, "no work tree"},
		{"inside .git", func(t *testing.T) string { d, _ := clone(t); return filepath.Join(d, ".git") }, []string{"no_work_tree"}, false, "no work tree"},
		{"a .git file that points nowhere is broken, not absent", func(t *testing.T) string {
			d := t.TempDir()
			mustWrite(t, filepath.Join(d, ".git"), "gitdir: /nonexistent/worktrees/x\n")
			return d
		}, []string{"git_failed"}, false, "not checked (git failed)"},
		{"a damaged index", func(t *testing.T) string {
			d, _ := clone(t)
			mustWrite(t, filepath.Join(d, ".git", "index"), "garbage")
			return d
		}, []string{"git_failed"}, false, "not checked (git failed)"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			dir := c.make(t)
			r := mustCheck(t, dir, GitOptions{})
			if diff := cmp.Diff(append([]string{}, c.codes...), codes(r)); diff != "" || r.Final() != c.final || r.Summary() != c.sum {
				t.Errorf("final %v, summary %q, findings %+v: %s", r.Final(), r.Summary(), r.Findings, diff)
			}
			if (r.Refusal() == "") != c.final {
				t.Errorf("refusal %q", r.Refusal())
			}
			for _, f := range r.Findings {
				if f.Detail == "" || f.Refuses && f.Fix == "" || f.Refuses && !strings.Contains(r.Refusal(), "do: "+f.Fix) {
					t.Errorf("a finding must say what to do: %+v", f)
				}
			}
		})
	}
}

// conflict makes a clone with branches main and topic that cannot be merged.
func conflict(t *testing.T) string {
	t.Helper()
	d, _ := clone(t)
	git(t, d, "switch", "-q", "-c", "topic")
	commit(t, d, "a.txt", "topic\n")
	git(t, d, "switch", "-q", "main")
	commit(t, d, "a.txt", "main\n")
	git(t, d, "push", "-q", "origin", "main", "topic")
	return d
}

// stop runs a git command that must fail half-way.
func stop(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, gitEnv(nil)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("git %v was to stop: %s", args, out)
	}
}

func TestCheckGit_AllowNoUpstream(t *testing.T) {
	gitWorld(t)
	d := t.TempDir()
	git(t, d, "init", "-q")
	commit(t, d, "a.txt", "a")
	r := mustCheck(t, d, GitOptions{AllowNoUpstream: true})
	if f, ok := r.Find(GitNoUpstream); !r.Final() || !ok || f.Count != 1 {
		t.Errorf("%+v", r)
	}
	git(t, d, "checkout", "-q", "--detach")
	if r = mustCheck(t, d, GitOptions{AllowNoUpstream: true}); r.Final() {
		t.Error("a detached HEAD is no branch without upstream")
	}
}

func TestCheckGit_CountsAndExamples(t *testing.T) {
	gitWorld(t)
	d, _ := clone(t)
	for i := range 25 {
		mustWrite(t, filepath.Join(d, fmt.Sprintf("f%02d", i)), "x")
	}
	mustWrite(t, filepath.Join(d, "a.txt"), "changed")
	r := mustCheck(t, d, GitOptions{})
	f, _ := r.Find(GitUntracked)
	if f.Count != 25 || len(f.Paths) != 10 || f.Paths[0] != "f00" || !strings.Contains(r.Refusal(), "f09 and 15 more") {
		t.Errorf("%+v\n%s", f, r.Refusal())
	}
	if r.Root != d || r.Branch != "main" || r.Upstream != "origin/main" || len(r.Head) < 40 {
		t.Errorf("%+v", r)
	}
	// The output ends in the middle of the list: what was seen still counts.
	r = mustCheck(t, d, GitOptions{MaxOutput: 330})
	if f, _ := r.Find(GitUntracked); !r.Truncated || f.Count >= 25 || !strings.HasPrefix(f.Detail+f.Fix, "at least") || r.Final() {
		t.Errorf("cut output: %+v", r)
	}
	if r = mustCheck(t, d, GitOptions{MaxOutput: 150}); r.Final() {
		t.Errorf("cut before the first entry must not look clean: %+v", r)
	}
}

func TestCheckGit_Submodules(t *testing.T) {
	gitWorld(t)
	_, library := clone(t)
	build := func(t *testing.T) (string, string) {
		d, _ := clone(t)
		git(t, d, "submodule", "--quiet", "add", library, "lib with space")
		git(t, d, "commit", "-q", "-m", "add lib")
		git(t, d, "push", "-q")
		return d, filepath.Join(d, "lib with space")
	}
	for _, c := range []struct {
		reason string
		change func(t *testing.T, d, sub string)
		codes  []string
	}{
		{"clean", func(*testing.T, string, string) {}, nil},
		{"changed inside", func(t *testing.T, _, sub string) { mustWrite(t, filepath.Join(sub, "a.txt"), "x") }, []string{"submodule_dirty"}},
		{"new file inside", func(t *testing.T, _, sub string) { mustWrite(t, filepath.Join(sub, "new"), "x") }, []string{"submodule_dirty"}},
		{"committed inside only", func(t *testing.T, _, sub string) { commit(t, sub, "b.txt", "b") },
			[]string{"submodule_dirty", "submodule_unpushed"}},
		{"recorded and pushed here, but not pushed there", func(t *testing.T, d, sub string) {
			commit(t, sub, "b.txt", "b")
			git(t, d, "add", "lib with space")
			git(t, d, "commit", "-q", "--allow-empty", "-m", "move lib")
			git(t, d, "push", "-q", "--recurse-submodules=no")
		}, []string{"submodule_unpushed"}},
		{"pushed there, staged here", func(t *testing.T, d, sub string) {
			commit(t, sub, "b.txt", "b")
			git(t, sub, "push", "-q", "origin", "HEAD:topic")
			git(t, d, "add", "lib with space")
		}, []string{"dirty"}},
		{"not checked out: nothing was worked on there", func(t *testing.T, d, _ string) {
			git(t, d, "submodule", "--quiet", "deinit", "-f", "--all")
		}, nil},
	} {
		t.Run(c.reason, func(t *testing.T) {
			d, sub := build(t)
			c.change(t, d, sub)
			r := mustCheck(t, d, GitOptions{})
			if diff := cmp.Diff(append([]string{}, c.codes...), codes(r)); diff != "" || r.Final() != (len(c.codes) == 0) {
				t.Errorf("%+v %s", r.Findings, diff)
			}
			for _, f := range r.Findings {
				if len(f.Paths) != 1 || f.Paths[0] != "lib with space" {
					t.Errorf("paths %q", f.Paths)
				}
			}
		})
	}
}

func TestCheckGit_NoGit(t *testing.T) {
	t.Setenv("PATH", "")
	r := mustCheck(t, t.TempDir(), GitOptions{})
	if diff := cmp.Diff([]string{"no_git"}, codes(r)); diff != "" || r.Final() {
		t.Errorf("cannot be verified, so not final: %+v", r)
	}
}

func TestCheckGit_BadFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	mustWrite(t, file, "")
	for _, dir := range []string{file, file + "x"} {
		if _, err := CheckGit(context.Background(), dir, GitOptions{}); err == nil {
			t.Errorf("%s is no folder", dir)
		}
	}
}

func TestCheckGit_FewCallsInACleanEnvironment(t *testing.T) {
	gitWorld(t)
	d, _ := clone(t)
	t.Setenv("GIT_DIR", "/nonexistent")
	t.Setenv("GIT_WORK_TREE", "/")
	t.Setenv("GIT_INDEX_FILE", "/nonexistent")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.worktree")
	t.Setenv("GIT_CONFIG_VALUE_0", "/")
	t.Setenv("GIT_CEILING_DIRECTORIES", d)
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	var calls []string
	opts := GitOptions{Start: func(cmd *exec.Cmd) error {
		calls = append(calls, cmd.Args[slices.IndexFunc(cmd.Args, func(a string) bool { return a == "status" || a == "rev-parse" })])
		for _, want := range []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1"} {
			if !slices.Contains(cmd.Env, want) {
				t.Errorf("%s is missing", want)
			}
		}
		for _, kv := range cmd.Env {
			key, value, _ := strings.Cut(kv, "=")
			if strings.HasPrefix(value, "/nonexistent") || strings.HasPrefix(key, "GIT_CONFIG_COUNT") || key == "GIT_CEILING_DIRECTORIES" {
				t.Errorf("git gets %s", kv)
			}
		}
		return cmd.Start()
	}}
	os.Mkdir(filepath.Join(d, "sub"), 0o755)
	if r := mustCheck(t, filepath.Join(d, "sub"), opts); !r.Final() || r.Branch != "main" {
		t.Errorf("%+v", r)
	}
	if diff := cmp.Diff([]string{"rev-parse", "status"}, calls); diff != "" {
		t.Error(diff)
	}
	opts.Start = func(*exec.Cmd) error { return errors.New("no more processes") }
	if r := mustCheck(t, d, opts); r.Final() || !strings.Contains(r.Refusal(), "no more processes") {
		t.Errorf("a start that fails: %+v", r)
	}
}

// A git that hangs is killed with all it started.
func TestCheckGit_Timeout(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the fake git is a shell script")
	}
	for _, hang := range []string{"rev-parse", "status", "rev-list"} {
		t.Run(hang, func(t *testing.T) {
			dir := t.TempDir()
			fake, pipe := filepath.Join(dir, "git"), filepath.Join(dir, "alive")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			script := fmt.Sprintf(`#!/bin/sh
if [ "$1" = -c ]; then shift 2; fi
if [ "$1" = %s ]; then exec 9>%s; echo up >&9; sleep 600 & sleep 600; fi
case "$1" in
rev-parse) printf 'false\ntrue\n%s\n%s\n'; exit 128;;
status) printf '# branch.oid abc\0# branch.head main\0';;
esac
`, hang, pipe, dir, dir)
			if err := os.WriteFile(fake, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			alive, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer alive.Close()
			r := mustCheck(t, dir, GitOptions{Git: fake, Timeout: time.Second})
			f, ok := r.Find(GitTimeout)
			if !ok || r.Final() || !strings.Contains(f.Detail, "git "+hang) {
				t.Errorf("%+v", r)
			}
			// The pipe ends only when every process that holds it is gone.
			alive.SetReadDeadline(time.Now().Add(10 * time.Second))
			if _, err := io.ReadAll(alive); err != nil {
				t.Errorf("a process lives on: %v", err)
			}
		})
	}
}

func TestCheckGit_ContextEnds(t *testing.T) {
	gitWorld(t)
	d, _ := clone(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := CheckGit(ctx, d, GitOptions{Start: func(cmd *exec.Cmd) error { cancel(); return cmd.Start() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
