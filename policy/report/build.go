package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stophook/stophook/policy/replay"
	"github.com/stophook/stophook/transcript"
)

// NewDocument gathers what a session page shows. s holds the decisions of the
// same file; nil when nothing was decided.
func NewDocument(h *transcript.History, s *replay.Session, opts Options) *Document {
	opts = opts.withDefaults()
	b := &builder{h: h, opts: opts, zone: opts.zone(h.From)}
	d := &Document{Schema: DocumentSchema, Now: opts.Now, Limits: []string{}, Session: Session{
		ID: word(h.SessionID), File: word(filepath.Base(h.Path)), Path: clip(h.Path, excerptLimit), Size: h.Size, Lines: h.Lines,
		BadLines: h.BadLines, Version: word(h.Version), Entrypoint: word(h.Entrypoint), Cwd: clip(h.Cwd, excerptLimit),
		From: h.From, To: h.To, Policy: clip(opts.Policy, excerptLimit)}}
	b.turns()
	b.calls()
	b.tasks()
	b.handoffs()
	b.points()
	d.Counts = b.counts()
	if s != nil {
		d.Session.Evidence = word(s.Evidence)
		for _, stop := range s.Stops {
			b.stop(stop, &d.Counts)
		}
		for _, note := range s.Notes {
			d.Limits = append(d.Limits, clip(note, excerptLimit))
		}
		if s.Error != "" {
			d.Limits = append(d.Limits, "The stops could not be decided: "+clip(s.Error, excerptLimit))
		}
	}
	for _, text := range opts.Limits {
		d.Limits = append(d.Limits, clip(text, reasonLimit))
	}
	d.Limits = append(d.Limits, b.limits()...)
	d.Events, d.Limits = b.order(d.Limits)
	b.link(d.Events)
	return d
}

// builder turns facts into events.
type builder struct {
	h      *transcript.History
	opts   Options
	zone   *time.Location
	events []Event
}

func (b *builder) add(e Event, at transcript.At) {
	e.Line, e.Offset, e.Time = at.Line, at.Offset, at.Time
	e.Title, e.Text = word(e.Title), clip(e.Text, excerptLimit+4)
	for i, note := range e.Notes {
		e.Notes[i] = clip(note, excerptLimit+wordLimit)
	}
	b.events = append(b.events, e)
}

// ends gives an event its end.
func (e *Event) ends(at transcript.At) {
	e.EndLine, e.End = at.Line, at.Time
}

func (b *builder) turns() {
	for i, t := range b.h.Turns {
		e := Event{Kind: KindTurn, State: "other", Turn: i + 1, Text: t.Text, rank: 0}
		switch t.Origin {
		case "human":
			e.Title, e.State = "Prompt", "human"
		case "notification":
			e.Title, e.State = "Turn begun by a notification", "notification"
		case "unknown":
			e.Title = "Turn whose start is not in the file"
		default:
			e.Title = "Turn begun by " + t.Origin
		}
		e.ends(t.End)
		e.Notes = append(e.Notes, plural(t.Calls, "tool call"))
		if t.Copied {
			e.Notes = append(e.Notes, "copied from another session by a fork")
		}
		b.add(e, t.At)
	}
}

func (b *builder) calls() {
	for _, t := range b.h.Replies {
		b.add(Event{Kind: KindReply, State: "reply", Turn: t.Turn + 1, Title: "Agent", Text: t.Text, rank: 1}, t.At)
	}
	for _, c := range b.h.Calls {
		e := Event{Kind: KindCall, State: "done", Turn: c.Turn + 1, Title: cmp.Or(c.Name, "tool"), Text: c.Text, rank: 2}
		switch {
		case c.Answer.Line == 0:
			e.Open, e.State = true, "open"
			e.Notes = append(e.Notes, "no answer in the transcript")
		case c.Failed:
			e.State = "failed"
			e.Notes = append(e.Notes, "failed: "+c.Error)
		}
		e.ends(c.Answer)
		if c.Background {
			e.Notes = append(e.Notes, "asked for the background")
		}
		if c.Evidence != "" {
			e.Notes = append(e.Notes, "evidence: stophook "+c.Evidence)
		}
		b.add(e, c.At)
	}
	for _, a := range b.h.Subagents {
		e := Event{Kind: KindSubagent, State: "subagent", Title: "Subagent " + a.ID, rank: 7,
			Text: plural(a.Rows, "row") + " and " + plural(a.Calls, "tool call") + " of it in this file"}
		e.ends(a.End)
		b.add(e, a.At)
	}
}

func (b *builder) tasks() {
	for _, t := range b.h.Tasks {
		e := Event{Kind: KindTask, State: "ended", Title: string(t.Kind) + " task " + t.ID, Text: t.Command, rank: 3}
		if way := entrance(t.Entrance); way != "" {
			e.Notes = append(e.Notes, way)
		}
		switch {
		case t.State == transcript.TaskUnknown:
			e.State, e.Open = "unknown", true
			e.Notes = append(e.Notes, "it has no receipt, so nothing can report its end")
		case t.Ended.Line == 0:
			e.State, e.Open = "open", true
			e.Notes = append(e.Notes, "still running when the transcript ends")
		case t.Status != "completed":
			e.State = "failed"
		}
		e.ends(t.Ended)
		if t.Status != "" {
			e.Notes = append(e.Notes, "status "+t.Status)
		}
		if t.ExitCode != nil {
			e.Notes = append(e.Notes, fmt.Sprintf("exit code %d", *t.ExitCode))
		}
		if t.Harvested {
			e.Notes = append(e.Notes, "its output was read")
		}
		b.add(e, t.Opened)
	}
}

