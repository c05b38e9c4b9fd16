package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// apiError is the API's form of an error. Other servers send a text in place of
// the object, or a number as the code.
type apiError struct {
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"`
	Message string          `json:"message"`
}

// explain reads an error: the body of an answer that is no stream, or an event
// inside one. One that is not of the API's form is the message as a whole.
func explain(status int, body []byte, header http.Header, now time.Time) *model.Error {
	e, ok := readError(body)
	text := e.Message
	if !ok {
		text = string(body)
	}
	code := strings.Trim(string(e.Code), `"`)
	if code == "null" {
		code = ""
	}
	if e.Type == "error" { // the type of the event, not of the error
		e.Type = ""
	}
	as := status
	if n, err := strconv.Atoi(code); err == nil && status == 0 && n >= 400 && n < 600 {
		as = n // routers put the status of who is behind them in a stream
	}
	failed := model.Classify(as, strings.TrimSpace(e.Type+" "+code), text, header.Get, now)
	failed.Status = status
	if status == 0 && isPolicy(code) {
		failed.Kind = model.KindInvalid
	}
	return failed
}

// readError finds the error in a body: as the field error, an object or a text,
// in a list, or as the whole.
func readError(body []byte) (apiError, bool) {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct {
		Error  json.RawMessage `json:"error"`
		Detail string          `json:"detail"`
	}
	_ = json.Unmarshal(body, &outer)
	inner := outer.Error
	if len(inner) == 0 || string(inner) == "null" {
		inner = body
	}
	var e apiError
	if json.Unmarshal(inner, &e) == nil && (e.Message != "" || e.Type != "" || len(e.Code) > 0) {
		return e, true
	}
	var text string
	if json.Unmarshal(inner, &text) == nil && text != "" {
		return apiError{Message: text}, true
	}
	return apiError{Message: outer.Detail}, outer.Detail != ""
}

// isPolicy knows the codes of failed responses that trying again does not mend.
func isPolicy(code string) bool {
	switch code {
	case "bio_policy", "misalignment_policy_violation", "data_residency_mismatch", "failed_to_download_image":
		return true
	}
	return strings.HasPrefix(code, "invalid_") || strings.HasPrefix(code, "image_") || strings.HasSuffix(code, "_image_file")
}

// broken is a stream that is not of the API's form; another try may get a good one.
func broken(what string, err error) *model.Error {
	return &model.Error{Kind: model.KindIncomplete, Message: "the stream has " + what, Err: err}
}
