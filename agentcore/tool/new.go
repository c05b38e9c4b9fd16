package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Option sets a field of a tool that [New] or [FromSchema] makes.
type Option func(*building)

// building is a tool on the way, with its schema still in pieces.
type building struct {
	tool   Tool
	schema *jsonschema.Schema
}

// ReadOnly says that the tool changes nothing, and that calls of it may run
// beside each other.
func ReadOnly() Option {
	return func(b *building) { b.tool.ReadOnly, b.tool.Parallel = true, true }
}

// Edits says that the tool changes files and nothing else.
func Edits() Option { return func(b *building) { b.tool.Edits = true } }

// Parallel says that calls may run beside each other.
func Parallel() Option { return func(b *building) { b.tool.Parallel = true } }

// MaxOutput bounds the text of a result in bytes, see [Tool.MaxOutput].
func MaxOutput(bytes int) Option { return func(b *building) { b.tool.MaxOutput = bytes } }

// Subject says which property of the input permission rules match, and what it
// is. A call without that property has the subject otherwise.
func Subject(kind SubjectKind, property, otherwise string) Option {
	return func(b *building) {
		b.tool.SubjectKind = kind
		b.tool.Subject = func(input json.RawMessage) string {
			var fields map[string]json.RawMessage
			var text string
			if json.Unmarshal(input, &fields) != nil || json.Unmarshal(fields[property], &text) != nil || text == "" {
				return otherwise
			}
			return text
		}
	}
}

// Constrain changes the schema that was derived: bounds, enumerations, defaults,
// which tags cannot say. It is called once, while the tool is made.
func Constrain(change func(*jsonschema.Schema)) Option {
	return func(b *building) { change(b.schema) }
}

// New makes a tool whose input schema is that of In, a struct: json tags name
// the properties, those with omitempty or omitzero are optional, jsonschema tags
// describe them, and others are refused. Error: In is no struct or has a type
// that JSON Schema does not know, or the name is bad.
//
// run gets the input decoded. What it returns is as for [Tool.Run].
func New[In any](name, description string, run func(ctx context.Context, call *Call, in In) (*Result, error), opts ...Option) (Tool, error) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	plainArrays(schema)
	return build(name, description, schema, func(ctx context.Context, call *Call) (*Result, error) {
		var in In
		if err := json.Unmarshal(call.Input, &in); err != nil {
			return misfit(name, err), nil
		}
		return run(ctx, call, in)
	}, opts)
}

// MustNew is New for tools that are fixed when the program is written. It panics
// where New fails.
func MustNew[In any](name, description string, run func(ctx context.Context, call *Call, in In) (*Result, error), opts ...Option) Tool {
	t, err := New(name, description, run, opts...)
	if err != nil {
		panic(err)
	}
	return t
}

// FromSchema makes a tool whose schema is given, such as one of a server
// elsewhere. Error: the schema is not valid or not of type object, or the name
// is bad.
func FromSchema(name, description string, schema json.RawMessage, run func(ctx context.Context, call *Call) (*Result, error), opts ...Option) (Tool, error) {
	var parsed jsonschema.Schema
	if err := json.Unmarshal(schema, &parsed); err != nil {
		return Tool{}, fmt.Errorf("tool %s: schema: %w", name, err)
	}
	given := slices.Clone(schema)
	t, err := build(name, description, &parsed, run, opts)
	if err == nil && len(opts) == 0 {
		t.Schema = given // byte for byte: rewriting would only lose the order
	}
	return t, err
}

func build(name, description string, schema *jsonschema.Schema, run func(context.Context, *Call) (*Result, error), opts []Option) (Tool, error) {
	b := building{tool: Tool{Name: name, Description: strings.TrimSpace(description), Run: run}, schema: schema}
	for _, opt := range opts {
		opt(&b)
	}
	data, err := json.Marshal(b.schema)
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: schema: %w", name, err)
	}
	b.tool.Schema = data
	if _, err := compile(b.tool); err != nil {
		return Tool{}, err
	}
	return b.tool, nil
}

// plainArrays takes back that a slice may be null: a model that has nothing to
// list leaves the property out.
func plainArrays(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Types, s.Type = nil, "array"
	}
	for _, p := range s.Properties {
		plainArrays(p)
	}
	plainArrays(s.Items)
	plainArrays(s.AdditionalProperties)
}
