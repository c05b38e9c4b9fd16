package model

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads how long the API asks to wait: in milliseconds, in seconds,
// or until a date.
func retryAfter(header func(string) string, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header("Retry-After-Ms"), 64); err == nil {
		return span(ms, time.Millisecond)
	}
	value := strings.TrimSpace(header("Retry-After"))
	if value == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return span(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// span guards against numbers that are none of a wait: negative ones, NaN, and
// those that a Duration cannot hold.
func span(n float64, unit time.Duration) time.Duration {
	const most = 10 * 365 * 24 * time.Hour
	if !(n > 0) {
		return 0
	}
	if n > float64(most/unit) {
		return most
	}
	return time.Duration(n * float64(unit))
}

// windowReset is the longest wait until a window of a rate limit that is used up
// opens again.
func windowReset(header func(string) string, now time.Time) time.Duration {
	longest := time.Duration(0)
	for _, window := range []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		if header("Anthropic-Ratelimit-"+window+"-Remaining") == "0" {
			if at, err := time.Parse(time.RFC3339, header("Anthropic-Ratelimit-"+window+"-Reset")); err == nil {
				longest = max(longest, at.Sub(now))
			}
		}
		if header("X-Ratelimit-Remaining-"+window) == "0" {
			if d, err := time.ParseDuration(header("X-Ratelimit-Reset-" + window)); err == nil {
				longest = max(longest, d)
			}
		}
	}
	return longest
}

// resetAt is when a used-up allowance is there again, from the header or from
// the text: "…limit reached|1750708800", "…regain access on 2026-12-01 at 00:00
// UTC". Zero: not said.
func resetAt(message string, header func(string) string) time.Time {
	if at, ok := epoch(header("Anthropic-Ratelimit-Unified-Reset")); ok {
		return at
	}
	if _, tail, ok := strings.Cut(message, "|"); ok {
		digits := strings.TrimSpace(tail)
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		if at, ok := epoch(digits); ok {
			return at
		}
	}
	const layout = "2006-01-02 at 15:04 MST"
	if _, tail, ok := strings.Cut(message, "regain access on "); ok && len(tail) >= len(layout) {
		if at, err := time.Parse(layout, tail[:len(layout)]); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// epoch reads seconds since 1970, or milliseconds when there are 13 digits.
func epoch(digits string) (time.Time, bool) {
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil || n <= 0:
		return time.Time{}, false
	case len(digits) >= 13:
		return time.UnixMilli(n).UTC(), true
	}
	return time.Unix(n, 0).UTC(), true
}
