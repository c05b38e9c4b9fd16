package tool

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"
)

const sampleSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "minLength": 1},
		"limit": {"type": "integer", "minimum": 1},
		"mode": {"enum": ["content", "files", "count"]},
		"all": {"type": "boolean"},
		"edits": {"type": "array", "maxItems": 2, "items": {"type": "object", "required": ["old"], "properties": {"old": {"type": "string"}}, "additionalProperties": false}},
		"id": {"type": "string", "pattern": "^b[0-9]+$"}
	},
	"required": ["path"],
	"additionalProperties": false
}`

func mustSchema(t testing.TB, raw string) *inputSchema {
	t.Helper()
	s, err := newInputSchema(json.RawMessage(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestInput_RT30_messages(t *testing.T) {
	s := mustSchema(t, sampleSchema)
	for _, tc := range []struct {
		reason, input string
		want          []string
	}{
		{"good", `{"path": "a", "limit": 3, "mode": "files", "all": true, "edits": [{"old": "x"}], "id": "b1"}`, nil},
		{"no object", `["a"]`, []string{`the input must be a JSON object, got an array of 1`}},
		{"a bare string", `"a"`, []string{`the input must be a JSON object, got "a"`}},
		{"cut off", `{"path": "a`, []string{`the input is no valid JSON: it ends too early, after 11 bytes; was it cut off?`}},
		{"no JSON", `{path: 1}`, []string{`the input is no valid JSON: invalid character 'p' looking for beginning of object key string at byte 1, near "{path: 1}"`}},
		{"missing", `{}`, []string{`missing property "path": a string (not empty)`}},
		{"nothing at all stands for {}", ``, []string{`missing property "path": a string (not empty)`}},
		{"empty", `{"path": ""}`, []string{`"path" must be a string (not empty), got ""`}},
		{"a word for a number", `{"path": "a", "limit": "ten"}`, []string{`"limit" must be an integer ≥ 1, got "ten"`}},
		{"a number in quotes is not converted", `{"path": "a", "limit": "10"}`, []string{`"limit" must be an integer ≥ 1, got "10": write it without quotes`}},
		{"true in quotes", `{"path": "a", "all": "true"}`, []string{`"all" must be true or false, got "true": write it without quotes`}},
		{"too small", `{"path": "a", "limit": 0}`, []string{`"limit" must be an integer ≥ 1, got 0`}},
		{"a fraction", `{"path": "a", "limit": 2.5}`, []string{`"limit" must be an integer ≥ 1, got 2.5`}},
		{"no word of the list", `{"path": "a", "mode": "contents"}`, []string{`"mode" must be one of "content", "files", "count", got "contents", did you mean "content"?`}},
		{"another name for it", `{"file_path": "a"}`, []string{`missing property "path": a string (not empty)`, `unknown property "file_path", did you mean "path"?`}},
		{"the only one missing", `{"filename": "a"}`, []string{`missing property "path": a string (not empty)`, `unknown property "filename", did you mean "path"?`}},
		{"a slip", `{"path": "a", "limti": 2}`, []string{`unknown property "limti", did you mean "limit"?`}},
		{"nothing like it", `{"path": "a", "zzz": 2}`, []string{`unknown property "zzz"`}},
		{"capitals count", `{"Path": "a"}`, []string{`missing property "path": a string (not empty)`, `unknown property "Path", did you mean "path"?`}},
		{"inside an array", `{"path": "a", "edits": [{"old": "x"}, {"old": 1}]}`, []string{`"edits[1].old" must be a string, got 1`}},
		{"missing inside", `{"path": "a", "edits": [{}]}`, []string{`missing property "edits[0].old": a string`}},
		{"too many", `{"path": "a", "edits": [{"old": "x"}, {"old": "x"}, {"old": "x"}]}`, []string{`"edits" must be an array of {"old": string} (at most 2 items), got an array of 3`}},
		{"a pattern", `{"path": "a", "id": "c1"}`, []string{`"id" must match the pattern ^b[0-9]+$, got "c1"`}},
		{"null for an optional one is none", `{"path": "a", "limit": null}`, nil},
		{"null for a required one", `{"path": null}`, []string{`"path" must be a string (not empty), got null`}},
		{"many", `{"a1": 1, "b2": 1, "c3": 1, "d4": 1, "e5": 1, "f6": 1, "path": "a"}`,
			[]string{`unknown property "a1"`, `unknown property "b2"`, `unknown property "c3"`, `unknown property "d4"`, `unknown property "e5"`, `and 1 more`}},
	} {
		_, got := s.check(json.RawMessage(tc.input))
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s\n%s", tc.reason, tc.input, diff)
		}
	}
}

