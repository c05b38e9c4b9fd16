//go:build unix

package evidence

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const hashes = "100644 100644 100644 1234567890123456789012345678901234567890 1234567890123456789012345678901234567890 "

func TestParseStatus(t *testing.T) {
	for _, c := range []struct {
		reason, out string
		cut         bool
		want        worktree
		bad         bool
	}{
		{"branch with upstream", "# branch.oid abc\x00# branch.head a b\x00# branch.upstream o/m\x00# branch.ab +2 -3\x00", false,
			worktree{head: "abc", branch: "a b", upstream: "o/m", tracked: true, ahead: 2, behind: 3}, false},
		{"no commit yet", "# branch.oid (initial)\x00# branch.head main\x00", false, worktree{branch: "main"}, false},
		{"detached", "# branch.oid abc\x00# branch.head (detached)\x00", false, worktree{head: "abc", detached: true}, false},
		{"upstream gone: no counts", "# branch.upstream o/m\x00", false, worktree{upstream: "o/m"}, false},
		{"counts not computed", "# branch.ab +? -?\x00", false, worktree{}, true},
		{"headers of later versions", "# stash 3\x00# new\x00", false, worktree{}, false},
		{"all sorts of entries",
			"1 .M N... " + hashes + "a b\x00" +
				"2 R. N... " + hashes + "R100 new\x00old 1\x00" +
				"u UU N... 100644 " + hashes + "123 c\nd\x00" +
				"1 .M S.MU " + hashes + "sub\x00" +
				"1 M. SC.. " + hashes + "staged\x00" +
				"? x\xff\x00! ignored\x00", false,
			worktree{conflicts: 1, dirty: paths{4, []string{"a b", "new", "c\nd", "staged"}},
				submodules: paths{2, []string{"sub", "staged"}}, untracked: paths{1, []string{"x\uFFFD"}}}, false},
		{"cut at a limit", "? a\x00? b", true, worktree{untracked: paths{1, []string{"a"}}}, false},
		{"cut without a limit", "? a\x00? b", false, worktree{}, true},
		{"too few fields", "1 .M N... x\x00", false, worktree{}, true},
		{"unknown record", "z thing\x00", false, worktree{}, true},
		{"not this format", "On branch main\x00", false, worktree{}, true},
		{"empty record", "\x00", false, worktree{}, true},
	} {
		got, err := parseStatus(c.out, c.cut)
		if (err != nil) != c.bad {
			t.Errorf("%s: %v", c.reason, err)
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(worktree{}, paths{})); !c.bad && diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add("# branch.oid abc\x00# branch.ab +2 -3\x00? x\x00", false)
	f.Add("2 R. N... "+hashes+"R100 new\x00old\x00u UU", true)
	f.Fuzz(func(t *testing.T, out string, cut bool) {
		w, err := parseStatus(out, cut)
		records := strings.Count(out, "\x00")
		if n := w.dirty.n + w.untracked.n; err == nil && (n > records || len(w.dirty.first) > maxPaths) {
			t.Fatalf("%d entries of %d records", n, records)
		}
	})
}
