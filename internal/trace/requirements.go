package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Reasons why the document cannot be used. A document that parses to nothing
// must fail: it would report that nothing is missing.
var (
	errNoParts        = errors.New("no row of the part table found (| part | what | folder | built |)")
	errNoRequirements = errors.New("no requirement found (- **TR-1** P0. text)")
)

// lineError is a line of the document that looks like a requirement or a part
// and is none.
type lineError struct {
	file string
	line int
	msg  string
}

func (e *lineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.file, e.line, e.msg) }

// part is one row of the table in the document's head.
type part struct {
	ID     string `json:"id"`
	What   string `json:"what"`
	Folder string `json:"folder"`
	Built  bool   `json:"built"`
}

// requirement is one numbered line.
type requirement struct {
	ID       string   `json:"id"`
	Priority string   `json:"priority"`
	Parts    []string `json:"parts"`
	Line     int      `json:"line"`
	Text     string   `json:"text"`
}

// document is the parsed docs/requirements.md.
type document struct {
	File         string
	Parts        []part
	Requirements []requirement
}

// parseDoc reads the part table and every `- **ID** Pn.` line. A requirement
// belongs to the part whose heading it stands under, or to the parts in
// brackets behind its priority.
func parseDoc(r io.Reader, name string) (*document, error) {
	doc := &document{File: name}
	known, seen := map[string]bool{}, map[string]int{}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	heading := ""
	for n := 1; scanner.Scan(); n++ {
		line := scanner.Text()
		switch {
		case strings.HasPrefix(line, "#"):
			heading = headingPart(line)
		case strings.HasPrefix(line, "| "):
			p, ok, err := parsePart(line)
			if err != nil {
				return nil, &lineError{name, n, err.Error()}
			}
			if ok {
				doc.Parts, known[p.ID] = append(doc.Parts, p), true
			}
		case strings.HasPrefix(line, "- **"):
			req, err := parseRequirement(line, heading)
			if err != nil {
				return nil, &lineError{name, n, err.Error()}
			}
			if first, dup := seen[req.ID]; dup {
				return nil, &lineError{name, n, fmt.Sprintf("%s stands in line %d already: keep one of them", req.ID, first)}
			}
			for _, id := range req.Parts {
				if !known[id] {
					return nil, &lineError{name, n, fmt.Sprintf("%s is in part %q, which the table does not list", req.ID, id)}
				}
			}
			req.Line = n
			seen[req.ID] = n
			doc.Requirements = append(doc.Requirements, req)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(doc.Parts) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errNoParts)
	}
	if len(doc.Requirements) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errNoRequirements)
	}
	return doc, nil
}

// headingPart gives 1C for "## 1C. Reading the session", and nothing for a
// heading whose first word is no part.
func headingPart(line string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(line, "#")), " ")
	word = strings.TrimSuffix(word, ".")
	if word == "" || word[0] < '0' || word[0] > '9' {
		return ""
	}
	return word
}

// parsePart reads a row of the part table; ok is false for rows of any other
// table, for the header and for the rule below it.
func parsePart(line string) (p part, ok bool, err error) {
	cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	if len(cells) != 4 {
		return part{}, false, nil
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	if cells[0] == "" || cells[0][0] < '0' || cells[0][0] > '9' {
		return part{}, false, nil
	}
	p = part{ID: cells[0], What: cells[1], Folder: cells[2]}
	switch cells[3] {
	case "yes":
		p.Built = true
	case "no":
	default:
		return part{}, false, fmt.Errorf("part %s: built is %q: write yes or no", p.ID, cells[3])
	}
	return p, true, nil
}

// parseRequirement reads `- **ID** P0 [PART, PART]. text`.
func parseRequirement(line, heading string) (requirement, error) {
	rest := strings.TrimPrefix(line, "- **")
	id, rest, ok := strings.Cut(rest, "** ")
	ids := numbersInText(id)
	if !ok || len(ids) != 1 {
		return requirement{}, fmt.Errorf("%q is no requirement number: write - **TR-1** P0. text", id)
	}
	head, text, ok := strings.Cut(rest, ". ")
	if !ok {
		return requirement{}, fmt.Errorf("%s has no text behind its priority: write - **%s** P0. text", id, id)
	}
	req := requirement{ID: ids[0], Text: text, Parts: []string{heading}}
	prio, in, bracketed := strings.Cut(head, " [")
	if prio != "P0" && prio != "P1" && prio != "P2" {
		return requirement{}, fmt.Errorf("%s has priority %q: write P0, P1 or P2", id, prio)
	}
	req.Priority = prio
	if bracketed {
		req.Parts = nil
		for p := range strings.SplitSeq(strings.TrimSuffix(in, "]"), ",") {
			req.Parts = append(req.Parts, strings.TrimSpace(p))
		}
	}
	return req, nil
}
