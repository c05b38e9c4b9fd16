package benchgen

import (
	"fmt"
	"maps"
	"strings"
	"time"
)

const (
	requestCopyEvery = 25      // rounds; one large row among fifty small ones
	toolResultBytes  = 3_000   // a usual tool result
	requestBytes     = 400_000 // a copy of the host's own request
)

type object = map[string]any

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

// chained gives the fields that every row of the conversation has, and links it
// to the row before.
func (g *generator) chained(uuid, kind string, at time.Time, fields object) object {
	row := object{
		"parentUuid": nil, "isSidechain": false, "userType": "external", "entrypoint": "cli", "cwd": "/home/dev/project",
		"sessionId": SessionID, "version": "2.1.332", "gitBranch": "main",
		"type": kind, "uuid": uuid, "timestamp": at.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	if g.parent != "" {
		row["parentUuid"] = g.parent
	}
	g.parent = uuid
	maps.Copy(row, fields)
	return row
}

// early is the instant of a round: rounds are a second apart and all lie before
// the handoff.
func (g *generator) early(round int) time.Time {
	return g.opts.Now.Add(-time.Hour).Add(time.Duration(round%1800) * time.Second)
}

func (g *generator) prompt() {
	g.row(g.chained("prompt", "user", g.early(0), object{
		"origin":  object{"kind": "human"},
		"message": object{"role": "user", "content": "fix the handler, then commit and push, please"},
	}))
}

func (g *generator) toolRound(round int) {
	id, text := fmt.Sprintf("toolu_%06d", round), g.texts[g.random.IntN(len(g.texts))]
	g.row(g.chained(fmt.Sprintf("a%06d", round), "assistant", g.early(round), object{
		"message": object{"role": "assistant", "id": fmt.Sprintf("msg_%06d", round), "stop_reason": "tool_use", "content": []any{
			object{"type": "tool_use", "id": id, "name": "Bash", "input": object{"command": "go test ./... | grep -v " + text[:40]}},
		}},
	}))
	g.row(g.chained(fmt.Sprintf("u%06d", round), "user", g.early(round), object{
		"message":       object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": false}}},
		"toolUseResult": object{"stdout": text, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false},
	}))
}

// requestCopy is the host's own copy of what it sent: never a carrier of
// anything, and what fills a small window.
func (g *generator) requestCopy(round int) {
	g.row(object{
		"type": "api-request-blob", "sessionId": SessionID, "hash": fmt.Sprintf("%064x", round),
		"message": object{"role": "user", "content": []any{object{"type": "text", "text": g.requests[g.random.IntN(len(g.requests))]}}},
	})
}

func (g *generator) handoff() {
	at := g.opts.Now.Add(-15 * time.Second)
	g.row(g.chained("handoff-use", "assistant", at.Add(-5*time.Second), object{
		"message": object{"role": "assistant", "id": "msg_handoff", "stop_reason": "tool_use", "content": []any{
			object{"type": "tool_use", "id": "toolu_handoff", "name": "Bash", "input": object{"command": "git commit -am fix && git push"}},
		}},
	}))
	g.info.HandoffOffset = g.info.Size
	g.row(g.chained("handoff", "user", at, object{
		"message": object{"role": "user", "content": []any{object{
			"type": "tool_result", "tool_use_id": "toolu_handoff", "is_error": false,
			"content": "The command goes on in the background (" + HandoffID + ").",
		}}},
		"toolUseResult": object{
			"stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
			"backgroundTaskId": HandoffID, "backgroundedToDeliverMessage": true,
		},
	}))
}

func (g *generator) finalText() {
	g.row(g.chained("final", "assistant", g.opts.Now, object{
		"message": object{"role": "assistant", "id": "msg_final", "stop_reason": "end_turn", "content": []any{
			object{"type": "text", "text": "The push is running; I will report when it is done."},
		}},
	}))
}
