package check

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/policy/schema"
)

// A node is what the input schema says about one place of the document. A nil node
// is a place about which nothing is known.
type node struct {
	path   string // as an author would write it: input.tasks[_].state
	fields map[string]*node
	every  *node    // of other keys, or of the elements of a list
	open   bool     // an object with keys that the schema does not list
	list   bool     // an array
	leaf   bool     // a text, number or truth value
	values []string // of an enum of texts
	max    *float64
}

type rawSchema struct {
	Type       any                  `json:"type"`
	Properties map[string]rawSchema `json:"properties"`
	Items      *rawSchema           `json:"items"`
	Additional json.RawMessage      `json:"additionalProperties"`
	AnyOf      []rawSchema          `json:"anyOf"`
	Enum       []any                `json:"enum"`
	Max        *float64             `json:"maximum"`
}

// inputSchema reads the schema of the input document.
func inputSchema() (*node, error) {
	text, err := schema.Get("input")
	if err != nil {
		return nil, err
	}
	var raw rawSchema
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	return raw.node("input"), nil
}

func (r *rawSchema) node(path string) *node {
	n := &node{path: path, max: r.Max}
	for _, v := range r.Enum {
		if s, ok := v.(string); ok {
			n.values = append(n.values, s)
		}
	}
	for i := range r.AnyOf { // what is a text or null is compared as a text
		n.values = append(n.values, r.AnyOf[i].node(path).values...)
	}
	switch r.Type {
	case "object":
		r.object(n)
	case "array":
		n.list = true
		if r.Items != nil {
			n.every = r.Items.node(path + "[_]")
		}
	case "string", "number", "integer", "boolean":
		n.leaf = true
	default:
		n.open = true
	}
	return n
}

func (r *rawSchema) object(n *node) {
	var more rawSchema
	switch {
	case len(r.Additional) > 0 && r.Additional[0] == '{' && json.Unmarshal(r.Additional, &more) == nil:
		n.every = more.node(n.path + "[_]")
	case len(r.Properties) == 0:
		n.open = true // the host's or the author's own
	}
	n.fields = make(map[string]*node, len(r.Properties))
	for name, p := range r.Properties {
		n.fields[name] = p.node(n.path + "." + name)
	}
}

// step goes to what lies at a key. It reports false when there can be nothing.
func (n *node) step(key *ast.Term) (*node, bool) {
	if n == nil || n.open {
		return nil, true
	}
	name, isText := key.Value.(ast.String)
	switch {
	case n.leaf:
		return nil, false
	case n.list:
		return n.every, !isText
	case !isText:
		return n.every, true
	}
	if f := n.fields[string(name)]; f != nil {
		return f, true
	}
	return n.every, n.every != nil
}

func (n *node) names() []string { return slices.Sorted(maps.Keys(n.fields)) }
