package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/schema"
)

func (p *program) initCommand() *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "a commented configuration and a folder for rules",
		UsageText: `stophook init [--dir DIR]

  cd my-project && stophook init`,
		Description: `Makes .stophook in the project: config.yaml, in which every setting stands as a
comment with its default, and policies/ with the schemas that editors need. What
exists is left as it is.`,
		Flags:  []cli.Flag{&cli.StringFlag{Name: "dir", Usage: "the project is `DIR` (default: the nearest folder upwards with .git, .claude or .stophook)"}},
		Action: p.init,
	}
}

func (p *program) init(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("init takes no arguments, got %q; name a folder with --dir", c.Args().First())
	}
	dir, err := p.initFolder(c)
	if err != nil {
		return err
	}
	root := filepath.Join(dir, ".stophook")
	files := []struct {
		name string
		data []byte
	}{{"config.yaml", []byte(projectConfig)}}
	for _, name := range editorSchemas() {
		text, err := schema.Get(name)
		if err != nil {
			return err
		}
		files = append(files, struct {
			name string
			data []byte
		}{filepath.Join("policies", "schemas", schema.Short(name)+".json"), text})
	}
	for _, f := range files {
		path := filepath.Join(root, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("no folder %s: %w; choose another project with --dir", filepath.Dir(path), err)
		}
		made, err := create(path, f.data)
		if err != nil {
			return fmt.Errorf("write %w; choose another project with --dir", err)
		}
		word := "made   "
		if !made {
			word = "as it was"
		}
		fmt.Fprintf(p.stdout, "%-9s  %s\n", word, term.Visible(path))
	}
	fmt.Fprint(p.stdout, `
Next:
  stophook policy new NAME            a rule of the project, with its tests and cases
  stophook check && stophook test     before a session meets it
  stophook install --scope project    the hook for everybody who has the project
  git add .stophook                   configuration and rules are code
`)
	return nil
}

func (p *program) initFolder(c *cli.Context) (string, error) {
	dir := c.String("dir")
	if dir == "" {
		cwd, err := p.workdir()
		if err != nil {
			return "", fmt.Errorf("the present folder cannot be told: %w; name a project with --dir", err)
		}
		return p.projectFolder(cwd), nil
	}
	switch st, err := os.Stat(dir); {
	case err != nil:
		return "", fmt.Errorf("--dir: %w; name a folder that exists", err)
	case !st.IsDir():
		return "", fmt.Errorf("--dir: %s is no folder", dir)
	}
	return dir, nil
}

// create writes a file unless something of its name is there.
func create(path string, data []byte) (made bool, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // half a file would be left as it is the next time
	}
	return true, err
}

// projectConfig is the configuration that init writes: every key with its default,
// as a comment, so that the file changes nothing until somebody wants it to.
const projectConfig = `# yaml-language-server: $schema=policies/schemas/config.json
#
# stophook in this project. What stands in /etc/stophook/config.yaml or in
# ~/.config/stophook/config.yaml decides first; this file can only make it stricter.

# How long an open handoff defers, in minutes, 1 to 30.
# defer_minutes: 30

# Blocks in a row before a stop passes, 1 to 7.
# remediation_cap: 5

# What closes a handoff: any_text, or ended (only the host's own notices).
# closing: any_text

# How often the task is declared: session, or turn.
# task_scope: session

# The status box also on turns without tools.
# box_on_prose: false

# The status check refuses while work is not committed and pushed.
# require_git_finalization: false

# How a block is shown: decision (as an error), or feedback.
# block_style: decision

# How much of the transcript's end is read, in bytes, and of it in which the box must stand.
# window_bytes: 8388608
# box_window_bytes: 262144

# Single rules: severity block, warn, observe or off; fail open or closed when a
# rule cannot be evaluated.
# rules:
#   session_named: {severity: warn}
#   status_check: {fail: closed}

# The decision log, and what is erased in it.
# log:
#   enabled: true
#   max_bytes: 16777216
#   mask: ["/input/hook/last_assistant_message"]

# For rules of your own: input.config.params.
# params: {}
`
