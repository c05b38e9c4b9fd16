package builtin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of the search for what was probably meant.
const (
	missLines = 20_000 // of the file, that are looked at
	missShown = 3
	missLike  = 0.6 // how alike a line must be, of 1
)

// nearMiss says what in the file is nearly the text that was not found, in
// sentences with a space in front.
func nearMiss(text, old string) string {
	if stripped, ok := withoutNumbers(old); ok {
		if strings.Contains(text, stripped) {
			return " It begins with line numbers as read_file shows them: without these it is there."
		}
		return " It begins with line numbers as read_file shows them: leave these out."
	}
	if unescaped := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`).Replace(old); unescaped != old && strings.Contains(text, unescaped) {
		return ` It has escapes such as \n where the file has the characters themselves.`
	}
	lines := strings.Split(text, "\n")
	want := strings.Split(strings.Trim(old, "\r\n"), "\n")
	if len(lines) > missLines {
		lines = lines[:missLines]
	}
	if at := sameButSpaces(lines, want); at >= 0 {
		return fmt.Sprintf(" Lines %d to %d are the same but for spaces, tabs or line ends. The file has:\n%s", at+1, at+len(want), quoted(lines[at:at+min(len(want), excerptAround*2)]))
	}
	return alike(lines, want)
}

// withoutNumbers takes the line numbers of read_file away, if every line has one.
func withoutNumbers(s string) (string, bool) {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		number, rest, ok := strings.Cut(strings.TrimLeft(line, " "), "\t")
		if _, err := strconv.Atoi(number); !ok || err != nil {
			return "", false
		}
		lines[i] = rest
	}
	return strings.Join(lines, "\n"), true
}

// sameButSpaces finds where the wanted lines are, with other spaces in them.
func sameButSpaces(lines, want []string) int {
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	folded := make([]string, len(want))
	some := false
	for i, w := range want {
		folded[i] = fold(w)
		some = some || folded[i] != ""
	}
	if !some {
		return -1
	}
search:
	for at := 0; at+len(want) <= len(lines); at++ {
		for i, f := range folded {
			if fold(lines[at+i]) != f {
				continue search
			}
		}
		return at
	}
	return -1
}

// alike shows the lines that are most like the first wanted one that says
// something.
func alike(lines, want []string) string {
	i := slices.IndexFunc(want, func(s string) bool { return len(strings.TrimSpace(s)) >= 4 })
	if i < 0 {
		return ""
	}
	type scored struct {
		line  int
		score float64
	}
	var best []scored
	pairs := bigrams(want[i])
	for n, line := range lines {
		if score := likeness(pairs, bigrams(line)); score >= missLike {
			best = append(best, scored{n, score})
		}
	}
	if len(best) == 0 {
		return " No line is like its first one. Read the file again: it may have changed."
	}
	slices.SortStableFunc(best, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return a.line - b.line
	})
	var b strings.Builder
	fmt.Fprintf(&b, " Most like its line %q:\n", clipLine(strings.TrimSpace(want[i])))
	for _, s := range best[:min(len(best), missShown)] {
		fmt.Fprintf(&b, "%6d\t%s\n", s.line+1, clipLine(strings.TrimSuffix(lines[s.line], "\r")))
	}
	return b.String()
}

// bigrams counts pairs of bytes of a line without the spaces around it. It is
// sorted. Long lines are cut: they are told apart by their beginning.
func bigrams(s string) []uint16 {
	s = strings.TrimSpace(s)
	if len(s) > 200 {
		s = s[:200]
	}
	var out []uint16
	for i := 0; i+1 < len(s); i++ {
		out = append(out, uint16(s[i])<<8|uint16(s[i+1]))
	}
	slices.Sort(out)
	return out
}

// likeness is the Dice coefficient of two sorted lists: 1 for the same.
func likeness(a, b []uint16) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// quoted shows lines so that tabs and spaces can be told apart.
func quoted(lines []string) string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = strconv.Quote(clipLine(line))
	}
	return strings.Join(out, "\n")
}

func clipLine(s string) string {
	if short := firstRunes(s, 200); len(short) < len(s) {
		return short + "…"
	}
	return s
}
