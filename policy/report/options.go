package report

import (
	"time"

	"github.com/stophook/stophook/transcript"
)

// DefaultMaxEvents is how many events a page shows at most. At some 600 bytes
// each this keeps a page below 6 MB.
const DefaultMaxEvents = 8000

// Options say how a page is written. The zero value is usable.
type Options struct {
	// Now is the instant that the page names as its own; default none.
	Now time.Time
	// Location is the time zone of the page; default UTC. A page has one offset,
	// that of the session's first row.
	Location *time.Location
	// MaxEvents bounds the events of a session page; default DefaultMaxEvents.
	// Text of the agent is left out first, then calls that went well, the oldest
	// of each; prompts, tasks, handoffs and stops stay as long as they can.
	MaxEvents int
	// Command is how the reader calls stophook, for hints; default "stophook".
	Command string
	// Policy names the policies that decided, in words; may be empty.
	Policy string
	// Limits says in words what could not be rebuilt, as replay.Result has it.
	Limits []string
}

func (o Options) withDefaults() Options {
	if o.Location == nil {
		o.Location = time.UTC
	}
	if o.MaxEvents <= 0 {
		o.MaxEvents = DefaultMaxEvents
	}
	if o.Command == "" {
		o.Command = "stophook"
	}
	return o
}

// zone is the one offset of a page that begins at from.
func (o Options) zone(from time.Time) *time.Location {
	if from.IsZero() {
		from = o.Now
	}
	name, offset := from.In(o.Location).Zone()
	if offset == 0 {
		return time.UTC
	}
	return time.FixedZone(name, offset)
}

// Limits of single texts on a page, in bytes.
const (
	excerptLimit = transcript.DefaultHistoryExcerpt
	wordLimit    = 120
	reasonLimit  = 4000
	maxDemands   = 40
	maxEvidence  = 24
)
