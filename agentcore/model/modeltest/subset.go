package modeltest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// missing says where got does not hold what want asks for, or nothing. An object
// may have more fields than asked for; a field that is asked to be null must be
// missing or null. Lists match item by item. The string "*" is anything but
// nothing.
func missing(at string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s is %s, want an object", at, brief(got))
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if m := missing(at+"."+name, want[name], object[name]); m != "" {
				return m
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%s is %s, want a list of %d", at, brief(got), len(want))
		}
		for i, w := range want {
			if m := missing(fmt.Sprintf("%s[%d]", at, i), w, list[i]); m != "" {
				return m
			}
		}
		return ""
	case string:
		if want == "*" && got != nil && got != "" {
			return ""
		}
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Sprintf("%s is %s, want %s", at, brief(got), brief(want))
	}
	return ""
}

func brief(v any) string {
	if v == nil {
		return "not there"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 600 {
		text = append(text[:600:600], " …"...)
	}
	return string(text)
}
