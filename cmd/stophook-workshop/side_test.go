package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stophook/stophook/internal/command"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSide(t *testing.T) {
	dir := t.TempDir()
	rules, dot, named := filepath.Join(dir, "rules"), filepath.Join(dir, ".stophook"), filepath.Join(dir, "named.yaml")
	write(t, filepath.Join(rules, "a", "a.rego"), "package a\n")
	write(t, filepath.Join(rules, "config.yaml"), "defer_minutes: 5\n")
	write(t, filepath.Join(dot, "policies", "b.rego"), "package b\n")
	write(t, filepath.Join(dot, "config.yaml"), "defer_minutes: 6\n")
	write(t, named, "defer_minutes: 7\n")
	for _, tt := range []struct {
		reason, dir, config string
		root                string
		minutes             int
	}{
		{"rules with their settings", rules, "", rules, 5},
		{"a .stophook folder", dot, "", filepath.Join(dot, "policies"), 6},
		{"named settings count instead", dot, named, filepath.Join(dot, "policies"), 7},
		{"rules alone", filepath.Join(rules, "a"), "", filepath.Join(rules, "a"), 30},
		{"the shipped policy", "shipped", "", "", 30},
		{"the shipped policy with settings", "shipped", named, "", 7},
	} {
		p := &program{stderr: &bytes.Buffer{}, log: command.Logger("stophook", &bytes.Buffer{})}
		s, err := p.side("base", tt.dir, tt.config)
		if err != nil || s.config.DeferMinutes != tt.minutes || len(s.layers) > 0 != (tt.root != "") {
			t.Errorf("%s: %+v, %v", tt.reason, s, err)
			continue
		}
		if tt.root != "" && s.layers[0].Root != tt.root {
			t.Errorf("%s: rules from %s, want %s", tt.reason, s.layers[0].Root, tt.root)
		}
	}
	p := &program{stderr: &bytes.Buffer{}, log: command.Logger("stophook", &bytes.Buffer{})}
	for reason, bad := range map[string]string{"no such folder": filepath.Join(dir, "nope"), "name its folder": named} {
		if _, err := p.side("head", bad, ""); err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), "--head") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := p.side("head", "shipped", filepath.Join(dir, "nope.yaml")); err == nil {
		t.Error("settings that are not there are taken for none")
	}
}
