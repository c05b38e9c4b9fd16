package session

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// line builds one row, member by member. HTML is not escaped: the rows are read
// by people, and by searches for tags.
type line struct {
	b []byte
}

func (l *line) key(name string) {
	if n := len(l.b); n > 0 && l.b[n-1] != '{' {
		l.b = append(l.b, ',')
	}
	l.b = append(l.b, '"')
	l.b = append(l.b, name...)
	l.b = append(l.b, '"', ':')
}

func (l *line) str(name, value string) {
	l.key(name)
	l.b = appendString(l.b, value)
}

// opt leaves an empty value out.
func (l *line) opt(name, value string) {
	if value != "" {
		l.str(name, value)
	}
}

func (l *line) null(name string) {
	l.key(name)
	l.b = append(l.b, "null"...)
}

func (l *line) flag(name string, v bool) {
	l.key(name)
	l.b = strconv.AppendBool(l.b, v)
}

func (l *line) num(name string, v int64) {
	l.key(name)
	l.b = strconv.AppendInt(l.b, v, 10)
}

func (l *line) strs(name string, values []string) {
	l.key(name)
	l.b = append(l.b, '[')
	for i, v := range values {
		if i > 0 {
			l.b = append(l.b, ',')
		}
		l.b = appendString(l.b, v)
	}
	l.b = append(l.b, ']')
}

// value encodes anything that JSON can hold.
func (l *line) value(name string, v any) error {
	l.key(name)
	var err error
	l.b, err = appendValue(l.b, v)
	return err
}

func appendValue(dst []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// appendString appends a JSON string. What is no UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	if plain(s) {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	dst, _ = appendValue(dst, s) // a string always encodes
	return dst
}

// plain tells that a string stands for itself in JSON.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
