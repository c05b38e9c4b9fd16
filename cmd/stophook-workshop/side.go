package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stophook/stophook/policy"
)

// shippedPolicy is the name of the side without a folder: the built-in rules with
// the default settings.
const shippedPolicy = "shipped"

// side is one of the two policies of a comparison.
type side struct {
	name   string
	layers []policy.Layer
	config policy.Config
}

// side reads a policy to compare: a folder of rules, with its config.yaml when
// there is one, or a .stophook folder (policies/ and config.yaml). Nothing else of
// the machine counts, so that a comparison gives the same answer everywhere.
func (p *program) side(flag, dir, config string) (side, error) {
	s := side{name: dir, config: policy.DefaultConfig()}
	if dir == shippedPolicy {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return p.withConfig(s, config, "")
		}
	}
	st, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, fmt.Errorf("--%s %s: there is no such folder; name a folder of rules, a .stophook folder, or `%s`", flag, dir, shippedPolicy)
	case err != nil:
		return s, fmt.Errorf("--%s: %w", flag, err)
	case !st.IsDir():
		return s, fmt.Errorf("--%s %s: this is a file; name its folder", flag, dir)
	}
	rules := dir
	if st, err := os.Stat(filepath.Join(dir, "policies")); err == nil && st.IsDir() {
		rules = filepath.Join(dir, "policies")
	}
	s.layers = []policy.Layer{{Name: policy.LayerFlag, FS: os.DirFS(rules), Root: rules}}
	return p.withConfig(s, config, filepath.Join(dir, "config.yaml"))
}

// withConfig reads the side's settings: those of a named file, which must exist,
// else those beside the rules.
func (p *program) withConfig(s side, named, beside string) (side, error) {
	var sources []policy.Source
	switch {
	case named != "":
		s.name += " with " + named
		sources = append(sources, policy.ExplicitSource(named))
	case beside != "":
		sources = append(sources, policy.Source{Layer: policy.LayerExplicit, Path: beside})
	}
	var err error
	s.config, err = p.loadConfig(policy.ProfileRitual, sources)
	return s, err
}
