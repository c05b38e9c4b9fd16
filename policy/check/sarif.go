package check

import (
	"encoding/json"
	"io"
	"path"
	"slices"
)

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn,omitempty"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Version        string      `json:"version,omitempty"`
	Rules          []sarifRule `json:"rules"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

// WriteSARIF writes the findings as SARIF 2.1.0, which code scanners take. The
// version is that of the program.
func (r *Report) WriteSARIF(w io.Writer, version string) error {
	run := sarifRun{Tool: sarifTool{Driver: sarifDriver{Name: "stophook check", InformationURI: "https://github.com/stophook/stophook", Version: version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for _, f := range r.Findings {
		if !slices.Contains(run.Tool.Driver.Rules, sarifRule{f.Kind}) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{f.Kind})
		}
		p := sarifPhysical{Artifact: sarifArtifact{URI: uri(f.File)}}
		if f.Line > 0 {
			p.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column()}
			if f.Text != "" {
				p.Region.Snippet = &sarifText{f.Text}
			}
		}
		text := f.Message
		if f.Hint != "" {
			text += ". " + f.Hint
		}
		run.Results = append(run.Results, sarifResult{RuleID: f.Kind, Level: f.Severity, Message: sarifText{text}, Locations: []sarifLocation{{p}}})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// Column is the finding's column in characters, from 1; 0 when unknown.
func (f *Finding) Column() int {
	if f.Col < 1 || f.Col > len(f.Text)+1 {
		return 0
	}
	return len([]rune(f.Text[:f.Col-1])) + 1
}

// uri is a file as a reference of a URI: a relative one stays relative.
func uri(file string) string {
	if path.IsAbs(file) {
		return "file://" + escape(file)
	}
	return escape(file)
}
