package policytest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"

	"github.com/stophook/stophook/policy"
)

// DefaultTimeout bounds one Rego test when the options do not. One evaluation of
// a case has the hook's own bound, [policy.DefaultEvalTimeout].
const DefaultTimeout = 5 * time.Second

// Options say what to run. The zero value but for Dirs is usable.
type Options struct {
	// Dirs are folders of policies, parts of them, or single _test.rego files; the
	// package's documentation says what each means. At least one is needed.
	Dirs []string
	// Run selects tests and cases by [Test.Name]; nil takes all. What stands in
	// brackets behind a test_x[name] rule is no part of its name here.
	Run *regexp.Regexp
	// Cover asks for coverage; CoverMin, in percent, for at least so much.
	Cover    bool
	CoverMin float64
	// Config is a configuration file for all cases; empty for none. What the
	// config.yaml of a case sets goes before.
	Config string
	// Output keeps what print() writes, and the evidence of cases, also of tests
	// that pass.
	Output bool
	// Workers bounds how many tests run at once; default one for each CPU.
	Workers int
	// Timeout bounds one Rego test; default [DefaultTimeout].
	Timeout time.Duration
	// Now is the clock of durations; default time.Now.
	Now func() time.Time
}

// Run runs the tests of all DIRs. What is wrong with policies and tests is in the
// report; an error is about the options or the machine: no DIR, a DIR that is not
// there, a configuration that does not load, no temporary folder.
func Run(ctx context.Context, opts Options) (*Report, error) {
	if len(opts.Dirs) == 0 {
		return nil, errors.New("no folder of policies was named")
	}
	if opts.Workers < 1 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.Timeout <= 0 {
		opts.Timeout = DefaultTimeout
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Config != "" {
		if _, _, err := policy.LoadConfig([]policy.Source{policy.ExplicitSource(opts.Config)}); err != nil {
			return nil, err
		}
	}
	temp, err := os.MkdirTemp("", "stophook-test-")
	if err != nil {
		return nil, fmt.Errorf("no temporary folder: %w; set TMPDIR to one that can be written", err)
	}
	defer os.RemoveAll(temp)
	r := &run{opts: opts, temp: temp, modules: map[string]*ast.Module{},
		report: &Report{Schema: Schema, Folders: []Folder{}, Problems: []Problem{}, Notes: []string{}, Started: opts.Now().UTC()}}
	if opts.Cover || opts.CoverMin > 0 {
		r.cover = cover.New()
	}
	if err := r.all(ctx); err != nil {
		return nil, err
	}
	return r.report, nil
}

// run is one call of [Run].
type run struct {
	opts    Options
	temp    string
	cover   *cover.Cover
	modules map[string]*ast.Module // policies under test, for coverage
	report  *Report
	found   int // tests before --run selected
}

func (r *run) all(ctx context.Context) error {
	folders := map[string]*Folder{}
	seen := map[string]bool{}
	for _, dir := range r.opts.Dirs {
		t, err := resolve(dir)
		if t == nil {
			return err
		}
		if key := path.Join(t.tree.root, t.scope); err == nil && seen[key] {
			continue // named twice
		} else {
			seen[key] = true
		}
		var tests []Test
		if err == nil {
			tests, err = r.target(ctx, t)
		}
		if ctx.Err() != nil {
			break // what ran until then is no answer
		}
		if err != nil {
			r.report.Problems = append(r.report.Problems, problems(dir, err)...)
			continue
		}
		for _, note := range t.notes {
			if !slices.Contains(r.report.Notes, note) {
				r.report.Notes = append(r.report.Notes, note)
			}
		}
		for _, test := range tests {
			addTo(folders, test)
		}
	}
	r.finish(ctx, folders)
	return nil
}

// target runs one DIR.
func (r *run) target(ctx context.Context, t *target) ([]Test, error) {
	u := &unit{target: t, run: r.opts.Run, cover: r.cover, workers: r.opts.Workers, timeout: r.opts.Timeout, output: r.opts.Output}
	if err := u.load(ctx); err != nil {
		return nil, err
	}
	for _, p := range t.tree.paths(false) {
		if f := t.tree.files[p]; f.module != nil {
			r.modules[f.name] = f.module
		}
	}
	rules, cases := t.testRules(), t.cases()
	r.found += rules + len(cases)
	if rules+len(cases) == 0 {
		r.report.Problems = append(r.report.Problems, Problem{Kind: ProblemNoTests, Dir: t.dir,
			Message: "no tests found in " + t.dir + ": no test_ rule in a _test.rego file, and no folder with " + WantFile,
			Hint:    "`stophook policy new NAME` makes a rule with a test and a case"})
		return nil, nil
	}
	var tests []Test
	if rules > 0 {
		var err error
		if tests, err = u.tests(ctx); err != nil {
			return nil, err
		}
	}
	judged, err := r.cases(ctx, t, cases)
	return append(tests, judged...), err
}

// addTo puts a test into its folder.
func addTo(folders map[string]*Folder, t Test) {
	dir := path.Dir(t.File)
	if t.Kind == KindCase {
		dir = owner(dir)
	}
	f := folders[dir]
	if f == nil {
		f = &Folder{Dir: dir}
		folders[dir] = f
	}
	if slices.ContainsFunc(f.Tests, func(have Test) bool {
		return have.File == t.File && (t.Kind == KindCase || have.Name == t.Name && have.Line == t.Line)
	}) {
		return // two DIRs that overlap
	}
	f.Tests = append(f.Tests, t)
	f.Totals.add(&t)
}

// finish orders the folders and tells what is wrong with the run as a whole.
func (r *run) finish(ctx context.Context, folders map[string]*Folder) {
	defer func() { r.report.Result = r.report.result() }()
	for _, dir := range slices.Sorted(maps.Keys(folders)) {
		f := folders[dir]
		r.report.Folders = append(r.report.Folders, *f)
		for i := range f.Tests {
			r.report.Totals.add(&f.Tests[i])
		}
	}
	r.report.Totals.Seconds = micros(r.opts.Now().Sub(r.report.Started).Seconds())
	fail := func(kind, message, hint string) {
		r.report.Problems = append(r.report.Problems, Problem{Kind: kind, Message: message, Hint: hint})
	}
	if ctx.Err() != nil {
		fail(ProblemStopped, "stopped before all tests had run", "")
		return
	}
	if r.opts.Run != nil && r.report.Totals.Tests == 0 && r.found > 0 {
		fail(ProblemNoTests, fmt.Sprintf("no tests found in %s: --run %q selects none of %d", strings.Join(r.opts.Dirs, ", "), r.opts.Run, r.found),
			"`stophook test --verbose` lists the names")
	}
	if r.cover == nil || len(r.modules) == 0 {
		return
	}
	r.report.Coverage = newCoverage(r.cover, r.modules, r.opts.CoverMin)
	if got := r.report.Coverage; got.Percent < r.opts.CoverMin {
		fail(ProblemCoverage, fmt.Sprintf("%.1f %% of the lines are covered, and at least %g %% are asked for", got.Percent, r.opts.CoverMin), "")
	}
}
