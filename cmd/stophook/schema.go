package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/schema"
)

// editorSchemas are those that an author's editor has a use for.
func editorSchemas() []string { return []string{"input", "decision", "config"} }

func (p *program) schemaCommand() *cli.Command {
	names := strings.Join(schema.Names(), ", ")
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of a document",
		UsageText: `stophook schema NAME
  stophook schema --write DIR [NAME]...

  stophook schema input > input.v1.json
  stophook schema --write .stophook/policies/schemas`,
		Description: "NAME is one of: " + names + `.

--write puts input.json, decision.json and config.json (or what the NAMEs say)
into DIR. There they are found by

  opa check --schema DIR ...           METADATA name the file: "- input: schema.input"
  the OPA extension of VS Code         with "opa.schema": "${workspaceFolder}/DIR"
  editors with a YAML language server  with a first line in the configuration file:
                                       # yaml-language-server: $schema=PATH/config.json

Run it again after an update of stophook.`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "write", Usage: "write the schemas into `DIR`, which is made when it is not there"}},
		Action: func(c *cli.Context) error {
			if dir := c.String("write"); dir != "" || c.IsSet("write") {
				return p.writeSchemas(dir, c.Args().Slice())
			}
			if c.Args().Len() != 1 {
				return fmt.Errorf("schema takes one name: %s", names)
			}
			text, err := schema.Get(c.Args().First())
			if err != nil {
				return err
			}
			_, err = p.stdout.Write(text)
			return err
		},
	}
}

// writeSchemas writes NAME.json for every name, or for those of editorSchemas, and
// says what became of each. A file that is as it should be is left alone, so that
// nothing that watches it wakes up.
func (p *program) writeSchemas(dir string, names []string) error {
	if dir == "" {
		return errors.New("--write needs a folder, such as .stophook/policies/schemas")
	}
	if len(names) == 0 {
		names = editorSchemas()
	}
	texts := make([][]byte, len(names))
	for i, name := range names { // all of them first: an unknown name writes nothing
		text, err := schema.Get(name)
		if err != nil {
			return err
		}
		texts[i] = text
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("no folder for the schemas: %w; choose another with --write", err)
	}
	for i, name := range names {
		file := filepath.Join(dir, schema.Short(name)+".json")
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, texts[i]) {
			fmt.Fprintf(p.stdout, "as it was  %s\n", term.Visible(file))
			continue
		}
		if err := replaceFile(file, texts[i]); err != nil {
			return fmt.Errorf("write the schema: %w", err)
		}
		fmt.Fprintf(p.stdout, "written    %s\n", term.Visible(file))
	}
	return nil
}

// replaceFile writes a file in one step, so that an editor never sees half of it.
func replaceFile(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // nothing is there once it was renamed
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "version and build", UsageText: "stophook version [--json]",
		Flags: []cli.Flag{command.Switch("json", "print one JSON object")},
		Action: func(c *cli.Context) error {
			info := map[string]string{"version": version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH}
			if b, ok := debug.ReadBuildInfo(); ok {
				for _, d := range b.Deps {
					if d.Path == "github.com/open-policy-agent/opa" {
						info["opa"] = d.Version
					}
				}
			}
			if c.Bool("json") {
				return p.printJSON(info)
			}
			_, err := fmt.Fprintf(p.stdout, "stophook %s (opa %s, %s, %s)\n", info["version"], info["opa"], info["go"], info["platform"])
			return err
		},
	}
}
