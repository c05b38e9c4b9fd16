package anthropic

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// apiError is the API's form of an error, as the body of an answer and as an
// event inside a stream.
type apiError struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Details struct {
			Code string `json:"error_code"`
		} `json:"details"`
	} `json:"error"`
	RequestID string `json:"request_id"`
}

// explain reads the body of an answer that is no stream. One that is not of the
// API's form is the message as a whole.
func explain(status int, body []byte, header http.Header, now time.Time) *model.Error {
	return classify(status, body, header.Get, now)
}

func classify(status int, body []byte, header func(string) string, now time.Time) *model.Error {
	var e apiError
	// An error in it leaves fields empty, which is what is asked for below.
	_ = json.Unmarshal(body, &e)
	word := e.Error.Type
	if e.Error.Details.Code != "" {
		word += " " + e.Error.Details.Code
	}
	text := e.Error.Message
	if text == "" && word == "" {
		text = string(body)
	}
	failed := model.Classify(status, word, text, header, now)
	if failed.RequestID == "" {
		failed.RequestID = e.RequestID
	}
	return failed
}
