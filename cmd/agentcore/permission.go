package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/internal/nearest"
)

func permissionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "allow", Usage: "allow calls that `RULE` matches: shell, 'shell(go test:*)', 'edit(src/**)'; repeatable"},
		&cli.StringSliceFlag{Name: "deny", Usage: "refuse calls that `RULE` matches, whatever else allows them; repeatable"},
		&cli.StringFlag{Name: "permissions", Usage: "`MODE` for calls without a rule: read (reading only), edits (and writing files), plan (read, and no rule loosens it), all", Value: "read"},
		&cli.StringSliceFlag{Name: "add-dir", Usage: "let the file tools work in `DIR` too; repeatable"},
	}
}

// modes are what --permissions takes.
func modes() map[string]tool.Mode {
	return map[string]tool.Mode{"read": tool.ModeDefault, "edits": tool.ModeAcceptEdits, "plan": tool.ModePlan, "all": tool.ModeBypass}
}

func modeNames() []string { return []string{"read", "edits", "plan", "all"} }

// gate builds the permission gate. Nobody is there to ask, so what would be asked is
// refused, and the model is told so.
func gate(c *cli.Context, home string) (tool.Gate, tool.Mode, error) {
	name := c.String("permissions")
	mode, ok := modes()[name]
	if !ok {
		hint := ""
		if meant := nearest.Word(name, modeNames()); meant != "" {
			hint = fmt.Sprintf("; did you mean %s?", meant)
		}
		return nil, "", fmt.Errorf("--permissions %s: there is no such mode (%s)%s", name, strings.Join(modeNames(), ", "), hint)
	}
	rules, err := tool.ParseRules(tool.RuleOptions{Mode: mode, Allow: c.StringSlice("allow"), Deny: c.StringSlice("deny"), Aliases: hook.NativeNames(), Home: home})
	if err != nil {
		return nil, "", err
	}
	return tool.Asking(rules, nil), mode, nil
}

// paths lets the file tools work below the working directory and what --add-dir
// names.
func paths(c *cli.Context, cwd string) (*tool.Paths, error) {
	return tool.NewPaths(cwd, tool.PathOptions{Writable: append([]string{cwd}, c.StringSlice("add-dir")...)})
}
