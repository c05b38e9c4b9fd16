package session

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// maxDepth is how deep a row may be nested, the same as for the standard
// library's decoder. Checking JSON recurses, and a file of brackets must not be
// able to take the stack.
const maxDepth = 10_000

// wellFormed tells whether b is one JSON object, nested no deeper than maxDepth.
func wellFormed(b []byte) bool {
	return len(b) > 0 && b[0] == '{' && !tooDeep(b) && gjson.ValidBytes(b)
}

func tooDeep(b []byte) bool {
	// Nearly always settled without looking at what is inside a string.
	if len(b) <= maxDepth || bytes.Count(b, []byte{'['})+bytes.Count(b, []byte{'{'}) <= maxDepth {
		return false
	}
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// view reads b as a string without a copy. Nothing of it may be kept: what is,
// goes through own or ownRaw.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// own is a string value that may be kept; "" for anything but a string.
func own(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	if len(v.Str) == len(v.Raw)-2 { // without escapes it is a part of the row
		return strings.Clone(v.Str)
	}
	return v.Str
}

// str is a string value for looking at; "" for anything but a string.
func str(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

func isTrue(v gjson.Result) bool { return v.Type == gjson.True }
