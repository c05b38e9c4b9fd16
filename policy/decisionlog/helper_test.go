package decisionlog

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var testTime = time.Date(2026, 10, 5, 9, 0, 7, 0, time.UTC)

// fixedWriter writes into a fresh directory, with counted ids and a clock that
// goes one second a call.
func fixedWriter(t testing.TB) *Writer {
	t.Helper()
	n := 0
	return &Writer{
		Path:  filepath.Join(t.TempDir(), "state", "decisions.jsonl"),
		NewID: func() string { n++; return fmt.Sprintf("id-%04d", n) },
		Now:   func() time.Time { return testTime.Add(time.Duration(n) * time.Second) },
	}
}

// largeInput is an input document of about 40 KB, in the shape of a long turn.
func largeInput() map[string]any {
	var tools []any
	for i := range 100 {
		tools = append(tools, map[string]any{
			"id": fmt.Sprintf("toolu_%024d", i), "name": "Bash", "command": strings.Repeat("go test ./... -run 'TestX' && echo done; ", 4),
			"at":          map[string]any{"offset": 123456 + i, "uuid": fmt.Sprintf("6f9619ff-8b86-d011-b42d-%012d", i), "time": "2026-10-05T08:59:07.000Z"},
			"result_time": "2026-10-05T08:59:08.000Z", "failed": false,
		})
	}
	return map[string]any{
		"schema": "stophook.input/v1", "now": "2026-10-05T09:00:07.000Z",
		"session": map[string]any{"id": "s-1", "cwd": "/home/u/project", "entrypoint": "cli"},
		"hook":    map[string]any{"hook_event_name": "Stop", "last_assistant_message": strings.Repeat("All tests pass now. ", 100)},
		"turn":    map[string]any{"origin": "human", "tool_calls": 100, "tools": tools},
		"tasks":   []any{}, "handoffs": []any{},
	}
}
