package policytest

import (
	"math"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
)

// Coverage is which lines of policies the tests reached. A line counts once; it is
// covered when everything on it was reached.
type Coverage struct {
	Percent   float64        `json:"percent"`
	Min       float64        `json:"min"` // what was asked for; 0 for nothing
	Covered   int            `json:"covered_lines"`
	Uncovered int            `json:"uncovered_lines"`
	Rules     []RuleCoverage `json:"rules"`
}

// RuleCoverage is the coverage of one package: a rule, a deferral, or helpers.
type RuleCoverage struct {
	Rule      string         `json:"rule"` // its name; of helpers, the package
	Percent   float64        `json:"percent"`
	Covered   int            `json:"covered_lines"`
	Uncovered int            `json:"uncovered_lines"`
	Files     []FileCoverage `json:"files"`
}

// FileCoverage is the coverage of one file.
type FileCoverage struct {
	File      string `json:"file"`
	Covered   int    `json:"covered_lines"`
	Uncovered int    `json:"uncovered_lines"`
	Missing   []Span `json:"missing"` // the lines that were not reached
}

// A Span is a run of lines, both ends included.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// newCoverage makes the report of what c saw of modules, by file name.
func newCoverage(c *cover.Cover, modules map[string]*ast.Module, minimum float64) *Coverage {
	seen := c.Report(modules)
	rules := map[string]*RuleCoverage{}
	total := &Coverage{Min: minimum, Rules: []RuleCoverage{}}
	for file, m := range modules {
		name := ruleName(m)
		r := rules[name]
		if r == nil {
			r = &RuleCoverage{Rule: name}
			rules[name] = r
		}
		f := fileCoverage(file, seen.Files[file])
		r.Files = append(r.Files, f)
		r.Covered += f.Covered
		r.Uncovered += f.Uncovered
	}
	for _, r := range rules {
		slices.SortFunc(r.Files, func(a, b FileCoverage) int { return strings.Compare(a.File, b.File) })
		r.Percent = percent(r.Covered, r.Uncovered)
		total.Covered += r.Covered
		total.Uncovered += r.Uncovered
		total.Rules = append(total.Rules, *r)
	}
	slices.SortFunc(total.Rules, func(a, b RuleCoverage) int { return strings.Compare(a.Files[0].File, b.Files[0].File) })
	total.Percent = percent(total.Covered, total.Uncovered)
	return total
}

// ruleName is what a person calls a package.
func ruleName(m *ast.Module) string {
	name := packageName(m)
	if rest, ok := strings.CutPrefix(name, "stophook.rules."); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, "stophook.deferrals."); ok {
		return rest
	}
	return name
}

// fileCoverage counts lines. OPA counts a line that is reached in part twice; here
// it is not covered.
func fileCoverage(file string, r *cover.FileReport) FileCoverage {
	out := FileCoverage{File: file, Missing: []Span{}}
	if r == nil {
		return out
	}
	missing := rows(r.NotCovered)
	for line := range rows(r.Covered) {
		if !missing[line] {
			out.Covered++
		}
	}
	out.Uncovered = len(missing)
	lines := make([]int, 0, len(missing))
	for line := range missing {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, line := range lines {
		if n := len(out.Missing); n > 0 && out.Missing[n-1].End == line-1 {
			out.Missing[n-1].End = line
			continue
		}
		out.Missing = append(out.Missing, Span{Start: line, End: line})
	}
	return out
}

func rows(ranges []cover.Range) map[int]bool {
	lines := map[int]bool{}
	for _, r := range ranges {
		for line := r.Start.Row; line <= r.End.Row; line++ {
			lines[line] = true
		}
	}
	return lines
}

// percent is rounded down to one decimal, so that 100 means all.
func percent(covered, uncovered int) float64 {
	if uncovered == 0 {
		return 100
	}
	return math.Floor(1000*float64(covered)/float64(covered+uncovered)) / 10
}
