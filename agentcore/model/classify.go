package model

import (
	"net/http"
	"strings"
	"time"
)

// Classify makes an [*Error] of what an API answered, for adapters.
//
// status is that of HTTP, 0 for an error inside a stream. apiType is the API's
// own word for the error; one with a type and a code (OpenAI) gives both, with a
// space between. message is the API's text, or the body when it is not of the
// API's form. header reads a header of the answer and may be nil; it gives the
// waiting time, the state of the account's limits and the request's id. now is
// what dates count from.
//
// The message is bounded, a page of HTML becomes its title, and what looks like
// an API key is taken out.
func Classify(status int, apiType, message string, header func(name string) string, now time.Time) *Error {
	if header == nil {
		header = func(string) string { return "" }
	}
	e := &Error{Status: status, Type: apiType, Message: presentable(message), RequestID: header("Request-Id")}
	if e.RequestID == "" {
		e.RequestID = header("X-Request-Id")
	}
	e.RetryAfter = retryAfter(header, now)
	e.Kind = kindOf(status, apiType, strings.ToLower(message), header)
	switch e.Kind {
	case KindUsageLimit:
		if e.ResetAt = resetAt(message, header); e.ResetAt.IsZero() && e.RetryAfter > 0 {
			e.ResetAt = now.Add(e.RetryAfter)
		}
	case KindRateLimited:
		if e.RetryAfter == 0 {
			e.RetryAfter = windowReset(header, now)
		}
	}
	return e
}

// kindOf decides. Wordings come first: both APIs say of some lasting failures
// that they are rate limits or bad requests.
func kindOf(status int, apiType, message string, header func(string) string) Kind {
	words := strings.Fields(apiType)
	switch {
	case status >= 500 && status != 503 && status != 529:
		return KindServer
	case isUsageLimit(status, words, message, header):
		return KindUsageLimit
	case status == 529 || status == http.StatusServiceUnavailable || has(words, "overloaded_error", "server_overloaded", "service_unavailable"):
		return KindOverloaded
	case isTooLong(status, words, message):
		return KindContextTooLong
	case status == http.StatusTooManyRequests || has(words, "rate_limit_error", "rate_limit_exceeded", "too_many_requests"):
		return KindRateLimited
	case status == http.StatusUnauthorized || status == http.StatusForbidden || has(words, "authentication_error", "permission_error", "invalid_api_key"):
		return KindAuth
	case status == http.StatusRequestTimeout || status == http.StatusConflict:
		return KindServer
	case status >= 400 || has(words, "invalid_request_error", "not_found_error", "invalid_prompt"):
		return KindInvalid
	}
	return KindServer
}

// isUsageLimit knows the words of an allowance or a balance that is used up.
// A 429 alone is too fast; these do not pass by waiting seconds.
func isUsageLimit(status int, words []string, message string, header func(string) string) bool {
	if status == http.StatusPaymentRequired || has(words, "billing_error", "insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "usage_limit_reached", "blocking_limit") {
		return true
	}
	if status == http.StatusTooManyRequests && header("Anthropic-Ratelimit-Unified-Status") == "rejected" {
		return true
	}
	return contains(message, "usage limit reached", "api usage limits", "hit your limit", "hit your usage limit", "out of extra usage",
		"credit balance is too low", "exceeded your current quota", "insufficient_quota")
}

func isTooLong(status int, words []string, message string) bool {
	if status == http.StatusRequestEntityTooLarge || has(words, "context_length_exceeded", "request_too_large", "string_above_max_length") {
		return true
	}
	if status == http.StatusTooManyRequests {
		// More tokens at once than a minute allows: waiting does not help.
		return contains(message, "request too large for")
	}
	return contains(message, "prompt is too long", "input is too long", "exceed context limit", "maximum context length", "context_length_exceeded",
		"exceeds the context window", "exceed the context window", "context window exceeded")
}

func has(words []string, any ...string) bool {
	for _, w := range words {
		for _, a := range any {
			if w == a {
				return true
			}
		}
	}
	return false
}

func contains(text string, any ...string) bool {
	for _, a := range any {
		if strings.Contains(text, a) {
			return true
		}
	}
	return false
}
