package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of a value. An alias of YAML can contain itself, or the same many times.
const (
	maxDepth = 100
	maxValue = 1 << 20
)

// appendJSON writes a tree as JSON, with keys in the order in which they were
// written.
func appendJSON(dst []byte, node *yaml.Node, depth int) ([]byte, error) {
	if depth > maxDepth || len(dst) > maxValue {
		return nil, fmt.Errorf("line %d: nested too deeply, or too large", node.Line)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return appendJSON(dst, node.Alias, depth+1)
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range node.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = appendJSON(dst, item, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i+1 < len(node.Content); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendText(dst, node.Content[i].Value)
			dst = append(dst, ':')
			var err error
			if dst, err = appendJSON(dst, node.Content[i+1], depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
	return appendScalar(dst, node)
}

// appendScalar keeps a number's digits. What is none of JSON's types is a string.
func appendScalar(dst []byte, node *yaml.Node) ([]byte, error) {
	switch node.ShortTag() {
	case "!!null":
		return append(dst, "null"...), nil
	case "!!bool":
		var b bool
		if err := node.Decode(&b); err != nil {
			return nil, err
		}
		return fmt.Appendf(dst, "%t", b), nil
	case "!!int", "!!float":
		if json.Valid([]byte(node.Value)) {
			return append(dst, node.Value...), nil
		}
		var v any // as in 0x10, 1_000, .5
		if err := node.Decode(&v); err != nil {
			return nil, err
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s is no number of JSON: %w", node.Line, node.Value, err)
		}
		return append(dst, raw...), nil
	}
	return appendText(dst, node.Value), nil
}

// appendText does not escape HTML: inputs hold shell commands, which people read.
func appendText(dst []byte, text string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be written
	return append(dst, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// jsonReader makes a tree of JSON, with lines.
type jsonReader struct {
	dec  *json.Decoder
	data []byte
}

func readJSON(data []byte) (*yaml.Node, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	r := &jsonReader{dec, data}
	node, err := r.value()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	return node, err
}

func (r *jsonReader) value() (*yaml.Node, error) {
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	// The decoder stands behind the token, which never spans lines.
	node := &yaml.Node{Kind: yaml.ScalarNode, Line: 1 + bytes.Count(r.data[:r.dec.InputOffset()], []byte("\n"))}
	switch token := token.(type) {
	case json.Delim:
		node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
		if token == '{' {
			node.Kind, node.Tag = yaml.MappingNode, "!!map"
		}
		for r.dec.More() {
			item, err := r.value()
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, item)
		}
		_, err = r.dec.Token()
		return node, err
	case string:
		node.Tag, node.Value = "!!str", token
	case json.Number:
		node.Tag, node.Value = "!!int", token.String()
		if strings.ContainsAny(node.Value, ".eE") {
			node.Tag = "!!float"
		}
	case bool:
		node.Tag, node.Value = "!!bool", fmt.Sprint(token)
	default:
		node.Tag, node.Value = "!!null", "null"
	}
	return node, nil
}
