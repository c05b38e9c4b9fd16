package transcript

import (
	"strconv"
	"strings"
)

// Notice is one <task-notification> block, or one inside another text. Claude
// Code's form and the agent runtime's own differ in their fields (D-01), so no
// field but an id is ever required.
type Notice struct {
	TaskIDs    []string // every <task-id> of the header, markers included
	ToolUseID  string
	Status     string // "" when the block tells none: it is then not an end
	OutputFile string
	Summary    string
	ExitCode   *int
}

const (
	noticeOpen  = "<task-notification"
	noticeClose = "</task-notification>"
)

// Notices returns the blocks whose envelope begins text, which is how the host
// carries them: one or more envelopes, one after the other, with nothing else
// in front. Text that merely contains a block yields none.
func Notices(text string) []Notice {
	var out []Notice
	text = unescapeLT(text)
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		body, rest, ok := cutBlock(text)
		if !ok {
			return out
		}
		out = append(out, parseNotice(body))
		text = rest
	}
}

// cutBlock takes one envelope off the front of text. An envelope may quote
// others in its summary, result or event, so its end is the closing tag that
// balances; without one it runs to the end of the string.
func cutBlock(text string) (body, rest string, ok bool) {
	body, ok = blockStart(text)
	if !ok {
		return "", "", false
	}
	depth, at := 1, 0
	for {
		c := strings.Index(body[at:], noticeClose)
		if c < 0 {
			return body, "", true
		}
		depth += strings.Count(body[at:at+c], noticeOpen) - 1
		if depth <= 0 {
			return body[:at+c], body[at+c+len(noticeClose):], true
		}
		at += c + len(noticeClose)
	}
}

// blockStart returns what follows the opening tag when text begins with one.
func blockStart(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, noticeOpen)
	if !ok || rest == "" {
		return "", false
	}
	if rest[0] != '>' && !isSpace(rest[0]) {
		return "", false
	}
	_, body, ok := strings.Cut(rest, ">")
	return body, ok
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// parseNotice reads the header of a block: everything before <summary>,
// <result> or <event>, which hold free text that may quote any tag.
func parseNotice(body string) Notice {
	header := body
	for _, tag := range []string{"<summary>", "<result>", "<event>", "<note>"} {
		if i := strings.Index(header, tag); i >= 0 {
			header = header[:i]
		}
	}
	var n Notice
	for rest := header; ; {
		id, after, ok := element(rest, "task-id")
		if !ok {
			break
		}
		n.TaskIDs = append(n.TaskIDs, id)
		rest = after
	}
	n.ToolUseID, _, _ = element(header, "tool-use-id")
	n.Status, _, _ = element(header, "status")
	n.OutputFile, _, _ = element(header, "output-file")
	n.Summary, _, _ = element(body, "summary")
	if code, _, ok := element(header, "exit-code"); ok {
		n.ExitCode = atoi(code)
	} else {
		n.ExitCode = summaryExitCode(n.Summary)
	}
	return n
}

// element returns the trimmed text of the first <tag>…</tag> and what follows.
func element(s, tag string) (text, rest string, ok bool) {
	_, after, ok := strings.Cut(s, "<"+tag+">")
	if !ok {
		return "", "", false
	}
	text, rest, ok = strings.Cut(after, "</"+tag+">")
	if !ok {
		return "", "", false
	}
	return strings.TrimSpace(text), rest, true
}

// summaryExitCode finds the code in the host's own words: "(exit code 0)",
// "failed with exit code 2". The last mention counts, since a description
// stands in front of it.
func summaryExitCode(summary string) *int {
	const words = "exit code "
	i := strings.LastIndex(summary, words)
	if i < 0 {
		return nil
	}
	rest := summary[i+len(words):]
	end := 0
	for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || end == 0 && rest[end] == '-') {
		end++
	}
	return atoi(rest[:end])
}

func atoi(s string) *int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		return nil
	}
	return &n
}

// Terminal tells whether the status of a notice is an end. Statuses that are
// known to go on, no status at all (stall notices, monitor events: claude-code
// section 2) and words this version does not know are no end.
func (n Notice) Terminal() bool { return terminalStatus(n.Status) }

func terminalStatus(status string) bool {
	switch strings.ToLower(status) {
	case "completed", "failed", "killed", "stopped", "cancelled", "canceled",
		"error", "timeout", "timed_out", "exited", "lost":
		return true
	}
	return false
}

// names tells whether the header itself names the task.
func (n Notice) names(taskID, toolUseID string) bool {
	for _, id := range n.TaskIDs {
		if id == taskID {
			return true
		}
	}
	return toolUseID != "" && n.ToolUseID == toolUseID
}

// quotesTask tells whether any notification block anywhere in text contains the
// task id or the tool-use id as a whole token (D-42). It is the rule of the ADR:
// text can only close, so forged text makes Stop stricter and nothing else.
func quotesTask(text, taskID, toolUseID string) bool {
	text = unescapeLT(text)
	for {
		i := strings.Index(text, noticeOpen)
		if i < 0 {
			return false
		}
		text = text[i:]
		body, ok := blockStart(text)
		if !ok {
			text = text[len(noticeOpen):]
			continue
		}
		block, rest, closed := strings.Cut(body, noticeClose)
		if hasToken(block, taskID) || hasToken(block, toolUseID) {
			return true
		}
		if !closed {
			return false
		}
		text = rest
	}
}

// unescapeLT turns the escapes of a JSON text inside a string into < and >, so
// that a block is found in both spellings (DESIGN section 3).
func unescapeLT(s string) string {
	if !strings.Contains(s, `\u003`) {
		return s
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">").Replace(s)
}

// hasToken finds id in s with no id character on either side, so that b1 is not
// found in b12. The empty id is never found.
func hasToken(s, id string) bool {
	if id == "" {
		return false
	}
	for at := 0; ; {
		i := strings.Index(s[at:], id)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(id)
		if (i == 0 || !isIDChar(s[i-1])) && (end == len(s) || !isIDChar(s[end])) {
			return true
		}
		at = i + 1
	}
}

func isIDChar(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
