package policytest

import (
	"encoding/json"
	"io"
	"math"
	"time"
)

// Schema names the form of [Report].
const Schema = "stophook.test/v1"

// The results of a test.
const (
	Pass  = "pass"
	Fail  = "fail"
	Error = "error" // it could not be judged: a broken case, a builtin's error, no time left
	Skip  = "skip"
)

// The kinds of a test.
const (
	KindRego = "rego"
	KindCase = "case"
)

// The kinds of a problem.
const (
	ProblemPolicy   = "policy"   // policies or tests do not load: nothing of the DIR ran
	ProblemNoTests  = "no_tests" // there was nothing to run
	ProblemCoverage = "coverage" // less is covered than was asked for
	ProblemStopped  = "stopped"  // the context ended before all tests had run
)

// A Report is what a run found. Lists are in a stable order and never nil.
type Report struct {
	Schema   string    `json:"schema"`
	Result   string    `json:"result"` // pass, fail, or error when something could not be run
	Totals   Totals    `json:"totals"`
	Folders  []Folder  `json:"folders"`
	Coverage *Coverage `json:"coverage,omitempty"` // only when asked for
	Problems []Problem `json:"problems"`           // why the run as a whole failed
	Notes    []string  `json:"notes"`              // what is worth knowing and fails nothing
	Started  time.Time `json:"started"`
}

// Totals count tests. Seconds are of the wall clock for a report, and the sum of
// the tests' for a folder.
type Totals struct {
	Tests   int     `json:"tests"`
	Rego    int     `json:"rego"`
	Cases   int     `json:"cases"`
	Passed  int     `json:"passed"`
	Failed  int     `json:"failed"`
	Errors  int     `json:"errors"`
	Skipped int     `json:"skipped"`
	Seconds float64 `json:"seconds"`
}

// A Folder is the tests of one rule: those in one folder of _test.rego files, and
// the cases below it.
type Folder struct {
	Dir    string `json:"dir"`
	Totals Totals `json:"totals"`
	Tests  []Test `json:"tests"`
}

// A Test is one Rego test, one name of a test_x[name] rule, or one case.
type Test struct {
	Kind    string  `json:"kind"` // rego or case
	Name    string  `json:"name"` // data.PACKAGE.test_x, or RULE/cases/NAME
	File    string  `json:"file"`
	Line    int     `json:"line"`
	Result  string  `json:"result"` // pass, fail, error or skip
	Seconds float64 `json:"seconds"`
	Message string  `json:"message,omitempty"` // why it did not pass
	Output  string  `json:"output,omitempty"`  // what print() wrote, when it did not pass or [Options.Output] is set
	// FailedAt is where a Rego test came to its end.
	FailedAt *FailedAt   `json:"failed_at,omitempty"`
	Case     *CaseResult `json:"case,omitempty"` // of a case that could be judged
}

// Passed reports whether the test is fine or was skipped on purpose.
func (t *Test) Passed() bool { return t.Result == Pass || t.Result == Skip }

// FailedAt is the last expression of a test that was not true.
type FailedAt struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"` // the expression, and below it the values of its variables
	// Rules are the expressions of policies that were not true on the way, the
	// latest last, each once, at most [MaxPlaces].
	Rules []Place `json:"rules"`
}

// MaxPlaces bounds FailedAt.Rules.
const MaxPlaces = 8

// A Place is a piece of a policy.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// A Problem is why a run failed, or could not be made, beside its tests.
type Problem struct {
	Kind    string `json:"kind"` // policy, no_tests, coverage or stopped
	Dir     string `json:"dir,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// ExitCode is 0 when all is well, 1 when a test failed, none was found or too
// little is covered, and 2 when something could not be run.
func (r *Report) ExitCode() int {
	code := 0
	if r.Totals.Failed+r.Totals.Errors > 0 {
		code = 1
	}
	for _, p := range r.Problems {
		switch p.Kind {
		case ProblemPolicy, ProblemStopped:
			return 2
		default:
			code = 1
		}
	}
	return code
}

func (r *Report) result() string { return [...]string{Pass, Fail, Error}[r.ExitCode()] }

// WriteJSON writes the report as one document, indented.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func (t *Totals) add(test *Test) {
	t.Tests++
	if test.Kind == KindCase {
		t.Cases++
	} else {
		t.Rego++
	}
	switch test.Result {
	case Pass:
		t.Passed++
	case Fail:
		t.Failed++
	case Skip:
		t.Skipped++
	default:
		t.Errors++
	}
	t.Seconds = micros(t.Seconds + test.Seconds)
}

// micros rounds seconds to what is worth knowing.
func micros(s float64) float64 { return math.Round(s*1e6) / 1e6 }
