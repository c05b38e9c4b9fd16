package doctor

import (
	"slices"
	"strings"
)

// Schema names the form of [Report].
const Schema = "stophook.doctor/v1"

// Severity says how much a finding matters.
type Severity string

// The severities, from the one that leaves the gate open to the one that is no
// trouble at all.
const (
	Error   Severity = "error"   // the gate is not live, or will be lost
	Warning Severity = "warning" // it is live, and not as somebody would expect
	Note    Severity = "note"    // good to know
	OK      Severity = "ok"      // it was looked at, and is as it should be
)

func (s Severity) rank() int {
	return slices.Index([]Severity{Error, Warning, Note, OK}, s)
}

// Finding is one thing that was found.
type Finding struct {
	ID       string   `json:"id"` // stable name, such as hook_silent
	Severity Severity `json:"severity"`
	Title    string   `json:"title"`            // one line
	Detail   string   `json:"detail,omitempty"` // what was seen
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"` // from 1
	Todo     string   `json:"todo,omitempty"` // what to do about it
	Fixable  bool     `json:"fixable"`        // [Report.Repair] can do it

	repair func() (string, error)
}

// Report is what was found, what matters most first.
type Report struct {
	Schema   string    `json:"schema"`
	Version  string    `json:"version"` // of the stophook that looked
	Project  string    `json:"project"`
	StateDir string    `json:"state_dir"`
	Findings []Finding `json:"findings"`
	Repairs  []Repair  `json:"repairs,omitempty"` // done before this report was made
	Limits   []string  `json:"limits"`            // what cannot be seen from here
}

// Repair is what became of one repair.
type Repair struct {
	ID    string `json:"id"`
	Done  string `json:"done,omitempty"`  // what was done
	Error string `json:"error,omitempty"` // why it could not be done
}

// Count tells how many findings have a severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// Healthy reports whether nothing is wrong, warnings aside.
func (r *Report) Healthy() bool { return r.Count(Error) == 0 }

// Repair carries out the repairs of this report, once, and tells what became of
// them. Examine again afterwards: a repair can uncover what it stood before.
func (r *Report) Repair() []Repair {
	var done []Repair
	for i, f := range r.Findings {
		if f.repair == nil {
			continue
		}
		r.Findings[i].repair = nil
		what, err := f.repair()
		if err != nil {
			done = append(done, Repair{ID: f.ID, Error: err.Error()})
			continue
		}
		done = append(done, Repair{ID: f.ID, Done: what})
	}
	return done
}

// sort puts what matters most first, and keeps the order of looking within it.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return a.Severity.rank() - b.Severity.rank() })
}

// firstLine is what stands before the first line break.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
