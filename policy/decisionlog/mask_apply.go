package decisionlog

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// apply returns the event with the mask applied. Only the containers along the
// path are copied, so the caller's values stay as they are.
func (m Mask) apply(e *Event) error {
	parts, err := m.parts()
	if err != nil {
		return err
	}
	root := &e.Input
	if parts[0] == "result" {
		root = &e.Result
	}
	changed := false
	switch {
	case m.Op == OpUpsert && len(parts) == 1:
		*root, changed = m.Value, true
	case m.Op == OpUpsert:
		*root, changed = upsert(*root, parts[1:], m.Value)
	case len(parts) == 1:
		changed = *root != nil
		*root = nil
	default:
		*root, changed = remove(*root, parts[1:])
	}
	if !changed {
		return nil
	}
	if m.Op == OpRemove {
		e.Erased = append(e.Erased, joinPath(parts))
	} else {
		e.Masked = append(e.Masked, joinPath(parts))
	}
	return nil
}

// remove returns a copy of node without what stands at path, or node itself and
// false when nothing stands there.
func remove(node any, path []string) (any, bool) {
	node = container(node)
	switch v := node.(type) {
	case map[string]any:
		child, ok := v[path[0]]
		if !ok {
			return node, false
		}
		if len(path) > 1 {
			if child, ok = remove(child, path[1:]); !ok {
				return node, false
			}
		}
		v = maps.Clone(v)
		if len(path) > 1 {
			v[path[0]] = child
		} else {
			delete(v, path[0])
		}
		return v, true
	case []any:
		i, ok := index(path[0], len(v))
		if !ok {
			return node, false
		}
		if len(path) == 1 {
			return append(slices.Clone(v[:i]), v[i+1:]...), true
		}
		child, ok := remove(v[i], path[1:])
		if !ok {
			return node, false
		}
		v = slices.Clone(v)
		v[i] = child
		return v, true
	default:
		return node, false
	}
}

// upsert returns a copy of node with value at path; missing maps are made on the
// way. It cannot reach through a scalar or beyond a list's end.
func upsert(node any, path []string, value any) (any, bool) {
	if len(path) == 0 {
		return value, true
	}
	node = container(node)
	switch v := node.(type) {
	case map[string]any:
		child, ok := v[path[0]]
		if !ok && len(path) > 1 {
			child = map[string]any{}
		}
		if child, ok = upsert(child, path[1:], value); !ok {
			return node, false
		}
		if v = maps.Clone(v); v == nil {
			v = map[string]any{}
		}
		v[path[0]] = child
		return v, true
	case []any:
		i, ok := index(path[0], len(v))
		if !ok {
			return node, false
		}
		child, ok := upsert(v[i], path[1:], value)
		if !ok {
			return node, false
		}
		v = slices.Clone(v)
		v[i] = child
		return v, true
	default:
		return node, false
	}
}

func index(s string, n int) (int, bool) {
	i, err := strconv.Atoi(s)
	return i, err == nil && i >= 0 && i < n
}

// container makes a value that is no scalar walkable: typed maps, slices and
// structs become generic ones.
func container(v any) any {
	switch v := v.(type) {
	case nil, map[string]any, []any, string, bool, int, int64, float64, json.Number:
		return v
	default:
		return generic(v)
	}
}

// generic passes a value through encoding/json. What cannot be encoded becomes a
// string that says so; a log line is not lost to it.
func generic(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return "(not encodable: " + err.Error() + ")"
	}
	out, err := decodeAny(data)
	if err != nil {
		return "(not encodable: " + err.Error() + ")"
	}
	return out
}

// joinPath writes a path the way OPA lists it.
func joinPath(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(p))
	}
	return b.String()
}
