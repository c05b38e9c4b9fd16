package model

import (
	"strings"
	"unicode/utf8"
)

// maxMessage bounds the text of an error, in bytes: bodies of proxies are long.
const maxMessage = 2048

// presentable makes a body fit to be shown.
func presentable(message string) string {
	message = strings.TrimSpace(message)
	if isHTML(message) {
		return "an HTML page in place of an API's answer" + titleOf(message) + ": is a proxy or a login page in between?"
	}
	return bounded(withoutKeys(message))
}

func isHTML(body string) bool {
	start := strings.ToLower(body[:min(len(body), 64)])
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html") || strings.HasPrefix(start, "<head")
}

func titleOf(page string) string {
	lower := strings.ToLower(page)
	start := strings.Index(lower, "<title>")
	if start < 0 || len(lower) != len(page) { // lowering may change lengths outside ASCII
		return ""
	}
	start += len("<title>")
	end := strings.Index(lower[start:], "</title>")
	if end < 0 {
		return ""
	}
	title := strings.Join(strings.Fields(page[start:start+end]), " ")
	return " (" + bounded(withoutKeys(title)) + ")"
}

func bounded(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	cut := maxMessage
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + " … (shortened)"
}

// withoutKeys takes out what looks like an API key: some APIs quote the one that
// they refuse.
func withoutKeys(text string) string {
	const mark = "sk-"
	var out strings.Builder
	for {
		at := strings.Index(text, mark)
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		end := at + len(mark)
		for end < len(text) && isKeyByte(text[end]) {
			end++
		}
		inWord := at > 0 && isLetter(text[at-1]) // as in task-1234567
		if end-at < len(mark)+6 || inWord {
			out.WriteString(text[:end])
		} else {
			out.WriteString(text[:at] + "sk-…")
		}
		text = text[end:]
	}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func isKeyByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '*'
}
