package openai

import (
	"encoding/json"

	"github.com/stophook/stophook/agentcore/model"
)

// response is what counts of a response.
type response struct {
	ID         string            `json:"id"`
	Model      string            `json:"model"`
	Output     []json.RawMessage `json:"output"`
	Error      json.RawMessage   `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *struct {
		Input   int64 `json:"input_tokens"`
		Output  int64 `json:"output_tokens"`
		Details struct {
			Cached  int64 `json:"cached_tokens"`
			Written int64 `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
	} `json:"usage"`
}

func (a *responsesAnswer) read(raw json.RawMessage) (*response, error) {
	var r response
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, broken("a response that cannot be read", err)
		}
	}
	a.begun = true
	if r.ID != "" {
		a.message.ID = r.ID
	}
	if r.Model != "" {
		a.message.Model = r.Model
	}
	if u := r.Usage; u != nil {
		a.message.Usage = count(u.Input, u.Output, u.Details.Cached, u.Details.Written)
	}
	return &r, nil
}

// end reads the whole response. Items come one by one before it; those that did
// not are taken from here.
func (a *responsesAnswer) end(raw json.RawMessage, emit func(model.Event) bool) (*model.Message, error) {
	r, err := a.read(raw)
	if err != nil {
		return nil, err
	}
	for i, output := range r.Output {
		if it := a.items[i]; it == nil || !it.done {
			if err := a.item(i, output, true, emit); err != nil {
				return nil, err
			}
		}
	}
	m := a.parts.message(a.message, true)
	m.StopReason = a.parts.stopReason()
	if r.Incomplete != nil && r.Incomplete.Reason != "" {
		switch r.Incomplete.Reason {
		case "max_output_tokens":
			m.StopReason = model.StopMaxTokens
		case "content_filter":
			m.StopReason = model.StopRefusal
		default:
			m.StopReason = model.StopReason(r.Incomplete.Reason)
		}
	}
	return m, nil
}
