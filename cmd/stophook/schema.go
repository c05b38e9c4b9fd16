package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/policy/schema"
)

func (p *program) schemaCommand() *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "print the JSON Schema of a document",
		UsageText: `stophook schema NAME

  stophook schema input > input.v1.json`,
		Description: "NAME is one of: " + strings.Join(schema.Names(), ", ") + ".",
		Action: func(c *cli.Context) error {
			if c.Args().Len() != 1 {
				return fmt.Errorf("schema takes one name: %s", strings.Join(schema.Names(), ", "))
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
