package modeltest

import "net/http"

// API is the protocol that an adapter speaks.
type API string

// The APIs that have case files.
const (
	Anthropic API = "anthropic" // Messages
	Chat      API = "chat"      // OpenAI Chat Completions
	Responses API = "responses" // OpenAI Responses
)

// APIKey is the key that adapters under test must send. It must turn up nowhere
// else.
const APIKey = "sk-test-0123456789-never-shown"

// path is where the API is asked.
func (a API) path() string {
	switch a {
	case Chat:
		return "/v1/chat/completions"
	case Responses:
		return "/v1/responses"
	}
	return "/v1/messages"
}

// base is what an SDK of the API wants as its address: OpenAI's contains the
// version.
func (a API) base(server string) string {
	if a == Anthropic {
		return server
	}
	return server + "/v1"
}

// keyOf reads the key of a request from where the API wants it. Anthropic's has
// two places.
func (a API) keyOf(h http.Header) string {
	if key := h.Get("X-Api-Key"); a == Anthropic && key != "" {
		return key
	}
	const bearer = "Bearer "
	if v := h.Get("Authorization"); len(v) > len(bearer) && v[:len(bearer)] == bearer {
		return v[len(bearer):]
	}
	return ""
}
