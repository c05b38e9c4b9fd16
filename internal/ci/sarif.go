package ci

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/term"
)

// A Finding is one place in a file that somebody should look at.
type Finding struct {
	Rule    string // a short stable id
	Level   string // error, warning or note
	Message string // one line or several
	File    string // "" when no file is meant
	Line    int    // from 1; 0 when the whole file is meant
	Col     int    // from 1, in characters; 0 when unknown
	Snippet string // the line as it stands in the file; "" when unknown
}

// A Tool says who found something. Rules explains the ids of the findings in a
// sentence each; an id that it lacks is listed without an explanation. Its program
// is looked up at [Home].
type Tool struct {
	Name, Version string
	Rules         map[string]string
}

// Home is where viewers send those who want to know what made a report.
const Home = "https://github.com/stophook/stophook"

type sarifDoc struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	URL     string      `json:"informationUri,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string     `json:"id"`
	ShortDescription *sarifText `json:"shortDescription,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn,omitempty"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

// WriteSARIF writes the findings as one SARIF 2.1.0 run, in the order given, as
// code hosts show it beside the lines. The rules are those that found something, by
// id.
func WriteSARIF(w io.Writer, tool Tool, findings []Finding) error {
	ids := []string{}
	for _, f := range findings {
		ids = append(ids, f.Rule)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Tool: sarifTool{Driver: sarifDriver{Name: tool.Name, Version: tool.Version, URL: Home, Rules: []sarifRule{}}}}
	for _, id := range ids {
		rule := sarifRule{ID: id}
		if text := tool.Rules[id]; text != "" {
			rule.ShortDescription = &sarifText{text}
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for _, f := range findings {
		index, _ := slices.BinarySearch(ids, f.Rule)
		run.Results = append(run.Results, sarifResult{RuleID: f.Rule, RuleIndex: index, Level: f.Level,
			Message: sarifText{term.Visible(f.Message)}, Locations: locations(&f)})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // people read it, and no browser does
	enc.SetIndent("", "  ")
	return enc.Encode(sarifDoc{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

func locations(f *Finding) []sarifLocation {
	if f.File == "" {
		return nil
	}
	at := sarifPhysical{Artifact: sarifArtifact{uri(f.File)}}
	if f.Line > 0 {
		at.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Col}
		if f.Snippet != "" {
			at.Region.Snippet = &sarifText{source(f.Snippet)}
		}
	}
	return []sarifLocation{{at}}
}

// source is a line of a file with its tabs, and with a space for each character that
// could steer a terminal, so that columns stay right.
func source(line string) string {
	parts := strings.Split(line, "\t")
	for i, p := range parts {
		parts[i] = term.Visible(p)
	}
	return strings.Join(parts, "\t")
}

// uri is a path as a relative or file: URI reference.
func uri(path string) string {
	slashed := filepath.ToSlash(path)
	var b strings.Builder
	for i := range len(slashed) {
		switch c := slashed[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			b.WriteString(string([]byte{'%', hex[c>>4], hex[c&15]}))
		}
	}
	if filepath.IsAbs(path) {
		return "file://" + "/" + strings.TrimPrefix(b.String(), "/")
	}
	return b.String()
}
