package replay

// Totals are the figures over all sessions. Every list is sorted.
type Totals struct {
	Files       int   `json:"files"`        // transcripts found, those of subagents not counted
	Bytes       int64 `json:"bytes"`        // of these
	Sessions    int   `json:"sessions"`     // with at least one stop that counts
	NoStop      int   `json:"no_stop"`      // without any stop
	BeforeSince int   `json:"before_since"` // with nothing that is recent enough
	Subagents   int   `json:"subagents"`    // transcripts of subagents, left out
	Unreadable  int   `json:"unreadable"`   // files and folders

	Stops int `json:"stops"`
	Allow int `json:"allow"`
	Block int `json:"block"`
	Defer int `json:"defer"`
	// BlockRate is the share of stops that were blocked, 0 to 1.
	BlockRate float64 `json:"block_rate"`
	// Warned are the stops that were not blocked although a demand of severity warn
	// was not met: the person would have been told.
	Warned int `json:"warned"`

	Codes []CodeCount `json:"codes"` // the most frequent first
	Rules []RuleCount `json:"rules"` // the one that blocked most first

	// LongestChain is the longest run of blocked stops in one cycle: with no other
	// stop and no prompt of a person between them. Nil when nothing was blocked.
	LongestChain *Chain `json:"longest_chain,omitempty"`
	// DeferredSeconds is how long turns were over while something was put off: the
	// sum over deferred stops of the time to the session's next stop, or to the
	// latest expiry of the deferrals when that is earlier or nothing follows.
	DeferredSeconds float64 `json:"deferred_seconds"`
	// Hardest are the sessions with most blocked stops, ten at most.
	Hardest []Hit `json:"hardest"`

	// Agree and Differ compare with what the host recorded of the hooks that it ran
	// then; Unrecorded are stops of which it recorded nothing.
	Agree      int `json:"agree"`
	Differ     int `json:"differ"`
	Unrecorded int `json:"unrecorded"`

	Evidence EvidenceCount `json:"evidence"`
}

// CodeCount is how many stops got a code.
type CodeCount struct {
	Code    string `json:"code"`
	Verdict string `json:"verdict"`
	Stops   int    `json:"stops"`
}

// RuleCount is what one rule or deferral did, in stops.
type RuleCount struct {
	Rule     string `json:"rule"`
	Blocked  int    `json:"blocked"`  // its demand stood among those that held the turn
	Deferred int    `json:"deferred"` // its demand was put off; for a deferral: it put some off
	Warned   int    `json:"warned"`   // its demand was only shown
	Observed int    `json:"observed"` // its demand was only logged
	Let      int    `json:"let"`      // its demand was of severity block, and the stop passed all the same
}

// Chain is a run of blocked stops in one cycle.
type Chain struct {
	Path   string `json:"path"`
	ID     string `json:"id"`
	Length int    `json:"length"`
	Lines  []int  `json:"lines"`
}

// Hit is a session and its blocked stops.
type Hit struct {
	Path   string `json:"path"`
	ID     string `json:"id"`
	Stops  int    `json:"stops"`
	Blocks int    `json:"blocks"`
	Lines  []int  `json:"lines"` // of the blocked stops
}

// EvidenceCount is where the evidence of sessions with stops came from.
type EvidenceCount struct {
	Ledger     int `json:"ledger"`
	Transcript int `json:"transcript"`
	None       int `json:"none"`
}