func TestInput_whatTheToolGets(t *testing.T) {
	s := mustSchema(t, sampleSchema)
	for _, tc := range []struct{ reason, input, want string }{
		{"as it came", `{ "path":"a" }`, `{ "path":"a" }`},
		{"without the nulls", `{"path":"a","limit":null,"edits":[]}`, `{"edits":[],"path":"a"}`},
	} {
		got, problems := s.check(json.RawMessage(tc.input))
		if len(problems) > 0 || string(got) != tc.want {
			t.Errorf("%s: %s, %v", tc.reason, got, problems)
		}
	}
}

func TestInput_shortForm(t *testing.T) {
	want := `{"path": string (not empty), "limit"?: integer ≥ 1, "mode"?: "content" | "files" | "count", "all"?: boolean, "edits"?: [{"old": string}, ...] (at most 2 items), "id"?: string}`
	if got := mustSchema(t, sampleSchema).oneLine; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// What ours does not know is the library's to say.
func TestInput_otherKeywords(t *testing.T) {
	for _, tc := range []struct{ reason, schema, good, bad, want string }{
		{"anyOf", `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"b":1}`, `{"c":1}`, "anyOf"},
		{"$ref", `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"a":1}`, `{"a":"x"}`, "type"},
		{"a property that must not be", `{"type":"object","properties":{"a":false}}`, `{"b":1}`, `{"a":1}`, ""},
		{"patternProperties", `{"type":"object","patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`, `{"x1":"a"}`, `{"x1":1}`, "type"},
		{"unique", `{"type":"object","properties":{"a":{"type":"array","uniqueItems":true}}}`, `{"a":[1,2]}`, `{"a":[1,1]}`, "uniqueItems"},
	} {
		s := mustSchema(t, tc.schema)
		if _, problems := s.check(json.RawMessage(tc.good)); len(problems) > 0 {
			t.Errorf("%s: good input refused: %v", tc.reason, problems)
		}
		_, problems := s.check(json.RawMessage(tc.bad))
		if len(problems) == 0 || !strings.Contains(strings.Join(problems, "\n"), tc.want) {
			t.Errorf("%s: bad input gives %v, want something with %q", tc.reason, problems, tc.want)
		}
	}
}

func TestInput_badSchemas(t *testing.T) {
	for _, raw := range []string{``, `[]`, `{}`, `{"type":"string"}`, `{"type":"object","properties":{"a":{"pattern":"("}}}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`} {
		if _, err := newInputSchema(json.RawMessage(raw)); err == nil {
			t.Errorf("%q is taken for a schema", raw)
		}
	}
}

// Every keyword of the library is ours, the library's alone, or says nothing
// about what is valid. A new version with a new one fails here.
func TestInput_everyKeywordHasAPlace(t *testing.T) {
	ours := strings.Fields("Type Types Enum Const Minimum Maximum ExclusiveMinimum ExclusiveMaximum MinLength MaxLength Pattern Items MinItems MaxItems Required Properties AdditionalProperties")
	silent := strings.Fields("ID Schema Comment Defs Definitions Anchor DynamicAnchor Vocabulary Title Description Default Deprecated ReadOnly WriteOnly Examples ContentEncoding ContentMediaType ContentSchema Format Extra PropertyOrder")
	known := map[string]bool{}
	for _, name := range append(ours, silent...) {
		known[name] = true
	}
	typ := reflect.TypeFor[jsonschema.Schema]()
	for i := range typ.NumField() {
		f := typ.Field(i)
		if known[f.Name] {
			continue
		}
		s := &jsonschema.Schema{}
		reflect.ValueOf(s).Elem().Field(i).Set(something(f.Type))
		if !beyondUs(s) {
			t.Errorf("keyword %s is neither checked nor left to the library", f.Name)
		}
	}
}

func something(t reflect.Type) reflect.Value {
	switch t.Kind() {
	case reflect.Pointer:
		return reflect.New(t.Elem())
	case reflect.Slice:
		return reflect.MakeSlice(t, 1, 1)
	case reflect.Map:
		return reflect.MakeMap(t)
	case reflect.Bool:
		return reflect.ValueOf(true)
	}
	return reflect.ValueOf("x").Convert(t)
}

// Ours says yes and no where the library does.
func TestInput_agreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := drawSchema(t, 2)
		schema["type"] = "object"
		raw, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newInputSchema(raw)
		if err != nil {
			t.Fatal(err)
		}
		input, err := json.Marshal(drawObject(t, 2))
		if err != nil {
			t.Fatal(err)
		}
		got, problems := s.check(input)
		var v any
		if err := json.Unmarshal(input, &v); err != nil {
			t.Fatal(err)
		}
		if got != nil {
			if err := json.Unmarshal(got, &v); err != nil { // without the nulls that were let through
				t.Fatal(err)
			}
		}
		if err := s.resolved.Validate(v); (err == nil) != (len(problems) == 0) {
			t.Fatalf("schema %s\ninput %s\nours %v\nlibrary %v", raw, input, problems, err)
		}
	})
}

