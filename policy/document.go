package policy

import (
	"encoding/json"
	"time"

	"github.com/tidwall/gjson"
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

// rawObject decodes a JSON object for policies; anything else is the empty
// object. Numbers stay as they were written, and of equal keys the last counts.
// It is gjson's parser and not encoding/json, whose first use in a process costs
// more than the whole document.
func rawObject(raw json.RawMessage) map[string]any {
	if !gjson.ValidBytes(raw) {
		return map[string]any{}
	}
	doc, ok := rawValue(gjson.ParseBytes(raw)).(map[string]any)
	if !ok {
		return map[string]any{}
	}
	return doc
}

func rawValue(v gjson.Result) any {
	switch {
	case v.IsObject():
		doc := map[string]any{}
		v.ForEach(func(key, value gjson.Result) bool {
			doc[key.Str] = rawValue(value)
			return true
		})
		return doc
	case v.IsArray():
		items := []any{}
		v.ForEach(func(_, item gjson.Result) bool {
			items = append(items, rawValue(item))
			return true
		})
		return items
	case v.Type == gjson.Number:
		return json.Number(v.Raw)
	}
	return v.Value()
}
