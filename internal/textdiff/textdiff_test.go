package textdiff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/internal/textdiff"
)

func TestUnified(t *testing.T) {
	for _, tc := range []struct{ reason, before, after, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"from nothing", "", "a\nb\n", "--- x\n+++ y\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n"},
		{"in the middle", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"no last line end", "a", "a\n", "--- x\n+++ y\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"two places", "a\n" + strings.Repeat("=\n", 9) + "b\n", "A\n" + strings.Repeat("=\n", 9) + "B\n",
			"--- x\n+++ y\n@@ -1,4 +1,4 @@\n-a\n+A\n =\n =\n =\n@@ -8,4 +8,4 @@\n =\n =\n =\n-b\n+B\n"},
	} {
		if diff := cmp.Diff(tc.want, textdiff.Unified("x", "y", []byte(tc.before), []byte(tc.after))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
	}
}
