package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/transcript"
)

func (p *program) scanCommand() *cli.Command {
	return &cli.Command{
		Name: "scan", Usage: "what a transcript tells: turn, tasks, handoffs, debt",
		UsageText: `stophook scan [flags] FILE

  stophook scan --now 2026-11-30T17:30:00Z --json session.jsonl`,
		Description: `Reads the tail of FILE as the hook does and prints the facts, decided by nobody.
Every row of the window is checked, so broken lines are counted exactly.`,
		Flags: []cli.Flag{
			nowFlag(),
			&cli.Int64Flag{Name: "window", Value: transcript.DefaultWindow, Usage: "read at most `BYTES` from the end"},
			&cli.StringFlag{Name: "session", Usage: "the session `ID` asked about (default: the file's)"},
			command.Switch("json", "print one JSON object (stophook.facts/v1)"),
		},
		Action: p.scan,
	}
}

func (p *program) scan(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return errors.New("scan takes one transcript file, with all flags before it: stophook scan [flags] FILE")
	}
	if c.Int64("window") <= 0 {
		return fmt.Errorf("--window %d: a window has at least one byte", c.Int64("window"))
	}
	if err := p.setClock(c); err != nil {
		return err
	}
	s, err := transcript.Read(c.Args().First(), transcript.Options{Now: p.now(), Window: c.Int64("window"),
		SessionID: c.String("session"), Validate: true})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(s.Facts())
	}
	return printSession(p.stdout, s, p.style())
}

// printSession is the table of scan.
func printSession(w io.Writer, s *transcript.Session, st term.Style) error {
	fmt.Fprintf(w, "%s  %s\n", st.Bold("transcript"), term.Visible(s.Path))
	fmt.Fprintf(w, "  %s rows in the last %s of %s", term.Count(s.Rows), term.Size(s.Size-s.WindowOffset), term.Size(s.Size))
	if s.BadLines > 0 {
		fmt.Fprintf(w, ", %s", st.Warn(term.Plural(s.BadLines, "broken line")))
	}
	fmt.Fprintln(w)
	for _, b := range s.Blind {
		fmt.Fprintf(w, "  %s %s\n", st.Warn("blind:"), blindWords(b))
	}
	printTurn(w, s, st)
	fmt.Fprintf(w, "%s  %d\n", st.Bold("tasks"), len(s.Tasks))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, t := range s.Tasks {
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\t%s\t%s\n", term.Word(t.ID), term.Word(string(t.Kind)), term.OrDash(string(t.Entrance)), term.Word(taskState(t)),
			term.Clock(t.OpenedAt.Time), term.OneLine(t.Command, 48))
	}
	tw.Flush()
	fmt.Fprintf(w, "%s  %d\n", st.Bold("handoffs"), len(s.Handoffs))
	for _, h := range s.Handoffs {
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\t%s\n", term.Word(h.TaskID), handoffWords(h), age(h), term.Clock(h.OpenedAt.Time), term.OneLine(h.Command, 48))
	}
	tw.Flush()
	fmt.Fprintf(w, "%s  %s", st.Bold("debt"), term.Plural(s.Debt.Calls, "call"))
	if len(s.Debt.Paired) > 0 {
		fmt.Fprintf(w, ", never collected: %s", term.Words(s.Debt.Paired))
	}
	_, err := fmt.Fprintln(w)
	return err
}

func printTurn(w io.Writer, s *transcript.Session, st term.Style) {
	t := s.Turn
	fmt.Fprintf(w, "%s  from a %s", st.Bold("turn"), originWords(t.Origin))
	if !t.StartedAt.Time.IsZero() {
		fmt.Fprintf(w, " at %s", term.Clock(t.StartedAt.Time))
	}
	fmt.Fprintf(w, ", %s", term.Plural(t.ToolCalls, "tool call"))
	if n := len(t.Tools); n > 0 {
		fmt.Fprintf(w, ", last %s", term.Word(t.Tools[n-1].Name))
	}
	if n := len(t.Boxes); n > 0 {
		fmt.Fprintf(w, ", status box %s", t.Boxes[n-1].CheckID)
	}
	fmt.Fprintln(w)
	if t.FinalText != "" {
		fmt.Fprintf(w, "  %s\n", st.Dim("“"+term.OneLine(t.FinalText, 90)+"”"))
	}
}

func originWords(origin string) string {
	switch origin {
	case "human":
		return "human prompt"
	case "unknown":
		return "start that is not in sight"
	}
	return term.Word(origin)
}

func blindWords(reason string) string {
	switch reason {
	case transcript.BlindWindowCut:
		return "the turn began before the window; --window reads more"
	case transcript.BlindTooManyRows:
		return "more rows than the index holds; the oldest are not seen"
	case transcript.BlindUnknownShape:
		return "no row has a type that is known; is this a session transcript?"
	}
	return reason
}

func taskState(t transcript.Task) string {
	words := string(t.State)
	if t.Status != "" {
		words = t.Status
	}
	if t.ExitCode != nil {
		words += fmt.Sprintf(" (%d)", *t.ExitCode)
	}
	if t.Harvested {
		words += ", collected"
	}
	return words
}

func handoffWords(h transcript.Handoff) string {
	if h.State.AnyText == h.State.Ended {
		return string(h.State.AnyText)
	}
	return fmt.Sprintf("%s by text, %s by the host", h.State.AnyText, h.State.Ended)
}

func age(h transcript.Handoff) string {
	if h.AgeSeconds == nil {
		return "age unknown"
	}
	return "age " + (time.Duration(*h.AgeSeconds * float64(time.Second))).Round(time.Second).String()
}
