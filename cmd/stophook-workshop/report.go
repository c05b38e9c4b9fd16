package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/replay"
	"github.com/stophook/stophook/policy/report"
	"github.com/stophook/stophook/transcript"
)

func (p *program) reportCommand() *cli.Command {
	return &cli.Command{
		Name: "report", Usage: "one session as a page to look at",
		UsageText: `stophook report [flags] SESSION.jsonl

  stophook report -o report.html ~/.claude/projects/-home-me-app/5f3c9a00.jsonl
  stophook report --policy .stophook/policies --open browser SESSION.jsonl`,
		Description: `Draws a session as a timeline: turns, tool calls, background tasks, handoffs with
their limit, notifications, and every stop with its verdict, decided as replay does.
The page is one file that needs no network. It holds text of the session: share it
as you would share the transcript.
Without -o the page is stophook-ID.html in this folder. A file that is no report of
ours is overwritten only with --force, the transcript itself never.`,
		Flags: append(policyFlags(), profileFlag(), stateDirFlag(),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`; - is stdout"},
			command.Switch("force", "overwrite any file", "f"),
			command.Switch("json", "print what the page shows as a JSON document (stophook.report/v1)"),
			command.Switch("utc", "times in UTC instead of this machine's zone"),
			&cli.IntFlag{Name: "max-events", Usage: "show `N` events at most", Value: report.DefaultMaxEvents},
			&cli.StringFlag{Name: "open", Value: "never", Usage: "show the page: `WHEN` is never or browser"}),
		Action: p.report,
	}
}

func (p *program) report(c *cli.Context) error {
	if c.NArg() != 1 {
		return fmt.Errorf("name one session's .jsonl file; for many sessions there is stophook replay --format html")
	}
	open := c.String("open")
	if open != "never" && open != "browser" {
		return fmt.Errorf("--open %q: there are never, browser", open)
	}
	if n := c.Int("max-events"); n < 1 {
		return fmt.Errorf("--max-events %d: at least 1", n)
	}
	path := c.Args().First()
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return fmt.Errorf("%s is a folder: name one .jsonl file in it, or use stophook replay --format html", path)
	}
	h, err := transcript.ReadHistory(path, transcript.HistoryOptions{})
	if err != nil {
		return err
	}
	session, opts, err := p.decided(c, path)
	if err != nil {
		return err
	}
	output := c.String("output")
	if output == "" {
		if output = reportName(h); c.Bool("json") {
			output = "-"
		}
	}
	if err := mayOverwrite(output, path, c.Bool("force")); err != nil {
		return err
	}
	if c.Bool("json") {
		return p.write(output, func(w io.Writer) error {
			return command.PrintJSON(w, report.NewDocument(h, session, opts))
		})
	}
	if err := p.write(output, func(w io.Writer) error { return report.WriteSession(w, h, session, opts) }); err != nil {
		return err
	}
	if open == "browser" && output != "-" {
		return openBrowser(output)
	}
	return nil
}

// decided judges the stops of one transcript.
func (p *program) decided(c *cli.Context, path string) (*replay.Session, report.Options, error) {
	now := p.now()
	opts := report.Options{Now: now, Location: now.Location(), MaxEvents: c.Int("max-events")}
	if c.Bool("utc") {
		opts.Location = nil
	}
	run, err := p.replayOptions(c)
	if err != nil {
		return nil, opts, err
	}
	opts.Policy = policyWords(run.Layers)
	ctx, stop := command.Interrupted()
	defer stop()
	result, err := replay.Run(ctx, []string{path}, run)
	if err != nil {
		return nil, opts, told(err, 1)
	}
	opts.Limits = result.Limits
	if len(result.Sessions) == 0 {
		return nil, opts, nil
	}
	return &result.Sessions[0], opts, nil
}

// policyWords names the policies that decided.
func policyWords(layers []policy.Layer) string {
	words := []string{"built-in rules"}
	for _, l := range layers {
		words = append(words, l.Name+" ("+l.Root+")")
	}
	return strings.Join(words, ", ")
}

// reportName is a name that is safe in every file system, whatever the session is
// called.
func reportName(h *transcript.History) string {
	id := h.SessionID
	if id == "" {
		id = strings.TrimSuffix(filepath.Base(h.Path), ".jsonl")
	}
	id = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
	return "stophook-" + id[:min(len(id), 64)] + ".html"
}

// mayOverwrite protects files that are no reports from a slip of the keyboard.
func mayOverwrite(output, session string, force bool) error {
	if output == "-" {
		return nil
	}
	st, err := os.Stat(output)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--output %s: %w", output, err)
	}
	if from, err := os.Stat(session); err == nil && os.SameFile(st, from) {
		return fmt.Errorf("--output %s is the transcript itself; name another file", output)
	}
	if st.IsDir() {
		return fmt.Errorf("--output %s is a folder; name a file in it", output)
	}
	if force || st.Size() == 0 {
		return nil
	}
	f, err := os.Open(output)
	if err != nil {
		return fmt.Errorf("--output %s: %w", output, err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1024))
	if err != nil {
		return fmt.Errorf("--output %s: %w", output, err)
	}
	if !bytes.Contains(head, []byte(report.Generator)) && !bytes.Contains(head, []byte(report.DocumentSchema)) {
		return fmt.Errorf("--output %s exists and is no report; name another file, or overwrite it with --force", output)
	}
	return nil
}

// openBrowser hands the page to whatever the system opens pages with.
func openBrowser(path string) error {
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("--open browser: %w", err)
	}
	if out, err := exec.Command(opener[0], append(opener[1:], full)...).CombinedOutput(); err != nil {
		return fmt.Errorf("--open browser: %s: %w: %s; open %s yourself", opener[0], err, term.OneLine(string(out), 200), full)
	}
	return nil
}
