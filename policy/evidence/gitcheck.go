package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// CheckGit looks whether the work in dir's repository is committed, pushed and
// up to date (PO-2, requirements 2C). It changes nothing and uses no network, so
// "behind" is as of the last fetch. It takes two git calls, one more without a
// remote upstream, and one more with submodules.
//
// What cannot be found out is a finding that refuses, not an error: the errors
// are a dir that is no folder, and the context's.
//
// Decisions: no repository means that nothing here is owned, hence final. A
// branch without upstream refuses only while it has commits that no
// remote-tracking branch has. A detached HEAD refuses: its commits belong to no
// branch. A bare repository refuses, because the work is in some work tree elsewhere.
func CheckGit(ctx context.Context, dir string, opts GitOptions) (GitReport, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return GitReport{}, fmt.Errorf("check git: %w", err)
	}
	c := gitCheck{ctx: ctx, opts: opts, report: GitReport{Dir: dir, Findings: []Finding{}}}
	c.check()
	if err := ctx.Err(); err != nil {
		return GitReport{}, fmt.Errorf("check git in %s: %w", dir, err)
	}
	return c.report, nil
}

type gitCheck struct {
	ctx    context.Context
	opts   GitOptions
	report GitReport
	gitDir string
	// upstreamRef is the full name of the upstream, when git could tell it.
	upstreamRef string
}

func (c *gitCheck) check() {
	if c.opts.Git == "" {
		c.opts.Git = "git"
	}
	path, err := exec.LookPath(c.opts.Git)
	if err != nil {
		c.add(Finding{Code: GitMissing, Detail: "git is not installed or not on PATH, so nothing can be verified",
			Fix: "install git, or put it on PATH"})
		return
	}
	c.opts.Git = path
	if !c.discover() {
		return
	}
	w, ok := c.status()
	if !ok {
		return
	}
	c.report.Head, c.report.Branch, c.report.Upstream = w.head, w.branch, w.upstream
	c.report.Ahead, c.report.Behind = w.ahead, w.behind
	busy := c.inProgress()
	c.files(w)
	switch {
	case w.detached && busy:
		// A rebase detaches HEAD itself; finishing it is the whole repair.
	case w.detached:
		c.add(Finding{Code: GitDetachedHead, Detail: "HEAD is detached at " + short(w.head) + ", so new commits belong to no branch",
			Fix: "git switch -c BRANCH && git push -u origin BRANCH (or, with nothing to keep: git switch -)"})
	default:
		c.commits(w)
	}
	c.submoduleCommits()
}

func (c *gitCheck) add(f Finding) {
	if f.Code != GitNotARepository && f.Code != GitNoUpstream {
		f.Refuses = true
	}
	c.report.Findings = append(c.report.Findings, f)
}

func (c *gitCheck) run(dir string, args ...string) output {
	return c.opts.run(c.ctx, dir, args...)
}

// failed turns a failed call into a finding.
func (c *gitCheck) failed(what string, out output) {
	if errors.Is(out.err, errGitTimeout) {
		c.add(Finding{Code: GitTimeout, Detail: what + " did not answer in time and was killed",
			Fix: "run it by hand to see what it waits for, then check again"})
		return
	}
	why := firstLine(out.stderr)
	if why == "" && out.err != nil {
		why = out.err.Error()
	}
	c.add(Finding{Code: GitFailed, Detail: what + " failed: " + why, Fix: "repair the repository (git status shows the same error), then check again"})
}

