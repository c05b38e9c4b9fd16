package transcript

import (
	"strings"

	"github.com/tidwall/gjson"
)

// maxDepth is how deep a row may be nested, the same as for the standard
// library's decoder. Checking JSON recurses, and a window of brackets must not
// be able to take the stack.
const maxDepth = 10_000

// wellFormed tells whether s is one JSON value, nested no deeper than maxDepth.
func wellFormed(s string) bool { return !tooDeep(s) && gjson.Valid(s) }

func tooDeep(s string) bool {
	// Nearly always settled without looking at what is inside a string.
	if len(s) <= maxDepth || strings.Count(s, "[")+strings.Count(s, "{") <= maxDepth {
		return false
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			i = stringEnd(s, i) - 1
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// stringEnd returns the index behind the string that begins at i.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// eachString calls f for every string value in valid JSON, decoded, until f
// returns false. It walks the text and no tree: the time must not depend on how
// deep the strings lie.
func eachString(json string, f func(string) bool) bool {
	for i := strings.IndexByte(json, '"'); i >= 0; {
		end := stringEnd(json, i)
		next := end
		for next < len(json) && isPadding(json[next]) {
			next++
		}
		if next == len(json) || json[next] != ':' { // a value, no key
			if !f(gjson.Parse(json[i:end]).Str) {
				return false
			}
		}
		j := strings.IndexByte(json[end:], '"')
		if j < 0 {
			break
		}
		i = end + j
	}
	return true
}
