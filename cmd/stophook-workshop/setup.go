package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
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

func profileFlag() cli.Flag {
	return &cli.StringFlag{Name: "profile", Value: "ritual", Usage: "what the agent owes when no file says else, as for the hook: `PROFILE` is ritual, evidence, background or observe"}
}

// config is the effective configuration; its warnings go to stderr.
func (p *program) config(c *cli.Context, project string) (policy.Config, error) {
	profile, err := policy.ParseProfile(c.String("profile"))
	if err != nil {
		return policy.Config{}, err
	}
	sources := policy.DefaultSources(p.getenv, p.home, project)
	if file := c.String("config"); file != "" {
		sources = append(sources, policy.ExplicitSource(file))
	}
	return p.loadConfig(profile, sources)
}

func (p *program) loadConfig(profile policy.Profile, sources []policy.Source) (policy.Config, error) {
	config, warnings, err := profile.LoadConfig(sources)
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

// since reads --since.
func (p *program) since(text string) (time.Time, error) {
	return command.Since("--since", text, p.now())
}
