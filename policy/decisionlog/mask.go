package decisionlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
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
