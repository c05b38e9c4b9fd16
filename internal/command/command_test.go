package command

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/urfave/cli/v2"
)

func testApp(out, errout *bytes.Buffer, seen *[]string) *cli.App {
	note := func(c *cli.Context) error {
		*seen = append([]string{c.Command.Name, c.String("name")}, c.Args().Slice()...)
		switch c.Args().First() {
		case "fail":
			return errors.New("it\x1b[31m failed")
		case "exit":
			return Exit(3, "")
		}
		return nil
	}
	flags := func() []cli.Flag { return []cli.Flag{&cli.StringFlag{Name: "name"}, Switch("loud", "louder", "l")} }
	return App("stophook", "a test", "v0", "app help", out, errout, []*cli.Command{
		{Name: "do", Usage: "do it", UsageText: "stophook do", Flags: flags(), Action: note},
		{Name: "group", Usage: "several", UsageText: "stophook group COMMAND", Subcommands: []*cli.Command{
			{Name: "new", Usage: "make one", UsageText: "stophook group new NAME", Flags: flags(), Action: note}}},
	})
}

func TestRun_FlagsMayStandBehindArguments(t *testing.T) {
	for _, tt := range []struct {
		reason string
		args   []string
		want   []string
		code   int
		stderr string
	}{
		{"flags first", []string{"do", "--name", "n", "a"}, []string{"do", "n", "a"}, 0, ""},
		{"flags behind", []string{"do", "a", "--name", "n", "b", "--loud"}, []string{"do", "n", "a", "b"}, 0, ""},
		{"an alias of a switch takes no value", []string{"do", "-l", "a"}, []string{"do", "", "a"}, 0, ""},
		{"a value behind =", []string{"do", "a", "--name=n", "b"}, []string{"do", "n", "a", "b"}, 0, ""},
		{"a command of a command", []string{"group", "new", "a", "--name", "n"}, []string{"new", "n", "a"}, 0, ""},
		{"behind -- nothing is a flag", []string{"do", "--", "--name", "n"}, []string{"do", "", "--name", "n"}, 0, ""},
		{"a failure is told, made safe", []string{"do", "fail"}, []string{"do", "", "fail"}, 1, "stophook: it [31m failed\n"},
		{"a code without a message", []string{"do", "exit"}, []string{"do", "", "exit"}, 3, ""},
	} {
		var out, errout bytes.Buffer
		var seen []string
		code := Run(testApp(&out, &errout, &seen), append([]string{"stophook"}, tt.args...), &errout)
		if code != tt.code || !slices.Equal(seen, tt.want) || errout.String() != tt.stderr {
			t.Errorf("%s: exit %d, saw %q, stderr %q", tt.reason, code, seen, errout.String())
		}
	}
}

func TestRun_UnknownCommand(t *testing.T) {
	var out, errout bytes.Buffer
	var seen []string
	if code := Run(testApp(&out, &errout, &seen), []string{"stophook", "nope"}, &errout); code != 1 || out.Len() > 0 {
		t.Errorf("exit %d, stdout %q", code, out.String())
	}
	if want := "stophook: there is no command \"nope\"; `stophook help` lists them\n"; errout.String() != want {
		t.Errorf("stderr %q, want %q", errout.String(), want)
	}
}

func TestPrintJSON_KeepsAngles(t *testing.T) {
	var out bytes.Buffer
	if err := PrintJSON(&out, map[string]string{"a": "<b>"}); err != nil || out.String() != "{\n  \"a\": \"<b>\"\n}\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
