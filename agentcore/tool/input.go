package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// inputSchema is a schema, ready to check inputs.
type inputSchema struct {
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
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
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, err
	}
	return &inputSchema{schema: &s, resolved: resolved}, nil
}

func (s *inputSchema) check(input json.RawMessage) []string {
	var v any
	if err := json.Unmarshal(input, &v); err != nil {
		return []string{fmt.Sprintf("the input is no JSON: %v", err)}
	}
	if err := s.resolved.Validate(v); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func invalidInput(e *entry, problems []string) *Result {
	return Errorf("The input of %s is not valid, nothing was done:\n- %s\nExpected input: %s", e.tool.Name, strings.Join(problems, "\n- "), e.schema.oneLine)
}
