package decisionlog

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMask_Apply(t *testing.T) {
	input := func() any {
		return map[string]any{
			"a": map[string]any{"b": "secret", "list": []any{"x", "y", map[string]any{"z": 1}}},
			"s": "text", "odd/key": 1, "nil": map[string]any(nil),
		}
	}
	tests := []struct {
		name           string
		masks          []Mask
		want           any
		erased, masked []string
		reason         string
	}{
		{"remove", []Mask{{OpRemove, "/input/a/b", nil}}, map[string]any{"a": map[string]any{"list": []any{"x", "y", map[string]any{"z": 1}}}, "s": "text", "odd/key": 1, "nil": map[string]any(nil)}, []string{"/input/a/b"}, nil, "the key goes and is listed"},
		{"remove missing", []Mask{{OpRemove, "/input/no/such", nil}}, input(), nil, nil, "nothing there: nothing listed, as in OPA"},
		{"remove through a scalar", []Mask{{OpRemove, "/input/s/x", nil}}, input(), nil, nil, "a string has no keys"},
		{"remove a list item", []Mask{{OpRemove, "/input/a/list/0", nil}, {OpRemove, "/input/a/list/1/z", nil}}, map[string]any{"a": map[string]any{"b": "secret", "list": []any{"y", map[string]any{}}}, "s": "text", "odd/key": 1, "nil": map[string]any(nil)}, []string{"/input/a/list/0", "/input/a/list/1/z"}, nil, "masks work in order, on what is left"},
		{"list index beyond", []Mask{{OpRemove, "/input/a/list/9", nil}, {OpRemove, "/input/a/list/-1", nil}}, input(), nil, nil, "no such item"},
		{"escaped key", []Mask{{OpRemove, "/input/odd%2Fkey", nil}}, map[string]any{"a": input().(map[string]any)["a"], "s": "text", "nil": map[string]any(nil)}, []string{"/input/odd%2Fkey"}, nil, "a slash inside a key"},
		{"root", []Mask{{OpRemove, "/input", nil}}, nil, []string{"/input"}, nil, "the whole input"},
		{"upsert", []Mask{{OpUpsert, "/input/a/b", "***"}}, map[string]any{"a": map[string]any{"b": "***", "list": []any{"x", "y", map[string]any{"z": 1}}}, "s": "text", "odd/key": 1, "nil": map[string]any(nil)}, nil, []string{"/input/a/b"}, "the value changes and is listed as masked"},
		{"upsert new", []Mask{{OpUpsert, "/input/nil/x/y", 1}}, map[string]any{"a": input().(map[string]any)["a"], "s": "text", "odd/key": 1, "nil": map[string]any{"x": map[string]any{"y": 1}}}, nil, []string{"/input/nil/x/y"}, "the way is made, also through a nil map"},
		{"upsert through a scalar", []Mask{{OpUpsert, "/input/s/x", 1}}, input(), nil, nil, "no way"},
		{"upsert list item", []Mask{{OpUpsert, "/input/a/list/2/z", 2}, {OpUpsert, "/input/a/list/7", 2}}, map[string]any{"a": map[string]any{"b": "secret", "list": []any{"x", "y", map[string]any{"z": 2}}}, "s": "text", "odd/key": 1, "nil": map[string]any(nil)}, nil, []string{"/input/a/list/2/z"}, "inside the list only"},
		{"upsert root", []Mask{{OpUpsert, "/input", "gone"}}, "gone", nil, []string{"/input"}, "the whole input"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := Event{Input: input()}
			before := e.Input
			for _, m := range tt.masks {
				if err := m.apply(&e); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.want, e.Input); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if diff := cmp.Diff([][]string{tt.erased, tt.masked}, [][]string{e.Erased, e.Masked}); diff != "" {
				t.Errorf("lists (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(input(), before); diff != "" {
				t.Errorf("the caller's input changed:\n%s", diff)
			}
		})
	}
}

func TestMask_TypedValues(t *testing.T) {
	type hook struct {
		Text string `json:"text"`
		N    int    `json:"n"`
	}
	e := Event{Input: map[string]any{"hook": hook{"x", 1}, "raw": json.RawMessage(`{"k":1}`)}, Result: map[string]string{"v": "allow"}}
	for _, m := range []Mask{{OpRemove, "/input/hook/text", nil}, {OpUpsert, "/input/raw/k", 2}, {OpRemove, "/result/v", nil}} {
		if err := m.apply(&e); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]any{"hook": map[string]any{"n": json.Number("1")}, "raw": map[string]any{"k": 2}}
	if diff := cmp.Diff(any(want), e.Input); diff != "" {
		t.Errorf("structs and raw JSON can be masked too (-want +got):\n%s", diff)
	}
}

