package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// maxDepth bounds nesting, so that a hostile file cannot exhaust the stack.
const maxDepth = 1000

// bom is the byte order mark that some Windows editors write.
const bom = "\xef\xbb\xbf"

// SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int // in bytes, from 0
	Line   int // from 1
	Column int // in bytes, from 1
	What   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
}

// Document is a parsed text. It is never changed.
type Document struct {
	text []byte
	Root *Node
}

// Bytes is the text of the document; the caller must not write to it.
func (d *Document) Bytes() []byte { return d.text }

// Line is the line of a byte, from 1.
func (d *Document) Line(offset int) int {
	return 1 + bytes.Count(d.text[:min(max(offset, 0), len(d.text))], []byte{'\n'})
}

// Interior is what stands between the brackets of an object or list.
func (d *Document) Interior(n *Node) []byte { return d.text[n.Start+1 : n.End-1] }

// Get finds a value by the names of members from the root; nil when it is not there.
func (d *Document) Get(path ...string) *Node {
	n := d.Root
	for _, name := range path {
		n = n.Member(name)
	}
	return n
}

// Parse reads a text: one JSON value, with comments and trailing commas where
// editors allow them. The error is a *[SyntaxError].
func Parse(text []byte) (*Document, error) {
	s := &scanner{text: text}
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, s.fault(0, "the file is UTF-16; save it as UTF-8")
	}
	if bytes.HasPrefix(text, []byte(bom)) {
		s.at = len(bom)
	}
	if err := s.trivia(); err != nil {
		return nil, err
	}
	root, err := s.value(nil, 0)
	if err != nil {
		return nil, err
	}
	if err := s.trivia(); err != nil {
		return nil, err
	}
	if s.at < len(text) {
		return nil, s.fault(s.at, "something follows the end of the value")
	}
	return &Document{text: text, Root: root}, nil
}

type scanner struct {
	text []byte
	at   int
}

func (s *scanner) fault(at int, what string) *SyntaxError {
	at = min(at, len(s.text))
	before := s.text[:at]
	return &SyntaxError{Offset: at, Line: 1 + bytes.Count(before, []byte{'\n'}), Column: at - bytes.LastIndexByte(before, '\n'), What: what}
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// trivia skips space and comments.
func (s *scanner) trivia() error {
	for s.at < len(s.text) {
		switch {
		case blank(s.text[s.at]):
			s.at++
		case s.text[s.at] == '/':
			end, ok := comment(s.text, s.at)
			if !ok {
				return s.fault(s.at, "a comment that does not end, or a stray slash")
			}
			s.at = end
		default:
			return nil
		}
	}
	return nil
}

// comment gives the end of the comment that begins at i: before the line break, or
// behind the closing mark.
func comment(text []byte, i int) (end int, ok bool) {
	rest := text[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			if rest[n-1] == '\r' {
				n--
			}
			return i + n, true
		}
		return len(text), true
	case bytes.HasPrefix(rest, []byte("/*")):
		if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
			return i + 2 + n + 2, true
		}
	}
	return i, false
}

func (s *scanner) value(parent *Node, depth int) (*Node, error) {
	n := &Node{Start: s.at, KeyStart: s.at, Parent: parent}
	if s.at >= len(s.text) {
		return nil, s.fault(s.at, "the file ends where a value should stand")
	}
	if depth > maxDepth {
		return nil, s.fault(s.at, "nested too deeply")
	}
	var err error
	switch c := s.text[s.at]; {
	case c == '{':
		n.Kind = Object
		err = s.children(n, '}', depth)
	case c == '[':
		n.Kind = Array
		err = s.children(n, ']', depth)
	case c == '"':
		n.Kind = String
		n.Text, err = s.str()
	default:
		err = s.word(n)
	}
	n.End = s.at
	return n, err
}

// word reads a number, true, false or null.
func (s *scanner) word(n *Node) error {
	end := s.at
	for end < len(s.text) && (s.text[end] == '-' || s.text[end] == '+' || s.text[end] == '.' || s.text[end] >= '0' && s.text[end] <= '9' ||
		s.text[end] >= 'a' && s.text[end] <= 'z' || s.text[end] >= 'A' && s.text[end] <= 'Z') {
		end++
	}
	word := s.text[s.at:end]
	switch {
	case string(word) == "true" || string(word) == "false":
		n.Kind = Bool
	case string(word) == "null":
		n.Kind = Null
	case len(word) > 0 && json.Valid(word):
		n.Kind = Number
	default:
		return s.fault(s.at, "no value: "+s.around(s.at))
	}
	s.at = end
	return nil
}

// around shows what stands at a place, for messages.
func (s *scanner) around(at int) string {
	rest := s.text[at:min(len(s.text), at+20)]
	if n := bytes.IndexAny(rest, "\r\n"); n >= 0 {
		rest = rest[:n]
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(string(rest), "?"))
}

func (s *scanner) str() (string, error) {
	start := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\':
			s.at++
		case c < ' ':
			return "", s.fault(s.at, "a string that does not end on its line")
		case c == '"':
			s.at++
			var v string
			if err := json.Unmarshal(s.text[start:s.at], &v); err != nil {
				return "", s.fault(start, "no string: "+s.around(start)+"; a backslash is written as two")
			}
			return v, nil
		}
	}
	s.at = len(s.text)
	return "", s.fault(start, "a string that does not end")
}

// children reads members or elements up to the closing bracket.
func (s *scanner) children(n *Node, closing byte, depth int) error {
	open := s.at
	s.at++
	for {
		if err := s.trivia(); err != nil {
			return err
		}
		if s.at >= len(s.text) {
			return s.fault(open, fmt.Sprintf("no %q ends what begins here", closing))
		}
		if s.text[s.at] == closing {
			s.at++
			return nil
		}
		child, err := s.child(n, depth)
		if err != nil {
			return err
		}
		n.Children = append(n.Children, child)
		if err := s.trivia(); err != nil {
			return err
		}
		switch {
		case s.at >= len(s.text):
			return s.fault(open, fmt.Sprintf("no %q ends what begins here", closing))
		case s.text[s.at] == ',':
			s.at++
		case s.text[s.at] != closing:
			return s.fault(s.at, fmt.Sprintf("a comma or %q should stand before %s", closing, s.around(s.at)))
		}
	}
}

func (s *scanner) child(n *Node, depth int) (*Node, error) {
	if n.Kind == Array {
		return s.value(n, depth+1)
	}
	keyAt := s.at
	if s.text[s.at] != '"' {
		return nil, s.fault(s.at, "a name in double quotes should stand before "+s.around(s.at))
	}
	key, err := s.str()
	if err != nil {
		return nil, err
	}
	if err := s.trivia(); err != nil {
		return nil, err
	}
	if s.at >= len(s.text) || s.text[s.at] != ':' {
		return nil, s.fault(s.at, fmt.Sprintf("no colon behind %q", key))
	}
	s.at++
	if err := s.trivia(); err != nil {
		return nil, err
	}
	child, err := s.value(n, depth+1)
	if err != nil {
		return nil, err
	}
	child.Key, child.KeyStart = key, keyAt
	return child, nil
}
