// Package textdiff shows how one text became another, as a unified diff for people.
//
// Start with [Unified]. Nothing here holds state; texts of any size are taken, and
// changes of very many lines are shown as one.
package textdiff

import (
	"fmt"
	"strings"
)

// diffContext is how many equal lines are shown around a change.
const diffContext = 3

// maxDiffLines bounds the table that the comparison needs; larger changes are shown
// as one.
const maxDiffLines = 4000

// Unified gives the unified diff of two texts, empty when they are equal. Line ends
// and a byte order mark that only one of them has are shown as changes of whole
// lines. from and to are the names in its head.
func Unified(from, to string, before, after []byte) string {
	if string(before) == string(after) {
		return ""
	}
	a, b := splitLines(string(before)), splitLines(string(after))
	edits := compareLines(a, b)
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	for start := 0; start < len(edits); {
		if edits[start].op == ' ' {
			start++
			continue
		}
		first := max(0, start-diffContext)
		end := start
		for i := start; i < len(edits) && i <= end+2*diffContext; i++ {
			if edits[i].op != ' ' {
				end = i
			}
		}
		last := min(len(edits), end+1+diffContext)
		writeHunk(&out, edits, first, last)
		start = last
	}
	return out.String()
}

type edit struct {
	op   byte // ' ', '-' or '+'
	line string
	a, b int // lines of both texts before this one
}

func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func writeHunk(out *strings.Builder, edits []edit, from, to int) {
	var na, nb int
	for _, e := range edits[from:to] {
		if e.op != '+' {
			na++
		}
		if e.op != '-' {
			nb++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(edits[from].a, na), span(edits[from].b, nb))
	for _, e := range edits[from:to] {
		line, whole := strings.CutSuffix(e.line, "\n")
		out.WriteByte(e.op)
		out.WriteString(line)
		out.WriteByte('\n')
		if !whole {
			out.WriteString("\\ No newline at end of file\n")
		}
	}
}

func span(before, n int) string {
	if n > 0 {
		before++
	}
	if n == 1 {
		return fmt.Sprint(before)
	}
	return fmt.Sprintf("%d,%d", before, n)
}

// compareLines finds a shortest list of edits by the longest common subsequence of
// what lies between the common beginning and end.
func compareLines(a, b []string) []edit {
	var edits []edit
	add := func(op byte, line string, i, j int) { edits = append(edits, edit{op, line, i, j}) }
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		add(' ', a[head], head, head)
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(x) > maxDiffLines || len(y) > maxDiffLines {
		for i, l := range x {
			add('-', l, head+i, head)
		}
		for j, l := range y {
			add('+', l, head+len(x), head+j)
		}
	} else {
		table := commonLengths(x, y)
		i, j := 0, 0
		for i < len(x) || j < len(y) {
			switch {
			case i < len(x) && j < len(y) && x[i] == y[j]:
				add(' ', x[i], head+i, head+j)
				i, j = i+1, j+1
			case j == len(y) || i < len(x) && table[i+1][j] >= table[i][j+1]:
				add('-', x[i], head+i, head+j)
				i++
			default:
				add('+', y[j], head+i, head+j)
				j++
			}
		}
	}
	for k := range tail {
		add(' ', a[len(a)-tail+k], len(a)-tail+k, len(b)-tail+k)
	}
	return edits
}

// commonLengths holds how many lines the rests x[i:] and y[j:] have in common.
func commonLengths(x, y []string) [][]int32 {
	table := make([][]int32, len(x)+1)
	cells := make([]int32, (len(x)+1)*(len(y)+1))
	for i := range table {
		table[i] = cells[i*(len(y)+1) : (i+1)*(len(y)+1)]
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}
