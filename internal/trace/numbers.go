package main

import (
	"strconv"
	"strings"
)

// maxRange bounds what one range may stand for, so that a slip of the pen does
// not prove everything.
const maxRange = 60

// prefixes lists the kinds of numbers; AC before CL so that the longer of two
// candidates at one place is never cut short by a shorter one.
func prefixes() []string { return []string{"TR", "PO", "RG", "FX", "CL", "AC", "EX", "RT", "D"} }

// numbersInText finds TR-7, lists such as TR-4/5, and ranges such as
// AC-150 to AC-153, AC-150..153 and AC-150..AC-153. A number is a whole token:
// TR-1 is not in TR-10, and D-3 not in ID-3. Leading zeros do not matter.
func numbersInText(s string) []string {
	var found []string
	for i := 0; i < len(s); i++ {
		if i > 0 && (isAlnum(s[i-1]) || s[i-1] == '-') {
			continue
		}
		prefix, first, end, ok := textNumber(s, i)
		if !ok {
			continue
		}
		last := first
		if to, next, ok := rangeEnd(s, end, prefix); ok {
			last, end = to, next
		}
		found = appendRange(found, prefix, first, last)
		for end+1 < len(s) && s[end] == '/' && isDigit(s[end+1]) {
			var n int
			n, end = digits(s, end+1)
			found = appendRange(found, prefix, n, n)
		}
		i = end - 1
	}
	return found
}

// textNumber reads PREFIX-digits at i.
func textNumber(s string, i int) (prefix string, n, end int, ok bool) {
	for _, p := range prefixes() {
		if !strings.HasPrefix(s[i:], p+"-") {
			continue
		}
		start := i + len(p) + 1
		if n, end = digits(s, start); end == start || end < len(s) && isAlnum(s[end]) {
			return "", 0, 0, false
		}
		return p, n, end, true
	}
	return "", 0, 0, false
}

// rangeEnd reads what may follow a number to make it a range. A bare number
// counts only behind a sign: "TR-7 to 30 minutes" is no range.
func rangeEnd(s string, i int, prefix string) (n, end int, ok bool) {
	for _, sep := range []string{" to ", " through ", "..", "…", "–", "-"} {
		if !strings.HasPrefix(s[i:], sep) {
			continue
		}
		at := i + len(sep)
		if p, n, end, ok := textNumber(s, at); ok && p == prefix {
			return n, end, true
		}
		if sep[0] == ' ' {
			continue
		}
		if n, end := digits(s, at); end > at && (end == len(s) || !isAlnum(s[end])) {
			return n, end, true
		}
	}
	return 0, 0, false
}

// numbersInName finds numbers in a Go identifier: TestTail_TR1, TestDebt_AC150,
// TestTR12Unreadable, and ranges as TestTail_TR1to3. The prefix must begin a
// word: TestID35 carries no D-35.
func numbersInName(name string) []string {
	var found []string
	for i := 0; i < len(name); i++ {
		if i > 0 && name[i-1] >= 'A' && name[i-1] <= 'Z' {
			continue
		}
		prefix, first, end, ok := nameNumber(name, i)
		if !ok {
			continue
		}
		last, at := first, end
		at = skipUnderscore(name, at)
		if strings.HasPrefix(name[at:], "to") {
			at = skipUnderscore(name, at+2)
			at = skipUnderscore(name, at+len(prefix)*b2i(strings.HasPrefix(name[at:], prefix)))
			if n, next := digits(name, at); next > at {
				last, end = n, next
			}
		}
		found = appendRange(found, prefix, first, last)
		i = end - 1
	}
	return found
}

func nameNumber(s string, i int) (prefix string, n, end int, ok bool) {
	for _, p := range prefixes() {
		if !strings.HasPrefix(s[i:], p) {
			continue
		}
		start := skipUnderscore(s, i+len(p))
		if n, end = digits(s, start); end > start {
			return p, n, end, true
		}
	}
	return "", 0, 0, false
}

// numbersInRuleName reads a Rego test's name, in which everything is lower
// case: test_tr_7_names, test_po3.
func numbersInRuleName(name string) []string {
	var b strings.Builder
	for i, word := range strings.Split(name, "_") {
		if i > 0 {
			b.WriteByte('_')
		}
		if upper := strings.ToUpper(word); isPrefixed(upper) {
			word = upper
		}
		b.WriteString(word)
	}
	return numbersInName(b.String())
}

// isPrefixed tells whether word is a prefix, alone or with digits behind it.
func isPrefixed(word string) bool {
	for _, p := range prefixes() {
		if rest, ok := strings.CutPrefix(word, p); ok {
			if _, end := digits(rest, 0); end == len(rest) {
				return true
			}
		}
	}
	return false
}

// appendRange adds the numbers from first to last; a range that falls or is
// longer than maxRange counts as its first number alone.
func appendRange(found []string, prefix string, first, last int) []string {
	if last < first || last-first >= maxRange {
		last = first
	}
	for n := first; n <= last; n++ {
		found = append(found, number(prefix, n))
	}
	return found
}

// number writes an id the way the document does: decisions have two digits.
func number(prefix string, n int) string {
	if prefix == "D" && n < 10 {
		return "D-0" + strconv.Itoa(n)
	}
	return prefix + "-" + strconv.Itoa(n)
}

// digits reads a decimal number of at most 4 digits at i; end is i when there
// is none.
func digits(s string, i int) (n, end int) {
	end = i
	for end < len(s) && isDigit(s[end]) {
		if end-i == 4 {
			return 0, i
		}
		n = n*10 + int(s[end]-'0')
		end++
	}
	return n, end
}

func skipUnderscore(s string, i int) int {
	if i < len(s) && s[i] == '_' {
		return i + 1
	}
	return i
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlnum(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
