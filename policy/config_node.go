package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"
)

// nodeKind is the shape of a configNode.
type nodeKind int

const (
	nodeNull nodeKind = iota
	nodeScalar
	nodeList
	nodeMap
)

func (k nodeKind) String() string {
	switch k {
	case nodeNull:
		return "empty"
	case nodeScalar:
		return "a value"
	case nodeList:
		return "a list"
	default:
		return "a group of keys"
	}
}

// configNode is a YAML or JSON value that remembers its line. A list keeps its items
// in kids, a map its values, in file order, beside keys.
type configNode struct {
	line   int
	kind   nodeKind
	scalar any // string, bool, int64, float64 or json.Number
	keys   []string
	kids   []*configNode
	seen   map[string]struct{} // of keys, once there are many
}

// configLineError is a syntax error that knows its line.
type configLineError struct {
	line int
	msg  string
}

func (e *configLineError) Error() string { return e.msg }

// maxConfigDepth bounds the nesting of a config file; what we define needs 4.
const maxConfigDepth = 100

// parseDocument reads a config file's bytes. A file that is valid JSON is read
// as JSON (a YAML parser rejects some of it, such as tabs), all else as YAML.
func parseDocument(data []byte) (*configNode, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return parseYAML(data)
	}
	if json.Valid(data) {
		return parseJSON(data)
	}
	root, err := parseYAML(data)
	if err == nil {
		return root, nil
	}
	// It looks like JSON and is neither: the JSON parser knows the place.
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(data, new(any)), &syntax) {
		before := data[:min(int(syntax.Offset), len(data))]
		return nil, &configLineError{1 + bytes.Count(before, []byte{'\n'}), "is broken: " + syntax.Error()}
	}
	return nil, err
}

func parseYAML(data []byte) (*configNode, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF): // nothing but comments
		return &configNode{kind: nodeNull, line: 1}, nil
	case err != nil:
		return nil, err
	}
	if err := dec.Decode(&second); err == nil {
		return nil, &configLineError{second.Line, "holds a second YAML document, and only the first would be read"}
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		return fromYAML(doc.Content[0], 0)
	}
	return fromYAML(&doc, 0)
}

// fromYAML converts a parsed node. Aliases and merge keys are refused: a config
// file does not need them, and they let a small file grow without bound.
func fromYAML(y *yaml.Node, depth int) (*configNode, error) {
	if depth > maxConfigDepth {
		return nil, &configLineError{y.Line, "is nested too deeply"}
	}
	n := &configNode{line: y.Line}
	switch y.Kind {
	case yaml.ScalarNode:
		return n, n.setScalar(y)
	case yaml.SequenceNode:
		n.kind = nodeList
		for _, item := range y.Content {
			kid, err := fromYAML(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
		}
		return n, nil
	case yaml.MappingNode:
		n.kind = nodeMap
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := y.Content[i]
			if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
				return nil, &configLineError{key.Line, "has a key that is no plain word (merge keys and aliases are not supported)"}
			}
			kid, err := fromYAML(y.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			if err := n.add(key.Value, key.Line, kid); err != nil {
				return nil, err
			}
		}
		return n, nil
	default:
		return nil, &configLineError{y.Line, "uses an alias, which is not supported: write the value out"}
	}
}

// add appends a key; a second one of the same name is an error, because which of
// them counts would be a guess.
func (n *configNode) add(key string, line int, kid *configNode) error {
	const few = 16
	if len(n.keys) == few {
		n.seen = make(map[string]struct{}, 2*few)
		for _, k := range n.keys {
			n.seen[k] = struct{}{}
		}
	}
	known := false
	if n.seen == nil {
		known = slices.Contains(n.keys, key)
	} else {
		_, known = n.seen[key]
		n.seen[key] = struct{}{}
	}
	if known {
		return &configLineError{line, "has the key " + showValue(key) + " twice"}
	}
	// The key's line is the one that a person looks for, also when the value
	// starts below it.
	kid.line = line
	n.keys, n.kids = append(n.keys, key), append(n.kids, kid)
	return nil
}

func (n *configNode) setScalar(y *yaml.Node) error {
	n.kind = nodeScalar
	switch tag := y.ShortTag(); tag {
	case "!!null":
		n.kind = nodeNull
	case "!!str", "!!timestamp", "!!binary":
		n.scalar = y.Value
	case "!!bool", "!!int", "!!float":
		var v any
		if err := y.Decode(&v); err != nil {
			return &configLineError{y.Line, err.Error()}
		}
		switch v := v.(type) {
		case int:
			n.scalar = int64(v)
		case uint64:
			n.scalar = json.Number(fmt.Sprint(v))
		case float64:
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &configLineError{y.Line, "has a number that JSON cannot hold: " + showValue(y.Value)}
			}
			n.scalar = v
		default:
			n.scalar = v
		}
	default:
		return &configLineError{y.Line, "has a value of the unknown type " + showValue(tag)}
	}
	return nil
}

// nodeOf turns a Go value into a node without lines, through JSON.
func nodeOf(v any) (*configNode, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	n, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	n.dropLines()
	return n, nil
}

func (n *configNode) dropLines() {
	n.line = 0
	for _, kid := range n.kids {
		kid.dropLines()
	}
}

// plain is the value as map[string]any, []any and scalars.
func (n *configNode) plain() any {
	switch n.kind {
	case nodeScalar:
		return n.scalar
	case nodeList:
		out := make([]any, len(n.kids))
		for i, kid := range n.kids {
			out[i] = kid.plain()
		}
		return out
	case nodeMap:
		out := make(map[string]any, len(n.kids))
		for i, kid := range n.kids {
			out[n.keys[i]] = kid.plain()
		}
		return out
	default:
		return nil
	}
}
