package check

import (
	"cmp"
	"slices"
	"strings"
)

// Severities of findings.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// Kinds of findings beside those of package policy. They are stable names, for
// tools and for searches.
const (
	KindMetadataField     = "metadata-unknown-field"
	KindMetadataMisplaced = "metadata-misplaced"
	KindCodePrefix        = "metadata-code-prefix"
	KindCodeCollision     = "code-collision"
	KindInputField        = "unknown-input-field"
	KindInputValue        = "impossible-value"
	KindDataRef           = "unknown-reference"
	KindThreshold         = "threshold-out-of-bound"
	KindUnbounded         = "threshold-unbounded"
	KindDemandShape       = "demand-shape"
	KindDemandText        = "demand-text"
	KindConfig            = "config-invalid"
	KindConfigRule        = "config-unknown-rule"
	KindConfigLoosens     = "config-loosens"
	KindLint              = "unused-or-shadowed"
)

// A Finding is one thing that is wrong, at its place.
type Finding struct {
	File     string `json:"file"`     // as the caller named its folder, with slashes
	Line     int    `json:"line"`     // from 1; 0 when the whole file is meant
	Col      int    `json:"col"`      // from 1, in bytes; 0 when unknown
	Severity string `json:"severity"` // error or warning
	Kind     string `json:"kind"`     // a stable name: parse-error, unknown-input-field, ...
	Message  string `json:"message"`
	Text     string `json:"text"`           // the line of the file, without its end
	Hint     string `json:"hint,omitempty"` // what to do next
	Layer    string `json:"layer,omitempty"`
}

// ReportSchema names the form of a [Report] as JSON.
const ReportSchema = "stophook.check/v1"

// A Report is what one run found, by file and line.
type Report struct {
	Schema   string    `json:"schema"`
	Files    int       `json:"files"`    // policy files that were looked at, tests included
	Rules    int       `json:"rules"`    // rules and deferrals that they define
	Errors   int       `json:"errors"`   // findings of that severity
	Warnings int       `json:"warnings"` // findings of that severity
	Findings []Finding `json:"findings"`

	checked []string // the names of the files
}

// finish sorts the findings, drops what was found twice, and counts.
func (r *Report) finish() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Col-b.Col,
			strings.Compare(a.Severity, b.Severity), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Message, b.Message))
	})
	r.Findings = slices.CompactFunc(r.Findings, func(a, b Finding) bool {
		return a.File == b.File && a.Line == b.Line && a.Kind == b.Kind && a.Message == b.Message
	})
	r.Errors, r.Warnings = 0, 0
	for _, f := range r.Findings {
		if f.Severity == SeverityError {
			r.Errors++
		} else {
			r.Warnings++
		}
	}
}
