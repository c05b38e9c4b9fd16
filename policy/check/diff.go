package check

import "github.com/stophook/stophook/internal/textdiff"

// Diff gives a unified diff of a file and its formatted text, empty when they are
// equal.
func Diff(name string, before, after []byte) string {
	return textdiff.Unified(name, name+" (formatted)", before, after)
}
