package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// The rows are in the shape that the host writes (docs/claude-code.md).

func (s *stage) append(row map[string]any) {
	s.rows++
	id := fmt.Sprintf("d0000000-0000-4000-8000-%012d", s.rows)
	if row["type"] != "queue-operation" {
		row["uuid"], row["parentUuid"], row["isSidechain"] = id, nil, false
		if s.last != "" {
			row["parentUuid"] = s.last
		}
		row["version"], row["entrypoint"], row["cwd"] = "2.1.332", "cli", s.project()
		s.last = id
	}
	row["sessionId"], row["timestamp"] = sessionID, s.stamp()
	b, err := json.Marshal(row)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(s.transcript(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, err = f.Write(append(b, '\n'))
			f.Close()
		}
	}
	if err != nil {
		panic(fmt.Sprintf("demo: the transcript cannot be written: %v", err))
	}
}

func (s *stage) user(content any, more map[string]any) {
	row := map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": content}}
	for k, v := range more {
		row[k] = v
	}
	s.append(row)
}

func (s *stage) prompt(text string) {
	s.active = false
	s.user(text, map[string]any{"origin": map[string]any{"kind": "human"}})
}

func (s *stage) assistantRow(block map[string]any) {
	s.append(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": []any{block}}})
}

func (s *stage) assistant(text string) { s.assistantRow(map[string]any{"type": "text", "text": text}) }

func (s *stage) call(id, tool, arg string) {
	input := map[string]any{"command": arg}
	if tool == "Read" {
		input = map[string]any{"file_path": arg}
	}
	s.assistantRow(map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
}

func (s *stage) result(id, text string) {
	s.user([]any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}},
		map[string]any{"toolUseResult": map[string]any{"stdout": text, "stderr": "", "interrupted": false}})
}

// handoff is the receipt of a command that was moved, and the message behind it.
func (s *stage) handoff(id, task, message string) {
	text := "Command was moved to the background (ID: " + task + ") so that a message can reach you. " +
		"Output is being written to: " + s.outputFile(task) + "."
	s.user([]any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}},
		map[string]any{"toolUseResult": map[string]any{"stdout": "", "stderr": "", "interrupted": false,
			"backgroundTaskId": task, "backgroundedToDeliverMessage": true}})
	s.append(map[string]any{"type": "attachment", "attachment": map[string]any{"type": "queued_command", "prompt": message,
		"commandMode": "prompt", "origin": map[string]any{"kind": "human"}}})
}

// notify is how the host tells the end of a task: a queue row, and the user row
// that begins a turn.
func (s *stage) notify(id, task, what string, code int) {
	text := fmt.Sprintf("<task-notification>\n<task-id>%s</task-id>\n<tool-use-id>%s</tool-use-id>\n<output-file>%s</output-file>\n"+
		"<status>completed</status>\n<summary>Background command \"%s\" completed (exit code %d)</summary>\n</task-notification>",
		task, id, s.outputFile(task), what, code)
	s.append(map[string]any{"type": "queue-operation", "operation": "enqueue", "content": text})
	s.append(map[string]any{"type": "queue-operation", "operation": "dequeue"})
	s.user(text, map[string]any{"origin": map[string]any{"kind": "task-notification", "producer": "session-task"}})
	s.active = false
}

// feedback is what the host adds when a Stop was blocked.
func (s *stage) feedback() {
	s.user("Stop hook feedback:\n"+s.reason, map[string]any{"isMeta": true})
	s.active = true
}
