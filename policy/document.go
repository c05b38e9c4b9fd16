package policy

import (
	"bytes"
	"encoding/json"
	"time"
)

// stampLayout is how instants are written in every document of ours: UTC with
// milliseconds, so that they also compare as strings.
const stampLayout = "2006-01-02T15:04:05.000Z"

func stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

func put(doc map[string]any, key, value string) {
	if value != "" {
		doc[key] = value
	}
}

func putTime(doc map[string]any, key string, t time.Time) {
	if !t.IsZero() {
		doc[key] = stamp(t)
	}
}

func list[T any](items []T, doc func(T) any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = doc(item)
	}
	return out
}

func strings2any(items []string) []any {
	return list(items, func(s string) any { return s })
}

// rawObject decodes the payload for policies. Numbers stay as they were written.
func rawObject(raw json.RawMessage) map[string]any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil || doc == nil {
		return map[string]any{}
	}
	return doc
}
