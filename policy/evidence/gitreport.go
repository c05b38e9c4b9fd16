package evidence

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// FindingCode names one thing the Git check found.
type FindingCode string

// The findings. All refuse a guarded status check, with the exceptions given.
const (
	GitDirty             FindingCode = "dirty"     // tracked files changed, staged or not
	GitUntracked         FindingCode = "untracked" // new files that are not ignored
	GitUnpushed          FindingCode = "unpushed"  // commits the upstream does not have
	GitBehind            FindingCode = "behind"    // commits only the upstream has, as of the last fetch
	GitDiverged          FindingCode = "diverged"  // both; replaces unpushed and behind
	GitDetachedHead      FindingCode = "detached_head"
	GitNoUpstream        FindingCode = "no_upstream" // refuses only for commits that no remote branch has
	GitSubmoduleDirty    FindingCode = "submodule_dirty"
	GitSubmoduleUnpushed FindingCode = "submodule_unpushed"
	GitInProgress        FindingCode = "merge_or_rebase_in_progress" // also cherry-pick, revert, am, bisect
	GitNoWorkTree        FindingCode = "no_work_tree"                // a bare repository, or inside .git
	GitNotARepository    FindingCode = "not_a_repository"            // never refuses: nothing here is owned
	GitMissing           FindingCode = "no_git"                      // git is not installed
	GitTimeout           FindingCode = "git_timeout"
	GitFailed            FindingCode = "git_failed"
)

// Finding is one thing the Git check found, and what to do about it.
type Finding struct {
	Code    FindingCode `json:"code"`
	Count   int         `json:"count,omitempty"` // files, commits or submodules
	Paths   []string    `json:"paths,omitempty"` // examples, 10 at most, relative to the repository
	Detail  string      `json:"detail"`          // one line for people
	Fix     string      `json:"fix,omitempty"`   // commands that repair it
	Refuses bool        `json:"refuses"`         // the check is not final because of it
}

// GitReport is what the Git check saw. Ahead and Behind compare with the
// upstream as it was when somebody last fetched; the check itself never does.
type GitReport struct {
	Dir       string    `json:"dir"`
	Root      string    `json:"root,omitempty"`   // of the work tree
	Branch    string    `json:"branch,omitempty"` // empty when HEAD is detached
	Head      string    `json:"head,omitempty"`   // commit id; empty before the first commit
	Upstream  string    `json:"upstream,omitempty"`
	Ahead     int       `json:"ahead"`
	Behind    int       `json:"behind"`
	Findings  []Finding `json:"findings"`
	Truncated bool      `json:"truncated,omitempty"` // git's output was cut: counts are lower bounds
}

// Final reports whether all work in Dir is committed, pushed and up to date
// (PO-2). A folder that is not in a repository is final; a check that could not
// be made is not.
func (r GitReport) Final() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Refuses })
}

// Find returns the finding with the code.
func (r GitReport) Find(code FindingCode) (Finding, bool) {
	i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Code == code })
	if i < 0 {
		return Finding{}, false
	}
	return r.Findings[i], true
}

// Summary is one short line, such as "main: 2 changed, 1 unpushed".
func (r GitReport) Summary() string {
	var parts []string
	for _, f := range r.Findings {
		parts = append(parts, f.short(r))
	}
	what := strings.Join(parts, ", ")
	if what == "" {
		what = "clean"
		if r.Upstream != "" {
			what = "clean, pushed"
		}
	}
	if r.Branch == "" {
		return what
	}
	return r.Branch + ": " + what
}

func (f Finding) short(r GitReport) string {
	switch f.Code {
	case GitDirty:
		return fmt.Sprintf("%d changed", f.Count)
	case GitUntracked, GitUnpushed, GitBehind:
		return fmt.Sprintf("%d %s", f.Count, f.Code)
	case GitDiverged:
		return fmt.Sprintf("%d ahead and %d behind", r.Ahead, r.Behind)
	case GitNoUpstream:
		if f.Count > 0 {
			return fmt.Sprintf("no upstream, %d unpushed", f.Count)
		}
		return "no upstream"
	case GitInProgress:
		return f.Detail
	case GitMissing:
		return "git is not installed"
	case GitTimeout:
		return "not checked (git timed out)"
	case GitFailed:
		return "not checked (git failed)"
	}
	return strings.ReplaceAll(string(f.Code), "_", " ")
}

// Refusal tells an agent what keeps the report from being final, one finding a
// paragraph with its repair. It is empty for a final report.
func (r GitReport) Refusal() string {
	if r.Final() {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Git work in %s is not final.\n", printable(r.Dir))
	for _, f := range r.Findings {
		if !f.Refuses {
			continue
		}
		fmt.Fprintf(&b, "- %s: %s\n", f.Code, printable(f.Detail))
		if len(f.Paths) > 0 {
			b.WriteString("  ")
			for i, p := range f.Paths {
				if i > 0 {
					b.WriteString(", ")
				}
				b.WriteString(printable(p))
			}
			if more := f.Count - len(f.Paths); more > 0 {
				fmt.Fprintf(&b, " and %d more", more)
			}
			b.WriteString("\n")
		}
		if f.Fix != "" {
			fmt.Fprintf(&b, "  do: %s\n", f.Fix)
		}
	}
	return b.String()
}

// GitSummary is the member "git" of a ledger event.
type GitSummary struct {
	Final    bool          `json:"final"`
	Branch   string        `json:"branch,omitempty"`
	Head     string        `json:"head,omitempty"`
	Upstream string        `json:"upstream,omitempty"`
	Ahead    int           `json:"ahead,omitempty"`
	Behind   int           `json:"behind,omitempty"`
	Findings []FindingCode `json:"findings"`
}

// EventJSON is the report as an event's Git member.
func (r GitReport) EventJSON() json.RawMessage {
	sum := GitSummary{Final: r.Final(), Branch: r.Branch, Head: r.Head, Upstream: r.Upstream,
		Ahead: r.Ahead, Behind: r.Behind, Findings: []FindingCode{}}
	for _, f := range r.Findings {
		sum.Findings = append(sum.Findings, f.Code)
	}
	raw, err := json.Marshal(sum)
	if err != nil { // strings and numbers always encode
		return nil
	}
	return raw
}
