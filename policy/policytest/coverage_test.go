package policytest

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/cover"
	"pgregory.net/rapid"
)

// Cases alone cover as unit tests do: the rule of good/no_sleep has no test at all.
func TestCoverage_CasesCount(t *testing.T) {
	dir := filepath.Join("testdata", "good")
	r := report(t, Options{Cover: true}, filepath.Join(dir, "no_sleep"))
	if r.Totals.Rego != 0 || r.Coverage.Percent != 100 || r.Coverage.Covered == 0 {
		t.Errorf("%+v", r.Coverage)
	}
	// Without the case that is blocked, the demand is out of reach.
	r = report(t, Options{Cover: true, CoverMin: 90, Run: regexp.MustCompile("edit-then-tests")}, dir)
	i := slices.IndexFunc(r.Coverage.Rules, func(c RuleCoverage) bool { return c.Rule == "tests_ran" })
	want := []Span{{Start: 9, End: 9}, {Start: 13, End: 13}}
	if got := r.Coverage.Rules[i].Files[0]; !slices.Equal(got.Missing, want) || got.Uncovered != 2 {
		t.Errorf("missing %v, want %v", got.Missing, want)
	}
	if r.ExitCode() != 1 || r.Problems[0].Kind != ProblemCoverage {
		t.Errorf("exit %d: %+v", r.ExitCode(), r.Problems)
	}
}

func TestCoverage_Minimum(t *testing.T) {
	for _, tt := range []struct {
		minimum float64
		code    int
	}{{0, 0}, {84.5, 0}, {100, 0}} {
		r := report(t, Options{Cover: true, CoverMin: tt.minimum}, filepath.Join("testdata", "good"))
		if r.ExitCode() != tt.code || r.Coverage.Min != tt.minimum {
			t.Errorf("at least %v: exit %d, %+v", tt.minimum, r.ExitCode(), r.Problems)
		}
	}
}

// fileCoverage against the plainest way to count.
func TestFileCoverage_Model(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranges := rapid.SliceOf(rapid.Custom(func(t *rapid.T) cover.Range {
			start := rapid.IntRange(1, 30).Draw(t, "start")
			return cover.Range{Start: cover.Position{Row: start}, End: cover.Position{Row: start + rapid.IntRange(0, 5).Draw(t, "more")}}
		}))
		r := &cover.FileReport{Covered: ranges.Draw(t, "covered"), NotCovered: ranges.Draw(t, "not covered")}
		got := fileCoverage("f", r)
		in := func(list []cover.Range, line int) bool {
			return slices.ContainsFunc(list, func(r cover.Range) bool { return r.In(line) })
		}
		covered, uncovered := 0, 0
		for line := 1; line < 40; line++ {
			missing := slices.ContainsFunc(got.Missing, func(s Span) bool { return s.Start <= line && line <= s.End })
			if missing != in(r.NotCovered, line) {
				t.Fatalf("line %d: missing %v", line, missing)
			}
			if missing {
				uncovered++
			} else if in(r.Covered, line) {
				covered++
			}
		}
		if got.Covered != covered || got.Uncovered != uncovered {
			t.Fatalf("%d and %d lines, want %d and %d", got.Covered, got.Uncovered, covered, uncovered)
		}
		for i := 1; i < len(got.Missing); i++ {
			if got.Missing[i].Start <= got.Missing[i-1].End+1 {
				t.Fatalf("spans %v are not in order, or not joined", got.Missing)
			}
		}
		if p := percent(covered, uncovered); (p == 100) != (uncovered == 0) {
			t.Fatalf("%v %% with %d lines missing", p, uncovered)
		}
	})
}
