package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Request is one request for a message, as the client sent it.
type Request struct {
	N      int // from 1, in order of arrival
	At     time.Time
	Header http.Header
	Body   []byte
	Model  string
	Stream bool
	// Main tells requests of an agent from those on the side (titles, summaries), which
	// offer no Bash tool.
	Main  bool
	Tools []string // names
	// First and Newest are the texts of the first and the last user message: their text
	// blocks, and results of tools behind "TOOL_RESULT ", one a line.
	First, Newest string
}

// parseRequest reads the body of a request.
func parseRequest(header http.Header, body []byte) (*Request, error) {
	if !json.Valid(body) {
		return nil, fmt.Errorf("the body is no JSON: %.80q", body)
	}
	doc := gjson.ParseBytes(body)
	req := &Request{Header: header.Clone(), Body: body, Model: doc.Get("model").String(), Stream: doc.Get("stream").Bool()}
	for _, tool := range doc.Get("tools").Array() {
		name := tool.Get("name").String()
		req.Tools = append(req.Tools, name)
		req.Main = req.Main || name == "Bash"
	}
	seen := false
	for _, m := range doc.Get("messages").Array() {
		if m.Get("role").String() != "user" {
			continue
		}
		req.Newest = messageText(m.Get("content"))
		if !seen {
			req.First, seen = req.Newest, true
		}
	}
	if !seen {
		return nil, fmt.Errorf("the request has no user message")
	}
	return req, nil
}

func messageText(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.String()
	}
	var parts []string
	for _, b := range content.Array() {
		switch b.Get("type").String() {
		case "text":
			parts = append(parts, b.Get("text").String())
		case "tool_result":
			parts = append(parts, "TOOL_RESULT "+resultText(b.Get("content")))
		}
	}
	return strings.Join(parts, "\n")
}

func resultText(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.String()
	}
	var parts []string
	for _, b := range content.Array() {
		if text := b.Get("text"); text.Exists() {
			parts = append(parts, text.String())
		} else {
			parts = append(parts, b.Raw) // an image, a tool reference
		}
	}
	return strings.Join(parts, "\n")
}

// Box is the status box in the newest text, which the agent has to show; empty when
// there is none.
func (r *Request) Box() string {
	start := strings.Index(r.Newest, "┌─")
	if start < 0 {
		return ""
	}
	end := strings.Index(r.Newest[start:], "┘")
	if end < 0 {
		return ""
	}
	return r.Newest[start : start+end+len("┘")]
}

// TaskID is the background task that the conversation named last in the result of
// the call that started or moved it; empty when there is none.
func (r *Request) TaskID() string {
	found := regexp.MustCompile(`(?:\(ID: |with ID: |moved to the background as task )(\w+)`).FindAllSubmatch(r.Body, -1)
	if len(found) == 0 {
		return ""
	}
	return string(found[len(found)-1][1])
}
