package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
)

// bypassVariable lets a person end turns without checks, visibly.
const bypassVariable = "STOPHOOK_BYPASS"

// pluginRoot is the variable in which Claude Code names the folder of the plugin
// whose hook runs.
const pluginRoot = "CLAUDE_PLUGIN_ROOT"

// gateFlags are shared by hook and explain, so that both decide alike.
func gateFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "host", Value: "auto", Usage: "`HOST` that calls: auto, claude-code, codex, cursor, gemini, qwen, copilot, droid"},
		&cli.StringSliceFlag{Name: "policy", Usage: "more rule folders from `DIR`; may be repeated, later ones are lower layers"},
		&cli.StringFlag{Name: "config", Usage: "one more configuration `FILE` (YAML or JSON)"},
		stateDirFlag(),
		profileFlag(),
		command.Switch("shadow", "decide and log, and let everything pass"),
		nowFlag(),
	}
}

func stateDirFlag() cli.Flag {
	return &cli.StringFlag{Name: "state-dir", Usage: "keep evidence and logs in `DIR` (default $XDG_STATE_HOME/stophook)"}
}

func profileFlag() cli.Flag {
	return &cli.StringFlag{Name: "profile", Value: "ritual", Usage: "what the agent owes: `PROFILE` is ritual, evidence, background or observe"}
}

func nowFlag() cli.Flag {
	return &cli.StringFlag{Name: "now", Usage: "use `TIME` (RFC 3339) as the present, for tests and replay"}
}

// setClock makes --now the clock of this run.
func (p *program) setClock(c *cli.Context) error {
	text := c.String("now")
	if text == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return fmt.Errorf("--now %q is no RFC 3339 time; write it like 2026-11-30T17:30:00Z", text)
	}
	p.now = func() time.Time { return at }
	return nil
}

// store finds the state folder. A missing one is no error here: whoever writes
// or reads will say it.
func (p *program) store(c *cli.Context) evidence.Store {
	dir := c.String("state-dir")
	if dir == "" {
		dir, _ = evidence.DefaultDir(p.getenv, p.home)
	}
	return evidence.Store{Dir: dir, Now: p.now}
}

// gate puts together what decides one event: layers, configuration, state.
func (p *program) gate(c *cli.Context, ev *hookio.Event) *policy.Gate {
	project := policy.ProjectDir(p.getenv, p.home, ev.CWD)
	sources := policy.DefaultSources(p.getenv, p.home, project)
	if file := c.String("config"); file != "" {
		sources = append(sources, policy.ExplicitSource(file))
	}
	profile, profileErr := policy.ParseProfile(c.String("profile"))
	config, warnings, err := profile.LoadConfig(sources)
	if profileErr != nil {
		err = profileErr
	}
	mode, entry := hookio.Mode(p.getenv)
	g := &policy.Gate{Config: config, ConfigErr: err, Store: p.store(c), Now: p.now, Mode: mode, Entry: entry,
		Command: p.callName(), Source: p.source(), Home: p.home, Shadow: c.Bool("shadow") || profile.Shadow(), Bypass: truthy(p.getenv(bypassVariable))}
	for _, w := range warnings {
		g.Warnings = append(g.Warnings, w.String())
	}
	g.Layers, err = policy.FindLayers(p.getenv, p.home, project, c.StringSlice("policy"))
	if g.ConfigErr == nil {
		g.ConfigErr = err
	}
	if config.Log.Enabled && g.Store.Dir != "" {
		g.Log = &decisionlog.Writer{Path: logPath(g.Store.Dir), MaxBytes: config.Log.MaxBytes,
			Masks: config.Log.Mask}
	}
	return g
}

func truthy(v string) bool { return v != "" && v != "0" && !strings.EqualFold(v, "false") }

// source names the installation that this call comes from.
func (p *program) source() string {
	exe, _ := p.executable()
	return strings.Join(append([]string{exe, p.getenv(pluginRoot)}, p.args...), "\x00")
}

// callName is how the agent can call this program in its shell: by name when
// that is what PATH finds, else by its path, quoted when it has to be.
func (p *program) callName() string {
	exe, err := p.executable()
	if err != nil {
		return "stophook"
	}
	found, err := p.lookPath("stophook")
	if err == nil && sameFile(found, exe) || err != nil && p.bundled(exe) {
		return "stophook"
	}
	if len(p.args) > 0 && filepath.IsAbs(p.args[0]) && sameFile(p.args[0], exe) {
		exe = p.args[0] // as it was installed, not where links lead
	}
	return shellPath(exe, runtime.GOOS)
}

// bundled reports whether exe lies in the bin folder of the plugin that calls us.
// The host puts that folder at the end of the agent's PATH, though not of ours.
func (p *program) bundled(exe string) bool {
	root := p.getenv(pluginRoot)
	return root != "" && sameFile(filepath.Join(root, "bin", filepath.Base(exe)), exe)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// shellPath spells a program's path for the agent's shell. Windows takes forward
// slashes, which need no quotes in Bash nor in PowerShell.
func shellPath(exe, goos string) string {
	plain := "/.-_"
	if goos == "windows" {
		exe, plain = strings.ReplaceAll(exe, `\`, "/"), plain+":"
	}
	if strings.IndexFunc(exe, func(r rune) bool {
		return !(strings.ContainsRune(plain, r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
	}) >= 0 {
		return "'" + strings.ReplaceAll(exe, "'", `'\''`) + "'"
	}
	return exe
}
