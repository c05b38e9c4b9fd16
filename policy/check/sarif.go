package check

import (
	"io"

	"github.com/stophook/stophook/internal/ci"
	"github.com/stophook/stophook/policy"
)

// WriteSARIF writes the findings as SARIF 2.1.0, which code scanners take. The
// version is that of the program.
func (r *Report) WriteSARIF(w io.Writer, version string) error {
	var findings []ci.Finding
	for i := range r.Findings {
		f := &r.Findings[i]
		text := f.Message
		if f.Hint != "" {
			text += ". " + f.Hint
		}
		findings = append(findings, ci.Finding{Rule: f.Kind, Level: f.Severity, Message: text, File: f.File, Line: f.Line, Col: f.Column(), Snippet: f.Text})
	}
	return ci.WriteSARIF(w, ci.Tool{Name: "stophook check", Version: version, Rules: kindWords()}, findings)
}

// Column is the finding's column in characters, from 1; 0 when unknown.
func (f *Finding) Column() int {
	if f.Col < 1 || f.Col > len(f.Text)+1 {
		return 0
	}
	return len([]rune(f.Text[:f.Col-1])) + 1
}

// kindWords says what each kind of finding is about.
func kindWords() map[string]string {
	return map[string]string{
		policy.KindUnreadable:       "A file or folder cannot be read.",
		policy.KindParse:            "A file is no Rego.",
		policy.KindRegoV0:           "A file is written in Rego of before 1.0.",
		policy.KindPackage:          "Policies cannot be in this package.",
		policy.KindPackageCollision: "A package belongs to another rule or layer.",
		policy.KindMetadataMissing:  "A rule or a deferral has no METADATA.",
		policy.KindMetadataInvalid:  "METADATA have a value that does not count.",
		policy.KindMetadataTwice:    "A rule has more than one block of METADATA.",
		policy.KindBuiltin:          "Policies and tests have no clock, network, environment or random numbers.",
		policy.KindShape:            "A demand, defer or notice is no set.",
		policy.KindSilent:           "A rule or a deferral can never say anything.",
		policy.KindAggregator:       "A policy asks for the decision that it is a part of.",
		policy.KindType:             "Types do not fit.",
		policy.KindFunction:         "A function is not defined.",
		policy.KindUnsafe:           "A variable never gets a value.",
		policy.KindRecursion:        "A rule needs itself.",
		policy.KindCompile:          "The compiler refuses a file.",
		KindMetadataField:           "METADATA have a field that nothing reads.",
		KindMetadataMisplaced:       "METADATA stand where nothing reads them.",
		KindCodePrefix:              "A code has the prefix of the built-in rules.",
		KindCodeCollision:           "Two rules have the same code.",
		KindInputField:              "The input document has no such field.",
		KindInputValue:              "A field of the input document never has this value.",
		KindDataRef:                 "A reference leads to nothing.",
		KindThreshold:               "A limit is out of its bounds.",
		KindUnbounded:               "Nothing bounds how long a deferral may last.",
		KindDemandShape:             "A demand or deferral has a key that it cannot have, or lacks one.",
		KindDemandText:              "The text of a demand says nothing that the agent could do.",
		KindConfig:                  "A configuration file is wrong.",
		KindConfigRule:              "A configuration file names a rule that is not there.",
		KindConfigLoosens:           "A configuration file asks for less than a higher one.",
		KindLint:                    "Something is not used, or hides what has the same name.",
	}
}
