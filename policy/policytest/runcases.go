package policytest

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/stophook/stophook/policy"
)

// cases decides the cases of a target, several at once.
func (r *run) cases(ctx context.Context, t *target, dirs []string) ([]Test, error) {
	rules, err := rulesInForce(ctx, t.layer())
	if err != nil {
		return nil, err
	}
	j := &judge{layers: t.layer(), config: r.opts.Config, output: r.opts.Output, temp: r.temp, now: r.opts.Now}
	if r.cover != nil {
		j.cover = r.cover
	}
	var chosen []caseOf
	for _, dir := range dirs {
		c := caseOf{dir: path.Join(t.tree.root, dir)}
		if c.name, err = caseName(c.dir); err != nil {
			return nil, err
		}
		for _, rule := range rules {
			if !slices.Contains(t.rulesOf(dir), rule) {
				c.others = append(c.others, rule)
			}
		}
		if r.opts.Run == nil || r.opts.Run.MatchString(c.name) {
			chosen = append(chosen, c)
		}
	}
	tests := make([]Test, len(chosen))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(r.opts.Workers, len(chosen)) {
		wg.Go(func() {
			for i := range next {
				tests[i] = j.run(ctx, chosen[i])
			}
		})
	}
	for i := range chosen {
		next <- i
	}
	close(next)
	wg.Wait()
	return tests, nil
}

// caseOf is a case that is to be decided.
type caseOf struct {
	name, dir string
	others    []string // rules and deferrals that "only" switches off
}

// owner is the folder that a case belongs to.
func owner(caseDir string) string {
	dir := path.Dir(caseDir)
	if path.Base(dir) == "cases" {
		return path.Dir(dir)
	}
	return dir
}

// caseName is RULE/cases/NAME, however the DIR was named.
func caseName(caseDir string) (string, error) {
	abs, err := filepath.Abs(filepath.FromSlash(caseDir))
	if err != nil {
		return "", err
	}
	abs = filepath.ToSlash(abs)
	return strings.TrimPrefix(strings.TrimPrefix(abs, path.Dir(owner(abs))), "/"), nil
}

// rulesInForce are the names of all rules and deferrals.
func rulesInForce(ctx context.Context, layers []policy.Layer) ([]string, error) {
	engine, err := policy.NewEngine(ctx, policy.EngineOptions{Layers: layers})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range engine.Rules() {
		names = append(names, m.Name)
	}
	return names, nil
}