func drawSchema(t *rapid.T, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "null", "enum", "any", "types"}
	if depth > 0 {
		kinds = append(kinds, "array", "object", "object")
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	s := map[string]any{}
	maybe := func(name string, v any) {
		if rapid.Bool().Draw(t, name) {
			s[name] = v
		}
	}
	n := func() int { return rapid.IntRange(0, 3).Draw(t, "n") }
	switch kind {
	case "any":
		return s
	case "enum":
		s["enum"] = []any{"a", 1, nil, true}
		return s
	case "types":
		s["type"] = []string{"string", "null"}
		return s
	case "integer", "number":
		maybe("minimum", n())
		maybe("exclusiveMaximum", n())
	case "string":
		maybe("minLength", n())
		maybe("maxLength", n())
		maybe("pattern", "^a")
	case "array":
		maybe("items", drawSchema(t, depth-1))
		maybe("minItems", n())
	case "object":
		s["properties"] = map[string]any{"a": drawSchema(t, depth-1), "b": drawSchema(t, depth-1)}
		maybe("required", []string{"a"})
		maybe("additionalProperties", rapid.SampledFrom([]any{false, true, map[string]any{"type": "string"}}).Draw(t, "ap"))
	}
	s["type"] = kind
	return s
}

func drawObject(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for _, key := range []string{"a", "b", "c"} {
		if rapid.Bool().Draw(t, key) {
			out[key] = drawValue(t, depth-1)
		}
	}
	return out
}

func drawValue(t *rapid.T, depth int) any {
	plain := []any{"", "a", "abc", 0, 1, 2, 3.5, true, false, nil}
	if depth > 0 && rapid.IntRange(0, 2).Draw(t, "deep") == 0 {
		if rapid.Bool().Draw(t, "array") {
			return []any{drawValue(t, depth-1), drawValue(t, depth-1)}
		}
		return drawObject(t, depth)
	}
	return rapid.SampledFrom(plain).Draw(t, "plain")
}

func FuzzInput(f *testing.F) {
	for _, seed := range []string{`{"path":"a"}`, `{"path":1,"limit":"x"}`, `[`, `{"edits":[{"old":null}]}`, "\xff", `{"path":"a","limit":1e999}`} {
		f.Add([]byte(seed))
	}
	s := mustSchema(f, sampleSchema)
	f.Fuzz(func(t *testing.T, input []byte) {
		got, problems := s.check(input)
		if (got == nil) == (len(problems) == 0) {
			t.Fatalf("input %q gives %q and %q", input, got, problems)
		}
		if got == nil {
			return
		}
		if again, problems := s.check(got); len(problems) > 0 || string(again) != string(got) {
			t.Fatalf("%q is good, and what the tool gets of it, %q, is not: %v", input, got, problems)
		}
	})
}
