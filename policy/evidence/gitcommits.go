package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func (c *gitCheck) commits(w worktree) {
	switch {
	case w.head == "":
		// Nothing was ever committed, so nothing can be unpushed.
	case !w.tracked:
		c.noUpstream(w)
	case w.ahead > 0 && w.behind > 0:
		c.add(Finding{Code: GitDiverged, Count: w.ahead + w.behind,
			Detail: fmt.Sprintf("%s is %d ahead of and %d behind %s, as of the last fetch", w.branch, w.ahead, w.behind, w.upstream),
			Fix:    "git pull --rebase && git push"})
	case w.behind > 0:
		c.add(Finding{Code: GitBehind, Count: w.behind,
			Detail: fmt.Sprintf("%s lacks %s of %s, as of the last fetch", w.branch, plural(w.behind, "commit"), w.upstream),
			Fix:    "git pull --rebase"})
	case w.ahead > 0:
		c.add(Finding{Code: GitUnpushed, Count: w.ahead,
			Detail: plural(w.ahead, "commit") + " not pushed to " + w.upstream, Fix: "git push"})
	case strings.HasPrefix(c.upstreamRef, "refs/heads/"):
		// Level with a local branch: whether that one was pushed is the question.
		if n, ok := c.unpublished(); ok && n > 0 {
			c.add(Finding{Code: GitUnpushed, Count: n,
				Detail: fmt.Sprintf("%s on no remote: the upstream %s is a local branch", plural(n, "commit"), w.upstream),
				Fix:    "git push -u origin " + w.branch})
		}
	}
}

func (c *gitCheck) noUpstream(w worktree) {
	n, ok := c.unpublished()
	if !ok {
		return
	}
	detail := "branch " + w.branch + " has no upstream"
	if w.upstream != "" {
		detail = "the upstream " + w.upstream + " of " + w.branch + " does not exist (any more)"
	}
	if n > 0 {
		detail += ", and " + plural(n, "commit") + " on no remote branch"
	}
	c.add(Finding{Code: GitNoUpstream, Count: n, Detail: detail, Refuses: n > 0 && !c.opts.AllowNoUpstream,
		Fix: "git push -u origin " + w.branch})
}

// unpublished counts the commits that no remote-tracking branch has.
func (c *gitCheck) unpublished() (int, bool) {
	out := c.run(c.report.Dir, "rev-list", "--count", "HEAD", "--not", "--remotes")
	n, err := strconv.Atoi(strings.TrimSpace(out.stdout))
	if out.err == nil {
		out.err = err
	}
	if out.err != nil {
		c.failed("git rev-list", out)
		return 0, false
	}
	return n, true
}

// submoduleCommits asks every checked-out submodule the same question: its HEAD is
// detached as a rule, so an upstream would tell nothing.
func (c *gitCheck) submoduleCommits() {
	if _, err := os.Lstat(filepath.Join(c.report.Root, ".gitmodules")); err != nil {
		return
	}
	out := c.run(c.report.Root, "submodule", "--quiet", "foreach", "--recursive",
		`printf '%s\0%s\0' "$displaypath" "$(git rev-list --count HEAD --not --remotes 2>/dev/null || echo unknown)"`)
	if out.err != nil {
		c.failed("git submodule foreach", out)
		return
	}
	var ahead paths
	fields := strings.Split(out.stdout, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if strings.TrimSpace(fields[i+1]) != "0" {
			ahead.add(fields[i])
		}
	}
	if ahead.n > 0 {
		c.add(Finding{Code: GitSubmoduleUnpushed, Count: ahead.n, Paths: ahead.first,
			Detail: plural(ahead.n, "submodule") + " at commits that are on none of their remote branches",
			Fix:    "git -C SUBMODULE push origin HEAD:BRANCH"})
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func short(commit string) string { return commit[:min(len(commit), 12)] }

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
