package task

import (
	"strconv"
	"strings"
)

// fields are the elements of a block by name, as they were written.
type fields map[string]string

// maxTags is how many tags of a block are looked at: a block of ours has nine
// elements, and no text may make the reader work for long.
const maxTags = 128

// elements reads the elements that stand directly in a block, the first of each
// name. What an element holds that is never closed is looked at as if it stood
// outside. Behind the first element of free text, which may quote any tag in Claude
// Code's form, only a summary is read.
func elements(body string) fields {
	f := fields{}
	free := false
	for range maxTags {
		_, after, ok := strings.Cut(body, "<")
		if !ok {
			return f
		}
		name, inside, ok := strings.Cut(after, ">")
		if !ok {
			return f
		}
		if !isName(name) { // a closing tag, or no tag at all
			body = after
			continue
		}
		value, rest, closed := strings.Cut(inside, "</"+name+">")
		if !closed {
			rest = inside
		}
		if _, seen := f[name]; closed && !seen && (!free || name == "summary") {
			f[name] = value
		}
		free = free || freeText(name)
		body = rest
	}
	return f
}

// freeText tells the elements that hold what somebody wrote.
func freeText(name string) bool {
	return name == "summary" || name == "result" || name == "event" || name == "note"
}

// isName tells the names of elements: small letters, digits and hyphens.
func isName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return s != ""
}

// text is the value of an element as it was, spaces included.
func (f fields) text(name string) string { return unescape(f[name]) }

// token is the value of an element that has no spaces around it.
func (f fields) token(name string) string {
	return unescape(strings.Trim(f[name], blanks))
}

// number is a whole number, and zero where none is.
func (f fields) number(name string) int64 {
	n, err := strconv.ParseInt(f.token(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
