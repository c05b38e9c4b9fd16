package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxProblems is how many faults of one input are named.
const maxProblems = 5

// inputSchema is a schema, ready to check inputs.
//
// Two checks work together. Ours knows the keywords that tools use and speaks so
// that a model can act on it; the library knows all of them and is asked when the
// schema has others.
type inputSchema struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
	plain    bool // ours knows every keyword of it
	patterns map[*jsonschema.Schema]*regexp.Regexp
	oneLine  string
}

func newInputSchema(raw json.RawMessage) (*inputSchema, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, errors.New(`the type must be "object"`)
	}
	s.PropertyOrder = writtenOrder(raw)
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, err
	}
	out := &inputSchema{schema: &s, resolved: resolved, plain: true, patterns: map[*jsonschema.Schema]*regexp.Regexp{}, oneLine: schemaLine(&s)}
	return out, out.prepare(&s)
}

// writtenOrder gives the names of the top properties as the schema has them: whoever
// wrote it put the important ones first.
func writtenOrder(raw json.RawMessage) []string {
	var top struct{ Properties json.RawMessage }
	if json.Unmarshal(raw, &top) != nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(top.Properties))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var names []string
	for dec.More() {
		name, err := dec.Token()
		text, ok := name.(string)
		var skip json.RawMessage
		if err != nil || !ok || dec.Decode(&skip) != nil {
			return nil
		}
		if !slices.Contains(names, text) {
			names = append(names, text)
		}
	}
	return names
}

// prepare compiles patterns and finds out whether the schema is plain.
func (s *inputSchema) prepare(schema *jsonschema.Schema) error {
	if schema == nil || isFalse(schema) {
		return nil
	}
	if beyondUs(schema) {
		s.plain = false
	}
	if schema.Pattern != "" {
		re, err := regexp.Compile(schema.Pattern)
		if err != nil {
			return err
		}
		s.patterns[schema] = re
	}
	for _, p := range schema.Properties {
		if p != nil && isFalse(p) {
			s.plain = false
		}
		if err := s.prepare(p); err != nil {
			return err
		}
	}
	if schema.Items != nil && isFalse(schema.Items) {
		s.plain = false
	}
	return errors.Join(s.prepare(schema.Items), s.prepare(schema.AdditionalProperties))
}

// isFalse tells whether nothing is valid by a schema: what false is read as.
func isFalse(s *jsonschema.Schema) bool {
	return s.Not != nil && reflect.ValueOf(s.Not).Elem().IsZero()
}

// beyondUs tells whether a schema has a keyword that only the library checks. A
// test holds the list against the library's own.
func beyondUs(s *jsonschema.Schema) bool {
	return s.Ref != "" || s.DynamicRef != "" || s.DependencySchemas != nil || s.DependencyStrings != nil ||
		s.MultipleOf != nil || s.PrefixItems != nil || s.ItemsArray != nil || s.AdditionalItems != nil ||
		s.UniqueItems || s.Contains != nil || s.MinContains != nil || s.MaxContains != nil || s.UnevaluatedItems != nil ||
		s.MinProperties != nil || s.MaxProperties != nil || s.DependentRequired != nil || s.PatternProperties != nil ||
		s.PropertyNames != nil || s.UnevaluatedProperties != nil || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil ||
		s.Not != nil || s.If != nil || s.Then != nil || s.Else != nil || s.DependentSchemas != nil
}

// check holds an input against the schema. It gives the input that the tool gets,
// or what is wrong with it.
//
// Numbers and booleans in quotes are refused, not converted: the message says how
// to write them. Two things that mean nothing are let through: no input at all
// stands for {}, and null for an optional property counts as not given.
func (s *inputSchema) check(input json.RawMessage) (json.RawMessage, []string) {
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	var v any
	if err := json.Unmarshal(input, &v); err != nil {
		return nil, []string{notJSON(input, err)}
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, []string{"the input must be a JSON object, got " + describe(v)}
	}
	c := checker{schema: s}
	c.value(s.schema, object, "")
	if len(c.problems) == 0 && !s.plain {
		if err := s.resolved.Validate(v); err != nil {
			c.add("%s", strings.TrimPrefix(err.Error(), "validating root: "))
		}
	}
	if len(c.problems) > 0 {
		if n := len(c.problems) - maxProblems; n > 0 {
			c.problems = append(c.problems[:maxProblems], fmt.Sprintf("and %d more", n))
		}
		return nil, c.problems
	}
	if c.dropped {
		data, err := json.Marshal(object)
		if err != nil {
			return nil, []string{fmt.Sprintf("the input cannot be written again: %v", err)}
		}
		return data, nil
	}
	return input, nil
}

// notJSON says where an input stops being JSON.
func notJSON(input json.RawMessage, err error) string {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Sprintf("the input is no valid JSON: %v", err)
	}
	at := int(min(max(syntax.Offset-1, 0), int64(len(input))))
	if at >= len(input)-1 && strings.Contains(syntax.Error(), "unexpected end") {
		return fmt.Sprintf("the input is no valid JSON: it ends too early, after %d bytes; was it cut off?", len(input))
	}
	return fmt.Sprintf("the input is no valid JSON: %v at byte %d, near %q", syntax, at, clip(string(bytes.ToValidUTF8(input[max(0, at-10):], []byte("?"))), 30))
}

// invalidInput is what the model is told.
func invalidInput(e *entry, problems []string) *Result {
	return Errorf("%s", Safe(fmt.Sprintf("The input of %s is not valid, and nothing was done:\n- %s\nExpected: %s",
		e.tool.Name, strings.Join(problems, "\n- "), e.schema.oneLine)))
}

// misfit is an input that fits the schema and not the Go type behind it: 1e3 and
// 10.0 are integers for JSON Schema.
func misfit(name string, err error) *Result {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) && te.Field != "" {
		return Errorf("The input of %s is not valid, and nothing was done:\n- %q must be a plain integer in range, such as 10, got %s", name, te.Field, Safe(strings.TrimPrefix(te.Value, "number ")))
	}
	return Errorf("The input of %s cannot be read, and nothing was done: %s", name, Safe(err.Error()))
}
