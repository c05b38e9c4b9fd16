package continuation

import (
	"bytes"
	"encoding/json"

	"github.com/stophook/stophook/transcript"
)

// Stream reads what `claude -p --output-format stream-json --verbose` prints, line by
// line, over all runs of a turn. The zero value is ready. Not safe for concurrent use.
type Stream struct {
	// Calls is the debt of the turn: give it to [NewTurn]. Calls of subagents count
	// too, because what they leave running is left as well.
	Calls  transcript.CallDebt
	folded map[string]bool
}

// StreamResult is the last line of a run.
type StreamResult struct {
	Subtype   Ending  `json:"subtype"`
	IsError   bool    `json:"is_error"`
	Turns     float64 `json:"num_turns"`
	SessionID string  `json:"session_id"` // for --resume
	Text      string  `json:"result"`
}

// Ending is how the run ended. The client reports an API error as a success with
// is_error set; no nudge helps there, so it counts as an error (AC-159).
func (r StreamResult) Ending() Ending {
	if r.Subtype == Success && r.IsError {
		return ErrorDuringExecution
	}
	return r.Subtype
}

// Line takes one line. The result is nil but for the line that ends the run. Lines
// that are broken or of another kind are skipped. A call that comes twice, as a
// resumed run may print it, is folded once, by its id.
func (s *Stream) Line(line []byte) *StreamResult {
	var head struct {
		Type    string `json:"type"`
		Message struct {
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &head) != nil {
		return nil
	}
	switch head.Type {
	case "assistant":
		s.message(head.Message.Content)
	case "result":
		var r StreamResult
		if json.Unmarshal(line, &r) != nil {
			return &StreamResult{} // an ending that is not known ends the turn
		}
		return &r
	}
	return nil
}

func (s *Stream) message(content json.RawMessage) {
	var blocks []struct {
		Type  string          `json:"type"`
		ID    string          `json:"id"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return // text alone, or a shape that has no calls
	}
	for _, b := range blocks {
		if b.Type != "tool_use" || b.ID != "" && s.folded[b.ID] {
			continue
		}
		if b.ID != "" {
			if s.folded == nil {
				s.folded = map[string]bool{}
			}
			s.folded[b.ID] = true
		}
		s.Calls.Apply(b.Name, b.Input)
	}
}
