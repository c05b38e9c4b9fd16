package jsonedit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// ErrNoContainer is an insertion into what is neither object nor list.
var ErrNoContainer = errors.New("neither object nor list")

// splice is one piece of text that is put in the place of another.
type splice struct {
	from, to int
	text     string
}

// with gives the document with the splices, which are in order and do not overlap.
func (d *Document) with(splices ...splice) (*Document, error) {
	var b bytes.Buffer
	at := 0
	for _, s := range splices {
		b.Write(d.text[at:s.from])
		b.WriteString(s.text)
		at = s.to
	}
	b.Write(d.text[at:])
	next, err := Parse(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the edited text is no JSON any more, nothing is used of it: %w", err)
	}
	return next, nil
}

// Insert adds a last member (key is its name) or a last element (key is not used)
// to container, which is a node of this document.
func (d *Document) Insert(container *Node, key string, v any) (*Document, error) {
	if container == nil || container.Kind != Object && container.Kind != Array {
		return nil, ErrNoContainer
	}
	l := d.layoutFor(container)
	var b strings.Builder
	if container.Kind == Object {
		b.WriteString(Quote(key) + l.colon)
	}
	if err := l.render(&b, v, l.indent); err != nil {
		return nil, err
	}
	if len(container.Children) == 0 {
		return d.insertFirst(container, l, b.String())
	}
	last := container.Children[len(container.Children)-1]
	before := l.newline + l.indent
	if l.newline == "" {
		before = strings.TrimPrefix(l.comma, ",")
	}
	if comma, ok := d.commaAfter(last); ok {
		at := comma + 1
		if l.newline != "" { // behind a comment on the line, never into it
			at = d.restOfLine(at)
		}
		return d.with(splice{at, at, before + b.String() + ","})
	}
	if l.newline == "" {
		return d.with(splice{last.End, last.End, "," + before + b.String()})
	}
	at := d.restOfLine(last.End)
	return d.with(splice{last.End, last.End, ","}, splice{at, at, before + b.String()})
}

// insertFirst adds the only child of an empty container: below its comments, or
// before them when all stands in one line.
func (d *Document) insertFirst(container *Node, l layout, text string) (*Document, error) {
	from, to := container.Start+1, container.End-1
	if l.newline == "" { // a comment to the end of the line would swallow it
		return d.with(splice{from, from, text})
	}
	for i := from; i < to; {
		if d.text[i] != '/' {
			i++
			continue
		}
		i, _ = comment(d.text, i)
		from = i
	}
	after := string(d.text[from:to])
	if !strings.Contains(after, "\n") {
		own, _ := d.lineIndent(container.KeyStart)
		after = l.newline + own
	}
	return d.with(splice{from, to, l.newline + l.indent + text + after})
}

// commaAfter finds the comma behind a child, comments skipped.
func (d *Document) commaAfter(n *Node) (int, bool) {
	s := &scanner{text: d.text, at: n.End}
	if s.trivia() != nil || s.at >= len(d.text) || d.text[s.at] != ',' {
		return 0, false
	}
	return s.at, true
}

// restOfLine is the end of the comments that follow a place on its line: they
// belong to what stands there.
func (d *Document) restOfLine(at int) int {
	end := at
	for i := at; i < len(d.text); {
		switch {
		case d.text[i] == ' ' || d.text[i] == '\t':
			i++
		case d.text[i] == '/':
			next, ok := comment(d.text, i)
			if !ok || bytes.IndexByte(d.text[i:next], '\n') >= 0 {
				return end
			}
			i, end = next, next
		default:
			return end
		}
	}
	return end
}

// Replace puts a value in the place of a node.
func (d *Document) Replace(n *Node, v any) (*Document, error) {
	indent, _ := d.lineIndent(n.KeyStart)
	l := layout{unit: d.unit(), colon: d.colon(), comma: ", "}
	if n.Parent != nil {
		l = d.layoutFor(n.Parent)
	}
	var b strings.Builder
	if err := l.render(&b, v, indent); err != nil {
		return nil, err
	}
	return d.with(splice{n.Start, n.End, b.String()})
}

// Remove takes a member or element out, with the comma and the white space that
// [Document.Insert] would have added. Comments stay. The root cannot be removed.
func (d *Document) Remove(n *Node) (*Document, error) {
	if n.Parent == nil {
		return nil, errors.New("the outermost value cannot be removed")
	}
	end := n.End
	cut := make([]splice, 0, 3)
	comma, followed := d.commaAfter(n)
	if previous := n.previous(); !followed && previous != nil {
		if before, ok := d.commaAfter(previous); ok {
			cut = append(cut, splice{from: before, to: before + 1})
		}
	}
	start := n.KeyStart
	for start > n.Parent.Start+1 && blank(d.text[start-1]) {
		start--
	}
	if len(cut) > 0 && start < cut[0].to {
		start = cut[0].to
	}
	rest := end
	if followed && len(bytes.TrimSpace(d.text[end:comma])) == 0 {
		rest = comma + 1
		for start == n.KeyStart && n.previous() == nil && (d.text[rest] == ' ' || d.text[rest] == '\t') {
			rest++ // the next one is the first now
		}
	}
	if !d.endsLine(rest) && d.inLineComment(start, n.Parent.Start+1) {
		start = n.KeyStart // the line break ends a comment, which must not swallow what follows
	}
	cut = append(cut, splice{from: start, to: rest})
	if followed && rest == end {
		cut = append(cut, splice{from: comma, to: comma + 1})
	}
	return d.with(cut...)
}

// previous is the child before this one.
func (n *Node) previous() *Node {
	for i, c := range n.Parent.Children {
		if c == n && i > 0 {
			return n.Parent.Children[i-1]
		}
	}
	return nil
}

// endsLine tells whether nothing stands between a place and the end of its line.
func (d *Document) endsLine(at int) bool {
	for ; at < len(d.text); at++ {
		if c := d.text[at]; c == '\n' || c == '\r' {
			return true
		} else if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// inLineComment tells whether the text before a place ends with a comment to the
// end of the line. from is a place outside of strings and comments before it.
func (d *Document) inLineComment(at, from int) bool {
	for i := from; i < at; {
		switch d.text[i] {
		case '"':
			s := &scanner{text: d.text, at: i}
			if _, err := s.str(); err != nil {
				return true // never so in a parsed text
			}
			i = s.at
		case '/':
			end, _ := comment(d.text, i)
			if end >= at && d.text[i+1] == '/' {
				return true
			}
			i = max(end, i+1)
		default:
			i++
		}
	}
	return false
}

// SetInterior puts a text between the brackets of a container that has no children.
func (d *Document) SetInterior(container *Node, text []byte) (*Document, error) {
	if len(container.Children) > 0 {
		return nil, errors.New("only the inside of an empty container can be set")
	}
	return d.with(splice{container.Start + 1, container.End - 1, string(text)})
}