func TestParseMask(t *testing.T) {
	tests := []struct {
		name   string
		in     string
		want   Mask
		ok     bool
		reason string
	}{
		{"string", `"/input/a"`, Mask{Op: OpRemove, Path: "/input/a"}, true, "a path alone removes"},
		{"upsert", `{"op":"upsert","path":"/result/reason","value":"x"}`, Mask{OpUpsert, "/result/reason", "x"}, true, "the long form"},
		{"default op", `{"path":"/input/a"}`, Mask{Op: OpRemove, Path: "/input/a"}, true, "remove is the default"},
		{"no slash", `"input/a"`, Mask{}, false, "paths begin with a slash"},
		{"other root", `"/labels/x"`, Mask{}, false, "only input and result can be masked"},
		{"empty", `""`, Mask{}, false, "no path"},
		{"bad escape", `"/input/%zz"`, Mask{}, false, "no such escape"},
		{"bad op", `{"op":"drop","path":"/input"}`, Mask{}, false, "unknown operation"},
		{"bad type", `{"op":1,"path":"/input"}`, Mask{}, false, "op is a string"},
		{"unknown key", `{"path":"/input","vale":1}`, Mask{}, false, "a typo would hide nothing"},
		{"number", `5`, Mask{}, false, "neither form"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got Mask
			err := json.Unmarshal([]byte(tt.in), &got)
			if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrMask) {
				t.Fatalf("%s: error %v", tt.reason, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if tt.ok {
				data, _ := json.Marshal(got)
				var again Mask
				if err := json.Unmarshal(data, &again); err != nil || !cmp.Equal(got, again) {
					t.Errorf("does not survive encoding: %s, %v", data, err)
				}
			}
		})
	}
}

// value draws a JSON-like value with a few nasty strings in it.
func value(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"", "plain", "password=hunter2", "\xff\x00\u2028", key("gh"+"p_", 36), "a\"b\\c\nd", "😀"}).Draw(t, "string")
		case 1:
			return rapid.SampledFrom([]any{nil, true, false, 1.5e300, math.Copysign(0, -1), 1e-9, json.Number("12"), json.Number("-1.5e3"), json.Number("nonsense")}).Draw(t, "scalar")
		case 2:
			return rapid.Int64().Draw(t, "int")
		case 3:
			return rapid.SampledFrom([]any{[]string{"token=abc"}, map[string]string{"k": "v"}, []map[string]any{{"x": 1}}, testTime}).Draw(t, "typed")
		case 4:
			return rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "list")
		default:
			m := map[string]any{}
			for range rapid.IntRange(0, 3).Draw(t, "size") {
				k := rapid.SampledFrom([]string{"a", "b", "token", "x/y", "0", "ö"}).Draw(t, "key")
				m[k] = value(depth-1).Draw(t, "value")
			}
			return m
		}
	})
}

func masks() *rapid.Generator[[]Mask] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Mask {
		path := "/" + rapid.SampledFrom([]string{"input", "result"}).Draw(t, "root")
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			path += "/" + rapid.SampledFrom([]string{"a", "b", "token", "x%2Fy", "0", "1"}).Draw(t, "part")
		}
		if rapid.Bool().Draw(t, "remove") {
			return Mask{Op: OpRemove, Path: path}
		}
		return Mask{OpUpsert, path, rapid.SampledFrom([]any{"***", nil, map[string]any{"a": 1}, []any{1}}).Draw(t, "value")}
	}), 0, 4)
}

// deepCopy is the naive model of leaving the caller alone.
func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = deepCopy(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = deepCopy(x)
		}
		return out
	default:
		return v
	}
}

func TestMask_NeverChangesTheCallersEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Event{
			DecisionID: "x", Input: value(4).Draw(t, "input"), Result: value(2).Draw(t, "result"),
			Custom: map[string]any{"c": value(1).Draw(t, "custom")},
			Erased: append(make([]string, 0, 8), "/input/before"), Masked: make([]string, 0, 8),
		}
		input, result, custom := deepCopy(e.Input), deepCopy(e.Result), deepCopy(e.Custom)
		w := Writer{Masks: masks().Draw(t, "masks")}
		line, err := w.encode(e)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{input, result, custom}, []any{e.Input, e.Result, any(e.Custom)}); diff != "" {
			t.Fatalf("the caller's values changed (-before +after):\n%s", diff)
		}
		if got := e.Erased[:cap(e.Erased)]; got[1] != "" {
			t.Fatalf("the caller's array was written into: %q", got)
		}
		var back Event
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatalf("line does not parse: %v\n%s", err, line)
		}
	})
}
