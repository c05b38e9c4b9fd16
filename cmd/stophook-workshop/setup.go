package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
)

// policyFlags say which policies and settings are in force, as for the hook.
func policyFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "policy", Usage: "more rule folders from `DIR`; may be repeated, later ones are lower layers"},
		&cli.StringFlag{Name: "config", Usage: "one more configuration `FILE` (YAML or JSON)"},
	}
}

func stateDirFlag() cli.Flag {
	return &cli.StringFlag{Name: "state-dir", Usage: "evidence of recorded sessions is in `DIR` (default $XDG_STATE_HOME/stophook)"}
}

func formatFlag(formats ...string) cli.Flag {
	return &cli.StringFlag{Name: "format", Value: formats[0], Usage: "output `FORMAT`: " + strings.Join(formats, ", ")}
}

// format checks --format; --json, where a command has it, is --format json.
func format(c *cli.Context, formats ...string) (string, error) {
	f := c.String("format")
	if c.Bool("json") {
		f = "json"
	}
	for _, known := range formats {
		if f == known {
			return f, nil
		}
	}
	return "", fmt.Errorf("--format %q: there are %s", f, strings.Join(formats, ", "))
}

// project is the folder whose .stophook counts, found as the hook finds it.
func (p *program) project() string {
	dir, err := p.workdir()
	if err != nil {
		return ""
	}
	return policy.ProjectDir(p.getenv, p.home, dir)
}

// layers are the policy folders in force: those of the machine, the user and the
// project, and those of --policy.
func (p *program) layers(c *cli.Context, project string) ([]policy.Layer, error) {
	return policy.FindLayers(p.getenv, p.home, project, c.StringSlice("policy"))
}

// config is the effective configuration; its warnings go to stderr.
func (p *program) config(c *cli.Context, project string) (policy.Config, error) {
	sources := policy.DefaultSources(p.getenv, p.home, project)
	if file := c.String("config"); file != "" {
		sources = append(sources, policy.ExplicitSource(file))
	}
	return p.loadConfig(sources)
}

func (p *program) loadConfig(sources []policy.Source) (policy.Config, error) {
	config, warnings, err := policy.LoadConfig(sources)
	for _, w := range warnings {
		p.log.Warn(w.String())
	}
	return config, err
}

// store is where the hook keeps the evidence of sessions.
func (p *program) store(c *cli.Context) evidence.Store {
	dir := c.String("state-dir")
	if dir == "" {
		dir, _ = evidence.DefaultDir(p.getenv, p.home)
	}
	return evidence.Store{Dir: dir, Now: p.now}
}

// since reads --since: a day, an instant, or how long ago (36h, 14d).
func (p *program) since(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			return at, nil
		}
	}
	ago := text
	var days time.Duration
	if n, rest, ok := strings.Cut(text, "d"); ok {
		var count int
		if _, err := fmt.Sscanf(n+"\n", "%d\n", &count); err == nil && count >= 0 && count < 100_000 {
			days, ago = time.Duration(count)*24*time.Hour, rest
		}
	}
	if ago == "" {
		return p.now().Add(-days), nil
	}
	d, err := time.ParseDuration(ago)
	if err != nil || d < 0 {
		return time.Time{}, fmt.Errorf("--since %q: write a day (2026-11-30), an instant (2026-11-30T17:30:00Z) or how long ago (36h, 14d)", text)
	}
	return p.now().Add(-days - d), nil
}
