package jsonedit

import (
	"bytes"
	"fmt"
	"strings"
)

// layout is how a piece of JSON is written: on lines of its own, or in one.
type layout struct {
	newline string // empty: everything in one line
	unit    string // one step of indentation
	indent  string // of the container's children
	colon   string // what stands behind a name
	comma   string // what separates in one line
}

// render writes a value. indent is that of the line on which it begins.
func (l layout) render(b *strings.Builder, v any, indent string) error {
	switch v := v.(type) {
	case Obj:
		return l.list(b, "{", "}", len(v), indent, func(i int, indent string) error {
			b.WriteString(Quote(v[i].Key) + l.colon)
			return l.render(b, v[i].Value, indent)
		})
	case Arr:
		return l.list(b, "[", "]", len(v), indent, func(i int, indent string) error { return l.render(b, v[i], indent) })
	}
	text, err := marshal(v)
	b.WriteString(text)
	return err
}

func (l layout) list(b *strings.Builder, open, closing string, n int, indent string, item func(int, string) error) error {
	b.WriteString(open)
	for i := range n {
		switch {
		case l.newline != "":
			b.WriteString(l.newline + indent + l.unit)
		case i > 0:
			b.WriteString(strings.TrimPrefix(l.comma, ","))
		}
		if err := item(i, indent+l.unit); err != nil {
			return err
		}
		if i < n-1 {
			b.WriteByte(',')
		}
	}
	if n > 0 && l.newline != "" {
		b.WriteString(l.newline + indent)
	}
	b.WriteString(closing)
	return nil
}

// lineIndent is the white space at the beginning of the line of a byte, and whether
// nothing else stands before it.
func (d *Document) lineIndent(at int) (indent string, first bool) {
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	if start == 0 && bytes.HasPrefix(d.text, []byte(bom)) {
		start = len(bom)
	}
	end := start
	for end < at && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[start:end]), end == at
}

// layoutFor is how a new child of container is written.
func (d *Document) layoutFor(container *Node) layout {
	l := layout{unit: d.unit(), colon: d.colon()}
	l.comma = ", "
	if l.colon == ":" {
		l.comma = ","
	}
	own, first := d.lineIndent(container.KeyStart)
	l.indent = own + l.unit
	if n := len(container.Children); n > 0 {
		last := container.Children[n-1]
		var childFirst bool
		l.indent, childFirst = d.lineIndent(last.KeyStart)
		if n > 1 && !childFirst {
			between := bytes.TrimLeft(d.text[container.Children[n-2].End:last.KeyStart], "\t ")
			if string(between) == "," {
				l.comma = ","
			} else if string(between) == ", " {
				l.comma = ", "
			}
		}
		first = childFirst
	}
	if first || container.Parent == nil && len(container.Children) == 0 {
		l.newline = d.newline()
	}
	return l
}

// newline is the line end of the document: that of its first line.
func (d *Document) newline() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit is one step of indentation: that of the first value that is indented more
// than what holds it, or two spaces.
func (d *Document) unit() string {
	var walk func(n *Node) string
	walk = func(n *Node) string {
		outer, outerFirst := d.lineIndent(n.KeyStart)
		if n.Parent == nil {
			outer, outerFirst = "", true
		}
		for _, c := range n.Children {
			inner, first := d.lineIndent(c.KeyStart)
			if outerFirst && first && len(inner) > len(outer) && strings.HasPrefix(inner, outer) {
				return inner[len(outer):]
			}
			if u := walk(c); u != "" {
				return u
			}
		}
		return ""
	}
	if u := walk(d.Root); u != "" {
		return u
	}
	return "  "
}

// colon is what stands behind a name in this document.
func (d *Document) colon() string {
	var walk func(n *Node) string
	walk = func(n *Node) string {
		for _, c := range n.Children {
			if n.Kind == Object {
				if c.Start > 0 && d.text[c.Start-1] == ':' {
					return ":"
				}
				return ": "
			}
			if s := walk(c); s != "" {
				return s
			}
		}
		return ""
	}
	if s := walk(d.Root); s != "" {
		return s
	}
	return ": "
}

// Render writes a value as a file of its own: two spaces, LF, a line end.
func Render(v any) ([]byte, error) {
	var b strings.Builder
	l := layout{newline: "\n", unit: "  ", colon: ": ", comma: ", "}
	if err := l.render(&b, v, ""); err != nil {
		return nil, fmt.Errorf("render JSON: %w", err)
	}
	b.WriteByte('\n')
	return []byte(b.String()), nil
}
