package tool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxLineDepth is how deep the short form of a schema goes.
const maxLineDepth = 4

// schemaLine is the short form of a schema on one line, as in
// {"path": string, "limit"?: integer ≥ 1}.
func schemaLine(s *jsonschema.Schema) string { return shortForm(s, 0) }

func shortForm(s *jsonschema.Schema, depth int) string {
	if s == nil {
		return "any value"
	}
	if len(s.Enum) > 0 {
		return strings.Join(values(s.Enum), " | ")
	}
	if s.Const != nil {
		return values([]any{*s.Const})[0]
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	var forms []string
	for _, t := range types {
		switch {
		case t == "object" && len(s.Properties) > 0 && depth < maxLineDepth:
			forms = append(forms, objectForm(s, depth))
		case t == "array" && s.Items != nil && depth < maxLineDepth:
			forms = append(forms, "["+shortForm(s.Items, depth+1)+", ...]"+counts(s.MinItems, s.MaxItems, " items"))
		default:
			forms = append(forms, t+bounds(s, t))
		}
	}
	if len(forms) == 0 {
		return "any value"
	}
	return strings.Join(forms, " | ")
}

func objectForm(s *jsonschema.Schema, depth int) string {
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	var fields []string
	for _, name := range propertyNames(s) {
		mark := "?"
		if required[name] {
			mark = ""
		}
		fields = append(fields, strconv.Quote(name)+mark+": "+shortForm(s.Properties[name], depth+1))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// expected says in words what a schema wants.
func expected(s *jsonschema.Schema) string {
	if s == nil {
		return "any value"
	}
	if len(s.Enum) > 0 {
		return "one of " + strings.Join(values(s.Enum), ", ")
	}
	if s.Const != nil {
		return values([]any{*s.Const})[0]
	}
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	var words []string
	for _, t := range types {
		words = append(words, typeWords(s, t))
	}
	if len(words) == 0 {
		return "a valid value"
	}
	return strings.Join(words, " or ")
}

func typeWords(s *jsonschema.Schema, t string) string {
	switch t {
	case "integer":
		return "an integer" + bounds(s, t)
	case "boolean":
		return "true or false"
	case "array":
		if s.Items != nil {
			return "an array of " + shortForm(s.Items, 1) + counts(s.MinItems, s.MaxItems, " items")
		}
		return "an array" + counts(s.MinItems, s.MaxItems, " items")
	case "object":
		return "an object " + shortForm(s, 1)
	case "null":
		return "null"
	}
	return "a " + t + bounds(s, t)
}

// bounds says the limits of a number or of a string's length.
func bounds(s *jsonschema.Schema, t string) string {
	switch t {
	case "integer", "number":
		var parts []string
		for _, b := range []struct {
			sign  string
			bound *float64
		}{{"≥", s.Minimum}, {">", s.ExclusiveMinimum}, {"≤", s.Maximum}, {"<", s.ExclusiveMaximum}} {
			if b.bound != nil {
				parts = append(parts, b.sign+" "+strconv.FormatFloat(*b.bound, 'f', -1, 64))
			}
		}
		if len(parts) == 0 {
			return ""
		}
		return " " + strings.Join(parts, " and ")
	case "string":
		if s.MinLength != nil && *s.MinLength == 1 && s.MaxLength == nil {
			return " (not empty)"
		}
		return counts(s.MinLength, s.MaxLength, " characters")
	}
	return ""
}

// counts says how many of something there may be.
func counts(least, most *int, what string) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf(" (%d to %d%s)", *least, *most, what)
	case least != nil:
		return fmt.Sprintf(" (at least %d%s)", *least, what)
	case most != nil:
		return fmt.Sprintf(" (at most %d%s)", *most, what)
	}
	return ""
}

func values(vs []any) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		data, err := json.Marshal(v)
		if err != nil {
			data = []byte(fmt.Sprint(v))
		}
		out[i] = string(data)
	}
	return out
}
