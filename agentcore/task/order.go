package task

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stophook/stophook/execctx"
)

// Order sorts exits by completion (AC-42): by end, then start, then the number of
// the id (D-23). An end that nobody saw comes first; exits that
// nothing tells apart stay as they stood.
func Order(exits []Exit) { slices.SortStableFunc(exits, compare) }

func compare(a, b Exit) int {
	return cmp.Or(a.EndedAt.Compare(b.EndedAt), a.StartedAt.Compare(b.StartedAt), compareIDs(a.TaskID, b.TaskID))
}

// compareIDs puts ids of our own before others, bash_2 before bash_10.
func compareIDs(a, b string) int {
	n, errA := execctx.ParseTaskID(a)
	m, errB := execctx.ParseTaskID(b)
	switch {
	case errA == nil && errB == nil:
		return cmp.Compare(n, m)
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return strings.Compare(a, b)
}
