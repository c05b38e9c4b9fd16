package benchgen

import (
	"fmt"
	"strings"
	"time"
)

const (
	requestCopyEvery = 25      // rounds; one large row among fifty small ones
	toolResultBytes  = 3_000   // a usual tool result
	requestBytes     = 400_000 // a copy of the host's own request
)

// fillPools makes the texts that rows draw from, so that writing a file is
// bound by JSON and not by words.
func (g *generator) fillPools() {
	for range 40 {
		g.texts = append(g.texts, g.text(toolResultBytes))
	}
	for range 3 {
		g.requests = append(g.requests, g.text(requestBytes))
	}
}

// text draws about size bytes of words as programs and tools print them, with
// quotes, line ends and tags that JSON has to escape.
func (g *generator) text(size int) string {
	words := []string{
		"error", "warning", "build", "test", "commit", "task", "the", "output", "of", "background", "line", "package", "func",
		"return", "value", "index", "TestRead", "ok", "0.214s", "src/server/handler.go:118:", "\t", "\n", `"name":`, "<tag>", "&&",
		"notification", "{", "}", "null", "TokenKind", "7f3a9c", "--- PASS:", "é", "─",
	}
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words[g.random.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}

// chainedRow is a row of the conversation, with its fields in the order in which
// the host writes them: what is cheap to ask for stands around a long message.
type chainedRow struct {
	ParentUUID    *string `json:"parentUuid"`
	IsSidechain   bool    `json:"isSidechain"`
	UserType      string  `json:"userType"`
	Entrypoint    string  `json:"entrypoint"`
	Cwd           string  `json:"cwd"`
	SessionID     string  `json:"sessionId"`
	Version       string  `json:"version"`
	GitBranch     string  `json:"gitBranch"`
	Type          string  `json:"type"`
	IsMeta        bool    `json:"isMeta,omitempty"`
	Origin        *origin `json:"origin,omitempty"`
	Message       message `json:"message"`
	UUID          string  `json:"uuid"`
	Timestamp     string  `json:"timestamp"`
	ToolUseResult *shell  `json:"toolUseResult,omitempty"`
}

type origin struct {
	Kind string `json:"kind"`
}

type message struct {
	ID         string `json:"id,omitempty"`
	Role       string `json:"role"`
	Content    any    `json:"content"` // a string or blocks
	StopReason string `json:"stop_reason,omitempty"`
}

type block struct {
	Type      string  `json:"type"`
	Text      string  `json:"text,omitempty"`
	ID        string  `json:"id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Input     *input  `json:"input,omitempty"`
	ToolUseID string  `json:"tool_use_id,omitempty"`
	Content   *string `json:"content,omitempty"`
	IsError   *bool   `json:"is_error,omitempty"`
}

type input struct {
	Command string `json:"command"`
}

type shell struct {
	Stdout           string `json:"stdout"`
	Stderr           string `json:"stderr"`
	Interrupted      bool   `json:"interrupted"`
	IsImage          bool   `json:"isImage"`
	NoOutputExpected bool   `json:"noOutputExpected"`
	BackgroundTaskID string `json:"backgroundTaskId,omitempty"`
	ToDeliverMessage bool   `json:"backgroundedToDeliverMessage,omitempty"`
}

// chained fills in what every row of the conversation has, and links it to the
// row before.
func (g *generator) chained(uuid, kind string, at time.Time, m message) chainedRow {
	row := chainedRow{
		UserType: "external", Entrypoint: "cli", Cwd: "/home/dev/project", SessionID: SessionID, Version: "2.1.332",
		GitBranch: "main", Type: kind, Message: m, UUID: uuid, Timestamp: at.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	if parent := g.parent; parent != "" {
		row.ParentUUID = &parent
	}
	g.parent = uuid
	return row
}

// early is the instant of a round: rounds are a second apart and all lie before
// the handoff.
func (g *generator) early(round int) time.Time {
	if g.opts.StopEvery > 0 { // evidence needs a clock that never goes back
		return g.opts.Now.Add(-90 * 24 * time.Hour).Add(time.Duration(round) * time.Second)
	}
	return g.opts.Now.Add(-time.Hour).Add(time.Duration(round%1800) * time.Second)
}

func (g *generator) prompt() {
	row := g.chained("prompt", "user", g.early(0), message{Role: "user", Content: "fix the handler, then commit and push, please"})
	row.Origin = &origin{Kind: "human"}
	g.row(row)
}

// toolCall writes a tool use and its result.
func (g *generator) toolCall(name, command, text string, at time.Time, result shell) {
	id := "toolu_" + name
	g.row(g.chained(name+"-use", "assistant", at, message{ID: "msg_" + name, Role: "assistant", StopReason: "tool_use", Content: []block{
		{Type: "tool_use", ID: id, Name: "Bash", Input: &input{Command: command}},
	}}))
	if result.BackgroundTaskID != "" {
		g.info.HandoffOffset = g.info.Size
	}
	row := g.chained(name, "user", at, message{Role: "user", Content: []block{
		{Type: "tool_result", ToolUseID: id, Content: &text, IsError: new(bool)},
	}})
	row.ToolUseResult = &result
	g.row(row)
}

func (g *generator) toolRound(round int) {
	text := g.texts[g.random.IntN(len(g.texts))]
	g.toolCall(fmt.Sprintf("%06d", round), "go test ./... | grep -v "+text[:40], text, g.early(round), shell{Stdout: text})
}

func (g *generator) handoff() {
	g.toolCall("handoff", "git commit -am fix && git push", "The command goes on in the background ("+HandoffID+").",
		g.opts.Now.Add(-15*time.Second), shell{BackgroundTaskID: HandoffID, ToDeliverMessage: true})
}

// requestCopy is the host's own copy of what it sent: never a carrier of
// anything, and what fills a small window.
func (g *generator) requestCopy(round int) {
	type requestBlob struct {
		Type      string  `json:"type"`
		SessionID string  `json:"sessionId"`
		Hash      string  `json:"hash"`
		Message   message `json:"message"`
	}
	g.row(requestBlob{"api-request-blob", SessionID, fmt.Sprintf("%064x", round), message{Role: "user", Content: []block{
		{Type: "text", Text: g.requests[g.random.IntN(len(g.requests))]},
	}}})
}

func (g *generator) finalText() {
	g.row(g.chained("final", "assistant", g.opts.Now, message{ID: "msg_final", Role: "assistant", StopReason: "end_turn", Content: []block{
		{Type: "text", Text: "The push is running; I will report when it is done."},
	}}))
}