// discover finds the repository. One rev-parse prints an answer a line and stops
// at the first question it cannot answer, so a missing upstream or work tree
// shows as missing lines and needs no further call.
func (c *gitCheck) discover() bool {
	out := c.run(c.report.Dir, "rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--absolute-git-dir",
		"--show-toplevel", "--symbolic-full-name", "@{upstream}")
	lines := strings.Split(strings.TrimSuffix(out.stdout, "\n"), "\n")
	switch {
	case errors.Is(out.err, errGitTimeout), len(lines) > 5:
		c.failed("git rev-parse", out)
		return false
	case len(lines) < 3:
		// Without the part in brackets the message speaks of a .git file that
		// points nowhere, which is a broken repository and not none.
		if strings.Contains(out.stderr, "not a git repository (or any") {
			c.add(Finding{Code: GitNotARepository, Detail: "not in a git repository, so nothing here is to be committed"})
			return false
		}
		c.failed("git rev-parse", out)
		return false
	case lines[1] != "true" || len(lines) < 4:
		c.add(Finding{Code: GitNoWorkTree, Detail: "this is a bare repository or the inside of .git, so its work cannot be seen from here",
			Fix: "cd into the work tree (git worktree list shows them) and check again"})
		return false
	}
	c.gitDir, c.report.Root = lines[2], lines[3]
	if len(lines) == 5 {
		c.upstreamRef = lines[4]
	}
	return true
}

func (c *gitCheck) status() (worktree, bool) {
	// Every option a user's configuration could turn the other way is spelled out.
	// The one given with -c reaches the status that git runs inside submodules.
	out := c.run(c.report.Dir, "-c", "status.showUntrackedFiles=normal", "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal",
		"--ignore-submodules=none", "--ahead-behind", "--no-renames")
	if out.err != nil {
		c.failed("git status", out)
		return worktree{}, false
	}
	c.report.Truncated = out.cut
	w, err := parseStatus(out.stdout, out.cut)
	if err == nil && out.cut && w.dirty.n+w.untracked.n+w.submodules.n == 0 {
		err = errTooMuch // the cut hides all entries, which must not look clean
	}
	if err != nil {
		c.failed("git status", output{err: err})
		return worktree{}, false
	}
	return w, true
}

// inProgress looks for the files git keeps while an operation waits for a person.
func (c *gitCheck) inProgress() bool {
	for _, op := range []struct{ file, name, fix string }{
		{"MERGE_HEAD", "merge", "git merge --continue (or git merge --abort)"},
		{"rebase-merge", "rebase", "git rebase --continue (or git rebase --abort)"},
		{"rebase-apply", "rebase or am", "git rebase --continue, or git am --continue (or --abort)"},
		{"CHERRY_PICK_HEAD", "cherry-pick", "git cherry-pick --continue (or git cherry-pick --abort)"},
		{"REVERT_HEAD", "revert", "git revert --continue (or git revert --abort)"},
		{"BISECT_LOG", "bisect", "git bisect reset"},
	} {
		if _, err := os.Lstat(filepath.Join(c.gitDir, op.file)); err == nil {
			c.add(Finding{Code: GitInProgress, Detail: op.name + " in progress", Fix: op.fix})
			return true
		}
	}
	return false
}

func (c *gitCheck) files(w worktree) {
	least := ""
	if c.report.Truncated {
		least = "at least "
	}
	if w.dirty.n > 0 {
		detail := least + plural(w.dirty.n, "tracked file") + " changed and not committed"
		if w.conflicts > 0 {
			detail += fmt.Sprintf(" (%d in conflict)", w.conflicts)
		}
		c.add(Finding{Code: GitDirty, Count: w.dirty.n, Paths: w.dirty.first, Detail: detail,
			Fix: `git add -u && git commit -m "MESSAGE" (or git restore PATH for what is not wanted)`})
	}
	if w.untracked.n > 0 {
		c.add(Finding{Code: GitUntracked, Count: w.untracked.n, Paths: w.untracked.first,
			Detail: least + plural(w.untracked.n, "new path") + " neither added nor ignored",
			Fix:    `git add PATH && git commit -m "MESSAGE"; list generated files in .gitignore; delete scratch files`})
	}
	if w.submodules.n > 0 {
		c.add(Finding{Code: GitSubmoduleDirty, Count: w.submodules.n, Paths: w.submodules.first,
			Detail: least + plural(w.submodules.n, "submodule") + " with changes inside, or at another commit than recorded",
			Fix:    `commit and push inside the submodule, then here: git add SUBMODULE && git commit (or git submodule update for what is not wanted)`})
	}
}
