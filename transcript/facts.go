package transcript

import "time"

// FactsSchema names the version of the facts document.
const FactsSchema = "stophook.facts/v1"

// Facts is a session as one JSON document (`stophook scan --json`). Lists are
// never null and in row order; `stophook schema facts` prints its JSON Schema.
type Facts struct {
	Schema     string       `json:"schema"`
	Now        time.Time    `json:"now"`
	Transcript FactsSource  `json:"transcript"`
	Session    FactsSession `json:"session"`
	Turn       Turn         `json:"turn"`
	Tasks      []Task       `json:"tasks"`
	Handoffs   []Handoff    `json:"handoffs"`
	Debt       Debt         `json:"debt"`
}

// FactsSource says what was read, and what could not be.
type FactsSource struct {
	Path         string   `json:"path"`
	Size         int64    `json:"size"`
	WindowOffset int64    `json:"window_offset"`
	Rows         int      `json:"rows"`
	BadLines     int      `json:"bad_lines"`
	Blind        []string `json:"blind"`
}

// FactsSession is what the newest row says of the session and its host.
type FactsSession struct {
	ID         string `json:"id"`
	Entrypoint string `json:"entrypoint,omitempty"`
	Version    string `json:"version,omitempty"`
}

// Facts returns the document of a session.
func (s *Session) Facts() Facts {
	return Facts{
		Schema: FactsSchema, Now: s.Now,
		Transcript: FactsSource{Path: s.Path, Size: s.Size, WindowOffset: s.WindowOffset, Rows: s.Rows,
			BadLines: s.BadLines, Blind: s.Blind},
		Session: FactsSession{ID: s.SessionID, Entrypoint: s.Entrypoint, Version: s.Version},
		Turn:    s.Turn, Tasks: s.Tasks, Handoffs: s.Handoffs, Debt: s.Debt,
	}
}

// Excerpt is one row as a person should see it: what it is, and the first words
// of what it says.
type Excerpt struct {
	Offset int64     `json:"offset"`
	UUID   string    `json:"uuid,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Type   string    `json:"type"`
	Text   string    `json:"text"` // at most 240 bytes, not redacted
}
