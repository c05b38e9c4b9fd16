package decisionlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ErrMask is wrapped by every error about a mask.
var ErrMask = errors.New("mask is not valid")

// The operations of a mask, as in OPA.
const (
	OpRemove = "remove" // the value disappears; the path is listed in erased
	OpUpsert = "upsert" // the value is replaced or added; the path is listed in masked
)

// Mask hides one place of a logged event. Path begins with /input or /result and
// goes on with keys or list indexes; a slash inside a key is written %2F. A mask
// whose path does not exist does nothing when it removes, and creates the path
// when it upserts, just as in OPA.
type Mask struct {
	Op    string
	Path  string
	Value any // of an upsert
}

// ParseMask reads a mask from a config file: a string is a path to remove, an
// object has op, path and, for an upsert, value.
func ParseMask(v any) (Mask, error) {
	m := Mask{Op: OpRemove}
	switch v := v.(type) {
	case string:
		m.Path = v
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			value, ok := v[key], true
			switch key {
			case "op":
				m.Op, ok = value.(string)
			case "path":
				m.Path, ok = value.(string)
			case "value":
				m.Value = value
			default:
				return Mask{}, fmt.Errorf("%w: unknown key %q; the keys are op, path and value", ErrMask, key)
			}
			if !ok {
				return Mask{}, fmt.Errorf("%w: %s must be a string", ErrMask, key)
			}
		}
	default:
		return Mask{}, fmt.Errorf("%w: write a path such as /input/hook/last_assistant_message, or an object with op and path", ErrMask)
	}
	return m, m.Validate()
}

// Validate checks the operation and the path.
func (m Mask) Validate() error {
	if m.Op != OpRemove && m.Op != OpUpsert {
		return fmt.Errorf("%w: unknown op %q; use remove or upsert", ErrMask, m.Op)
	}
	_, err := m.parts()
	return err
}

// parts splits the path into unescaped keys.
func (m Mask) parts() ([]string, error) {
	rest, ok := strings.CutPrefix(m.Path, "/")
	if !ok {
		return nil, fmt.Errorf("%w: path %q must begin with a slash", ErrMask, m.Path)
	}
	parts := strings.Split(rest, "/")
	if parts[0] != "input" && parts[0] != "result" {
		return nil, fmt.Errorf("%w: path %q must begin with /input or /result", ErrMask, m.Path)
	}
	for i, p := range parts {
		if strings.IndexByte(p, '%') < 0 {
			continue
		}
		key, err := url.PathUnescape(p)
		if err != nil {
			return nil, fmt.Errorf("%w: path %q: %w", ErrMask, m.Path, err)
		}
		parts[i] = key
	}
	return parts, nil
}

// Document is the mask as a config file would hold it.
func (m Mask) Document() any {
	if m.Op == OpRemove {
		return m.Path
	}
	return map[string]any{"op": m.Op, "path": m.Path, "value": m.Value}
}

// MarshalJSON writes the form that [ParseMask] reads.
func (m Mask) MarshalJSON() ([]byte, error) { return json.Marshal(m.Document()) }

// UnmarshalJSON reads what [ParseMask] reads.
func (m *Mask) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	parsed, err := ParseMask(v)
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

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
