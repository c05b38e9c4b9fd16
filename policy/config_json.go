package policy

import (
	"bytes"
	"encoding/json"
	"strings"
)

// parseJSON reads valid JSON token by token, so that lines are known.
func parseJSON(data []byte) (*configNode, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	p := &jsonReader{dec: dec, data: data, line: 1}
	return p.value(0)
}

type jsonReader struct {
	dec  *json.Decoder
	data []byte
	seen int // bytes whose newlines are counted in line
	line int
}

func (p *jsonReader) next() (json.Token, int, error) {
	tok, err := p.dec.Token()
	if err != nil {
		return nil, p.line, err
	}
	end := int(p.dec.InputOffset())
	p.line += bytes.Count(p.data[p.seen:end], []byte{'\n'})
	p.seen = end
	return tok, p.line, nil
}

func (p *jsonReader) value(depth int) (*configNode, error) {
	tok, line, err := p.next()
	if err != nil {
		return nil, err
	}
	if depth > maxConfigDepth {
		return nil, &configLineError{line, "is nested too deeply"}
	}
	n := &configNode{line: line, kind: nodeScalar}
	switch t := tok.(type) {
	case json.Delim:
		n.kind = nodeMap
		if t == '[' {
			n.kind = nodeList
		}
		return n, p.children(n, depth)
	case nil:
		n.kind = nodeNull
	case json.Number:
		n.scalar = numberOf(t)
	default:
		n.scalar = t
	}
	return n, nil
}

func (p *jsonReader) children(n *configNode, depth int) error {
	for p.dec.More() {
		key, line := "", 0
		if n.kind == nodeMap {
			tok, at, err := p.next()
			if err != nil {
				return err
			}
			key, line = tok.(string), at
		}
		kid, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		if n.kind == nodeList {
			n.kids = append(n.kids, kid)
		} else if err := n.add(key, line, kid); err != nil {
			return err
		}
	}
	_, _, err := p.next() // the closing bracket
	return err
}

// numberOf keeps whole numbers whole, so that 30 does not become 3e+01 anywhere.
func numberOf(s json.Number) any {
	if i, err := s.Int64(); err == nil {
		return i
	}
	if f, err := s.Float64(); err == nil && strings.ContainsAny(s.String(), ".eE") {
		return f
	}
	return s
}
