package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// maxShownText is how much of a requirement the text report shows, in bytes.
const maxShownText = 100

// reportSchema names the form of the JSON report.
const reportSchema = "stophook.trace/v1"

// report is the answer: which numbers carry tests, and which should and do not.
type report struct {
	Schema       string        `json:"schema"`
	Parts        []partReport  `json:"parts"`
	Missing      []requirement `json:"missing"` // P0, in a built part, no test
	Requirements []traced      `json:"requirements"`
	Unknown      []ref         `json:"unknown"` // carried by a test, not in the document
	file         string
}

// partReport counts the P0 numbers of one part.
type partReport struct {
	part
	Required int `json:"required"`
	Tested   int `json:"tested"`
}

// traced is a requirement with the places that carry it.
type traced struct {
	requirement
	Tests []string `json:"tests"`
}

// newReport holds the document against what the tests carry.
func newReport(doc *document, refs []ref) *report {
	byID := map[string][]string{}
	for _, r := range refs {
		if at := r.String(); !slices.Contains(byID[r.ID], at) {
			byID[r.ID] = append(byID[r.ID], at)
		}
	}
	rep := &report{Schema: reportSchema, file: doc.File, Missing: []requirement{}, Unknown: []ref{}}
	known := map[string]bool{}
	for _, req := range doc.Requirements {
		known[req.ID] = true
		rep.Requirements = append(rep.Requirements, traced{req, slices.Concat([]string{}, byID[req.ID])})
		if req.Priority == "P0" && len(byID[req.ID]) == 0 && doc.built(req) {
			rep.Missing = append(rep.Missing, req)
		}
	}
	for _, p := range doc.Parts {
		pr := partReport{part: p}
		for _, req := range doc.Requirements {
			if req.Priority != "P0" || !slices.Contains(req.Parts, p.ID) {
				continue
			}
			pr.Required++
			if len(byID[req.ID]) > 0 {
				pr.Tested++
			}
		}
		rep.Parts = append(rep.Parts, pr)
	}
	for _, r := range refs {
		if !known[r.ID] && !comesLater(r.ID) {
			rep.Unknown = append(rep.Unknown, r)
		}
	}
	return rep
}

// comesLater tells whether the number may belong to a part that the document
// lists by range only, because it is not built.
func comesLater(id string) bool {
	return strings.HasPrefix(id, "AC-") || strings.HasPrefix(id, "EX-")
}

// built tells whether any part of the requirement is built.
func (d *document) built(req requirement) bool {
	for _, p := range d.Parts {
		if p.Built && slices.Contains(req.Parts, p.ID) {
			return true
		}
	}
	return false
}

func (r *report) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// writeText prints the table of built parts and what is missing, for a person.
func (r *report) writeText(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "part\tfolder\tP0\ttested\t")
	for _, p := range r.Parts {
		if p.Built {
			fmt.Fprintf(tab, "%s\t%s\t%d\t%d\t\n", p.ID, p.Folder, p.Required, p.Tested)
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, u := range r.Unknown {
		fmt.Fprintf(w, "note: %s carries %s, which %s does not list\n", u, u.ID, r.file)
	}
	if len(r.Missing) == 0 {
		_, err := fmt.Fprintln(w, "trace: every P0 number of the built parts is carried by a test")
		return err
	}
	fmt.Fprintf(w, "trace: %d P0 numbers of built parts that no test carries:\n", len(r.Missing))
	for _, m := range r.Missing {
		text := m.Text
		if len(text) > maxShownText {
			text = strings.ToValidUTF8(text[:maxShownText], "") + "…"
		}
		fmt.Fprintf(w, "  %s:%d: %s %v %s\n", r.file, m.Line, m.ID, m.Parts, text)
	}
	_, err := fmt.Fprintln(w, "write the test, or name the number in the name or the reason of the test that proves it")
	return err
}