// entrance says in words how a task got into the background.
func entrance(e transcript.Entrance) string {
	switch e {
	case "":
		return ""
	case transcript.EntranceRequested:
		return "launched in the background by the agent"
	case transcript.EntranceDeliveredMessage:
		return "moved to the background to deliver a message"
	case transcript.EntranceUser:
		return "moved to the background by a person"
	case transcript.EntranceTimeout:
		return "moved to the background by its time limit"
	case transcript.EntranceTurnAbort:
		return "moved to the background when the turn was aborted"
	case transcript.EntranceShellSyntax:
		return "left running by shell syntax"
	}
	return "entrance " + string(e)
}

func (b *builder) handoffs() {
	for _, o := range b.h.Handoffs {
		e := Event{Kind: KindHandoff, State: o.State, Title: "Handoff of " + o.TaskID, Text: o.Command, Limit: o.Limit, rank: 4}
		if o.Limit.IsZero() {
			e.Notes = append(e.Notes, "its receipt has no time, so it never deferred anything")
		} else {
			e.Notes = append(e.Notes, "may defer until "+b.clock(o.Limit))
		}
		if o.Closer == nil {
			e.Open = true
		} else {
			e.ends(o.Closed)
			e.Notes = append(e.Notes, fmt.Sprintf("closed on line %d by %s", o.Closed.Line, carrier(o.Closer)))
		}
		if o.Expired {
			e.Notes = append(e.Notes, "its limit passed before that")
			if o.Closer == nil {
				e.Notes[len(e.Notes)-1] = "its limit passed, and nothing closed it"
			}
			e.State = "expired"
		}
		b.add(e, o.Opened)
	}
}

func carrier(c *transcript.Closer) string {
	by := "a row of type " + c.Carrier
	if c.Trusted {
		return by + ", carried by the host"
	}
	return by + ", which only quotes the notification"
}

// points adds what happened at one instant.
func (b *builder) points() {
	for _, n := range b.h.Notices {
		e := Event{Kind: KindNotice, State: "notice", Title: "Notification", Text: n.Text, rank: 5}
		if len(n.TaskIDs) > 0 {
			e.Title += " of " + strings.Join(n.TaskIDs, ", ")
		}
		if n.Status != "" {
			e.Notes = append(e.Notes, "status "+n.Status)
		} else {
			e.Notes = append(e.Notes, "no status, so no end")
		}
		e.Notes = append(e.Notes, "carried by a row of type "+n.Carrier)
		if n.Starts {
			e.Notes = append(e.Notes, "began the turn")
		}
		b.add(e, n.At)
	}
	for _, m := range b.h.Marks {
		if m.Kind == transcript.MarkStopHook && m.Text == "" {
			continue // the host ran its hooks and they said nothing: the stop itself is shown
		}
		e := Event{Kind: KindMark, State: m.Kind, Text: m.Text, rank: 6}
		switch m.Kind {
		case transcript.MarkCompaction:
			e.Title = "Compaction"
		case transcript.MarkAPIError:
			e.Title = "API error"
		case transcript.MarkInterrupt:
			e.Title = "Interrupt"
		case transcript.MarkFeedback:
			e.Title = "Stop hook feedback"
		case transcript.MarkStopHook:
			e.Title = "Stop hooks of the host"
		}
		b.add(e, m.At)
	}
}

func (b *builder) counts() Counts {
	c := Counts{Turns: len(b.h.Turns), Calls: b.h.ToolTotal, Failed: b.h.FailedCalls(), Replies: len(b.h.Replies) + b.h.Omitted["replies"],
		Tasks: len(b.h.Tasks), Handoffs: len(b.h.Handoffs), Notices: len(b.h.Notices), Subagents: len(b.h.Subagents)}
	for _, e := range b.events {
		if e.Kind == KindMark {
			c.Marks++
		}
	}
	for _, t := range b.h.Turns {
		if t.Origin == "human" {
			c.Prompts++
		}
	}
	for _, t := range b.h.Tasks {
		if t.Ended.Line == 0 {
			c.OpenTasks++
		}
	}
	for _, o := range b.h.Handoffs {
		if o.Expired {
			c.Expired++
		}
	}
	return c
}

// limits says what the transcript could not tell.
func (b *builder) limits() []string {
	var out []string
	for _, reason := range b.h.Blind {
		out = append(out, "The transcript could not be seen in full: "+reason+".")
	}
	if b.h.BadLines > 0 {
		out = append(out, fmt.Sprintf("%s of the transcript could not be read.", plural(b.h.BadLines, "line")))
	}
	for _, what := range slices.Sorted(mapsKeys(b.h.Omitted)) {
		out = append(out, fmt.Sprintf("%d more %s are counted and not kept.", b.h.Omitted[what], what))
	}
	return out
}
