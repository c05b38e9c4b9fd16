package check

import (
	"slices"
	"strings"
)

// nearest is the candidate that was probably meant, or "" when none is close. It
// never gives the word itself.
func nearest(word string, candidates []string) string {
	lower := strings.ToLower(strings.ReplaceAll(word, "-", "_"))
	best, bestDist := "", 1+max(1, min(len(lower)/3, 3))
	if len(lower) < 3 || len(lower) > 64 {
		return ""
	}
	for _, c := range candidates {
		if c == word || c == "" || len(lower) <= 4 && c[0] != lower[0] { // mode is not a misspelt code
			continue
		}
		if d := distance(lower, c); d < bestDist {
			best, bestDist = c, d
		}
	}
	return best
}

// distance counts edits, a swap of two neighbours being one.
func distance(a, b string) int {
	if n := len(a) - len(b); n > 3 || n < -3 {
		return 4
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range len(a) {
		cur[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cur[j+1] = min(cur[j+1], before[j-1]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// suggest asks for the nearest candidate, or lists all and adds what else to do.
func suggest(word string, candidates []string, otherwise string) string {
	if near := nearest(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	list := slices.Sorted(slices.Values(candidates))
	const most = 24
	more := ""
	if len(list) > most {
		list, more = list[:most], ", ..."
	}
	hint := "there are " + strings.Join(list, ", ") + more
	if len(list) == 0 {
		hint = ""
	}
	if otherwise != "" && hint != "" {
		return hint + "; " + otherwise
	}
	return hint + otherwise
}
