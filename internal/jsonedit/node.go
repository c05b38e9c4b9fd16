package jsonedit

import (
	"encoding/json"
	"strconv"
)

// Kind is the type of a value.
type Kind string

// The kinds of values.
const (
	Object Kind = "object"
	Array  Kind = "list"
	String Kind = "string"
	Number Kind = "number"
	Bool   Kind = "boolean"
	Null   Kind = "null"
)

// Node is one value of a document, by where it stands: text[Start:End].
type Node struct {
	Kind       Kind
	Start, End int
	Key        string  // its name, when it is a member of an object
	KeyStart   int     // where its name begins; Start when it has none
	Children   []*Node // members or elements
	Parent     *Node
	Text       string // of a string, decoded
}

// Member finds a member by name; of two with the same name the last, as parsers
// have it. Nil when there is none, or when the node is no object.
func (n *Node) Member(name string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i := len(n.Children) - 1; i >= 0; i-- {
		if n.Children[i].Key == name {
			return n.Children[i]
		}
	}
	return nil
}

// Elements are the elements of a list; nil for everything else.
func (n *Node) Elements() []*Node {
	if n == nil || n.Kind != Array {
		return nil
	}
	return n.Children
}

// StringValue is the text of a string, empty for everything else.
func (n *Node) StringValue() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return n.Text
}

// Path names the node for people, such as hooks.Stop[0].command.
func (n *Node) Path() string {
	if n == nil || n.Parent == nil {
		return ""
	}
	above := n.Parent.Path()
	if n.Parent.Kind == Array {
		for i, c := range n.Parent.Children {
			if c == n {
				return above + "[" + strconv.Itoa(i) + "]"
			}
		}
	}
	if above == "" {
		return n.Key
	}
	return above + "." + n.Key
}

// Member is one member of an [Obj].
type Member struct {
	Key   string
	Value any
}

// Obj is an object to insert, with its order; Arr is a list. A value is one of
// them or what encoding/json writes without brackets.
type (
	Obj []Member
	Arr []any
)

// Quote writes a string as JSON, without escaping what HTML would need.
func Quote(s string) string {
	b, err := marshal(s)
	if err != nil {
		return `""`
	}
	return b
}

func marshal(v any) (string, error) {
	var b json.RawMessage
	buf := &buffer{}
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	b = buf.data
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return string(b), nil
}

// buffer is the part of bytes.Buffer that the encoder needs.
type buffer struct{ data []byte }

func (b *buffer) Write(p []byte) (int, error) {
	b.data = append(b.data, p...)
	return len(p), nil
}
