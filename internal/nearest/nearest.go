// Package nearest finds the word that somebody probably meant, for messages that
// ask "did you mean …?".
//
// Start with [Word]. The caller decides which words are candidates, and what to say
// when none is near. Nothing here holds state.
package nearest

import "strings"

// Bounds of what is compared, in bytes.
const (
	shortest = 3  // below that everything is near to everything
	longest  = 64 // above that no word is a slip of the keyboard
	far      = 4  // from here on a distance is not measured
)

// Word is the candidate that was probably meant, or "" when none is close. It never
// gives the word itself. Capitals, and a dash for an underscore, are no difference.
// Of candidates that are equally near it is the first.
func Word(word string, candidates []string) string {
	lower := strings.ToLower(strings.ReplaceAll(word, "-", "_"))
	if len(lower) < shortest || len(lower) > longest {
		return ""
	}
	best, bestDist := "", 1+max(1, min(len(lower)/3, far-1))
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

// distance counts edits of bytes, a swap of two neighbours being one. When the
// lengths alone make words far, it is far.
func distance(a, b string) int {
	if n := len(a) - len(b); n >= far || n <= -far {
		return far
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
