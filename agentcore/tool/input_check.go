package tool

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/internal/nearest"
)

// checker walks one input.
type checker struct {
	schema   *inputSchema
	problems []string
	dropped  bool // a null was left out
}

func (c *checker) add(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// value checks v, which stands at path.
func (c *checker) value(s *jsonschema.Schema, v any, path string) {
	if s == nil || s.Ref != "" || s.DynamicRef != "" {
		return // the library's part
	}
	if !typeFits(s, v) || !constraintsFit(s, v) {
		c.add("%s must be %s, got %s%s", quote(path), expected(s), describe(v), hintFor(s, v))
		return
	}
	switch v := v.(type) {
	case string:
		if re := c.schema.patterns[s]; re != nil && !re.MatchString(v) {
			c.add("%s must match the pattern %s, got %s", quote(path), s.Pattern, describe(v))
		}
	case []any:
		c.array(s, v, path)
	case map[string]any:
		c.object(s, v, path)
	}
}

func (c *checker) array(s *jsonschema.Schema, v []any, path string) {
	if s.Items == nil || s.PrefixItems != nil || isFalse(s.Items) {
		return
	}
	for i, item := range v {
		c.value(s.Items, item, fmt.Sprintf("%s[%d]", path, i))
	}
}

func (c *checker) object(s *jsonschema.Schema, v map[string]any, path string) {
	keys := make([]string, 0, len(v))
	for key := range v {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	var missing, unknown []string
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			missing = append(missing, name)
		}
	}
	for _, key := range keys {
		prop, known := s.Properties[key]
		switch {
		case known && v[key] == nil && !slices.Contains(s.Required, key) && prop != nil && !typeFits(prop, nil):
			delete(v, key)
			c.dropped = true
		case known:
			c.value(prop, v[key], join(path, key))
		case s.PatternProperties != nil || s.AdditionalProperties == nil:
		case isFalse(s.AdditionalProperties):
			unknown = append(unknown, key)
		default:
			c.value(s.AdditionalProperties, v[key], join(path, key))
		}
	}
	for _, name := range missing {
		c.add("missing property %s: %s", quote(join(path, name)), expected(s.Properties[name]))
	}
	for _, key := range unknown {
		meant := meant(s, key, v[key], missing, len(unknown) == 1)
		if meant != "" {
			meant = fmt.Sprintf(", did you mean %s?", quote(meant))
		}
		c.add("unknown property %s%s", quote(join(path, key)), meant)
	}
}

// meant is the property that somebody meant who wrote key: one of a similar name,
// or the only one that is missing.
func meant(s *jsonschema.Schema, key string, v any, missing []string, only bool) string {
	names := propertyNames(s)
	if near := nearest.Word(key, names); near != "" {
		return near
	}
	lower := strings.ToLower(key)
	for _, name := range names {
		if l := strings.ToLower(name); len(l) >= 3 && strings.Contains(lower, l) || len(lower) >= 3 && strings.Contains(l, lower) {
			return name
		}
	}
	if only && len(missing) == 1 && s.Properties[missing[0]] != nil && typeFits(s.Properties[missing[0]], v) {
		return missing[0]
	}
	return ""
}

// propertyNames gives the properties in the order of the schema where it has one,
// required ones first otherwise.
func propertyNames(s *jsonschema.Schema) []string {
	names := slices.Clone(s.PropertyOrder)
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var rest []string
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	sort.Strings(rest)
	return append(names, rest...)
}

func typeFits(s *jsonschema.Schema, v any) bool {
	if s.Type == "" && s.Types == nil {
		return true
	}
	is := jsonType(v)
	fits := func(t string) bool { return t == is || t == "number" && is == "integer" }
	return s.Type != "" && fits(s.Type) || slices.ContainsFunc(s.Types, fits)
}

func jsonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// constraintsFit checks what [expected] can say beside the type.
func constraintsFit(s *jsonschema.Schema, v any) bool {
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return jsonschema.Equal(e, v) }) {
		return false
	}
	if s.Const != nil && !jsonschema.Equal(*s.Const, v) {
		return false
	}
	switch v := v.(type) {
	case float64:
		return (s.Minimum == nil || v >= *s.Minimum) && (s.Maximum == nil || v <= *s.Maximum) &&
			(s.ExclusiveMinimum == nil || v > *s.ExclusiveMinimum) && (s.ExclusiveMaximum == nil || v < *s.ExclusiveMaximum)
	case string:
		return within(s.MinLength, s.MaxLength, func() int { return utf8.RuneCountInString(v) })
	case []any:
		return within(s.MinItems, s.MaxItems, func() int { return len(v) })
	}
	return true
}

func within(least, most *int, count func() int) bool {
	if least == nil && most == nil {
		return true
	}
	n := count()
	return (least == nil || n >= *least) && (most == nil || n <= *most)
}

// describe shows a value inside a message.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(clip(v, 60))
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		return fmt.Sprintf("an array of %d", len(v))
	case map[string]any:
		return "an object"
	}
	return fmt.Sprint(v)
}

// hintFor helps with the two usual slips: quotes around a value that needs none,
// and a misspelt word of a list.
func hintFor(s *jsonschema.Schema, v any) string {
	text, ok := v.(string)
	if !ok {
		return ""
	}
	var words []string
	for _, e := range s.Enum {
		if w, ok := e.(string); ok {
			words = append(words, w)
		}
	}
	if near := nearest.Word(text, words); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	n, err := strconv.ParseFloat(text, 64)
	number := err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) && typeFits(s, n)
	if number || (text == "true" || text == "false") && typeFits(s, true) && !typeFits(s, "") {
		return ": write it without quotes"
	}
	return ""
}

func quote(path string) string {
	if path == "" {
		return "the input"
	}
	return strconv.Quote(clip(path, 100))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
