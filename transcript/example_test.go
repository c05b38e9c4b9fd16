package transcript_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/stophook/stophook/transcript"
)

// The agent's commit was moved to the background so that the user's message
// could be delivered, and it still runs.
const pending = `{"parentUuid":null,"isSidechain":false,"type":"user","origin":{"kind":"human"},"message":{"role":"user","content":"commit it"},"uuid":"u1","timestamp":"2026-10-05T09:00:00.000Z"}
{"parentUuid":"u1","isSidechain":false,"message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"git commit -m x"}}]},"type":"assistant","uuid":"a1","timestamp":"2026-10-05T09:00:01.000Z"}
{"parentUuid":"a1","isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"moved to the background"}]},"uuid":"r1","timestamp":"2026-10-05T09:00:06.000Z","toolUseResult":{"stdout":"","stderr":"","backgroundTaskId":"bq7x0f","backgroundedToDeliverMessage":true}}
`

func ExampleRead() {
	dir, err := os.MkdirTemp("", "transcript")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "session.jsonl")
	if err := os.WriteFile(path, []byte(pending), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	s, err := transcript.Read(path, transcript.Options{Now: time.Date(2026, 10, 5, 9, 0, 16, 0, time.UTC)})
	if err != nil {
		fmt.Println(err) // the session is there all the same, and blind
	}
	fmt.Println("blind:", s.Blind)
	fmt.Println("tool calls of the turn:", s.Turn.ToolCalls)
	for _, h := range s.Handoffs {
		fmt.Printf("%s (%s) is %s for %.0f s\n", h.TaskID, h.Command, h.State.AnyText, *h.AgeSeconds)
	}
	// Output:
	// blind: []
	// tool calls of the turn: 1
	// bq7x0f (git commit -m x) is open for 10 s
}

func ExampleNotices() {
	text := "<task-notification>\n<task-id>bq7x0f</task-id>\n<status>completed</status>\n" +
		"<summary>Background command \"git commit\" completed (exit code 0)</summary>\n</task-notification>"
	for _, n := range transcript.Notices(text) {
		fmt.Println(n.TaskIDs[0], n.Status, *n.ExitCode, n.Terminal())
	}
	fmt.Println(len(transcript.Notices("he wrote: " + text))) // quoted, not carried
	// Output:
	// bq7x0f completed 0 true
	// 0
}

func ExampleCallDebt() {
	var debt transcript.CallDebt
	debt.Apply("Bash", json.RawMessage(`{"command":"npm run build","run_in_background":true}`))
	fmt.Println(debt.Outstanding())
	debt.Apply("Read", json.RawMessage(`{"file_path":"/tmp/p/s/tasks/bq7x0f.output"}`))
	fmt.Println(debt.Outstanding())
	// Output:
	// 1
	// 0
}
