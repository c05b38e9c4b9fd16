package jsonedit_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/internal/jsonedit"
)

func parse(t testing.TB, text string) *jsonedit.Document {
	t.Helper()
	d, err := jsonedit.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

func TestParse_errors(t *testing.T) {
	for _, tc := range []struct {
		reason, text string
		line, column int
		say          string
	}{
		{"nothing", "", 1, 1, "the file ends"},
		{"white space alone", " \n\t", 2, 2, "the file ends"},
		{"an object that is cut", "{\n  \"a\": 1", 1, 1, "ends what begins here"},
		{"a list that is cut", "{\"a\": [1,\n2", 1, 7, "ends what begins here"},
		{"a comma is missing", "{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3, "a comma"},
		{"a name without quotes", "{a: 1}", 1, 2, "a name in double quotes"},
		{"a name in single quotes", "{'a': 1}", 1, 2, "a name in double quotes"},
		{"no colon", "{\"a\" 1}", 1, 6, "no colon"},
		{"two commas", "[1,,2]", 1, 4, "no value"},
		{"a leading comma", "[,1]", 1, 2, "no value"},
		{"a word", "{\"a\": yes}", 1, 7, `no value: "yes}"`},
		{"a number that JSON has not", "[01]", 1, 2, "no value"},
		{"a line break in a string", "{\"a\": \"x\ny\"}", 1, 9, "does not end on its line"},
		{"a string to the end", "[\"abc", 1, 2, "a string that does not end"},
		{"a single backslash", `{"a": "C:\Users"}`, 1, 7, "a backslash is written as two"},
		{"a comment to the end", "{} /* x", 1, 4, "a comment that does not end"},
		{"a stray slash", "{/}", 1, 2, "stray slash"},
		{"two values", "{} {}", 1, 4, "something follows"},
		{"merge marks", "{\n<<<<<<< HEAD\n}", 2, 1, "a name in double quotes"},
		{"UTF-16", "\xff\xfe{\x00}\x00", 1, 1, "UTF-16"},
		{"too deep", strings.Repeat("[", 5000), 1, 1002, "too deeply"},
	} {
		_, err := jsonedit.Parse([]byte(tc.text))
		var at *jsonedit.SyntaxError
		if !errors.As(err, &at) {
			t.Errorf("%s: %v, want a syntax error", tc.reason, err)
			continue
		}
		if at.Line != tc.line || at.Column != tc.column || !strings.Contains(at.What, tc.say) {
			t.Errorf("%s: line %d, column %d: %s; want %d, %d: %s", tc.reason, at.Line, at.Column, at.What, tc.line, tc.column, tc.say)
		}
	}
}

func TestParse_finds(t *testing.T) {
	d := parse(t, "\xef\xbb\xbf// head\r\n{\"a\": {\"b\": [1, {\"c\": \"x\\n\\u00e9\"},],}, \"a\": {\"b\": [\"last\"]}} // tail")
	if n := d.Get("a", "b"); n == nil || n.Elements()[0].StringValue() != "last" {
		t.Errorf("of two members the last counts, got %+v", n)
	}
	first := d.Root.Children[0].Member("b").Elements()[1].Member("c")
	if first.StringValue() != "x\né" || first.Path() != "a.b[1].c" || d.Line(first.Start) != 2 {
		t.Errorf("c is %q at %s, line %d", first.StringValue(), first.Path(), d.Line(first.Start))
	}
	if d.Get("a", "none", "x") != nil || d.Get("none") != nil {
		t.Error("what is not there is not nil")
	}
}

// entry is what the tests insert.
func entry() jsonedit.Obj {
	return jsonedit.Obj{{Key: "k", Value: jsonedit.Arr{jsonedit.Obj{{Key: "c", Value: "x & <y>"}}}}, {Key: "n", Value: 3}}
}

func TestInsert_layout(t *testing.T) {
	for _, tc := range []struct{ reason, before, path, after string }{
		{"an empty file's object", "{}", "", "{\n  \"new\": 1\n}"},
		{"an empty object with a line", "{\n}\n", "", "{\n  \"new\": 1\n}\n"},
		{"two spaces", "{\n  \"a\": 1\n}\n", "", "{\n  \"a\": 1,\n  \"new\": 1\n}\n"},
		{"tabs", "{\n\t\"a\": {}\n}\n", "a", "{\n\t\"a\": {\n\t\t\"new\": 1\n\t}\n}\n"},
		{"four spaces and CRLF", "{\r\n    \"a\": {\r\n    }\r\n}", "a", "{\r\n    \"a\": {\r\n        \"new\": 1\r\n    }\r\n}"},
		{"minified", `{"a":1}`, "", `{"a":1,"new":1}`},
		{"minified, empty inside", `{"a":{}}`, "a", `{"a":{"new":1}}`},
		{"one line", `{ "a": 1, "b": 2 }`, "", `{ "a": 1, "b": 2, "new": 1 }`},
		{"a list in one line", "{\n  \"a\": [1, 2]\n}", "a", "{\n  \"a\": [1, 2, 1]\n}"},
		{"a list on lines", "{\n  \"a\": [\n    1\n  ]\n}", "a", "{\n  \"a\": [\n    1,\n    1\n  ]\n}"},
		{"a trailing comma", "{\n  \"a\": 1,\n}", "", "{\n  \"a\": 1,\n  \"new\": 1,\n}"},
		{"a comment behind the last", "{\n  \"a\": 1 // why\n}", "", "{\n  \"a\": 1, // why\n  \"new\": 1\n}"},
		{"a comment below the last", "{\n  \"a\": 1\n  // end\n}", "", "{\n  \"a\": 1,\n  \"new\": 1\n  // end\n}"},
		{"comments inside an empty one", "{\n  // nothing\n}", "", "{\n  // nothing\n  \"new\": 1\n}"},
		{"a comment in one line", "{ /* nothing */ }", "", "{ /* nothing */\n  \"new\": 1\n}"},
		{"a byte order mark", "\xef\xbb\xbf{\n   \"a\": 1\n}", "", "\xef\xbb\xbf{\n   \"a\": 1,\n   \"new\": 1\n}"},
	} {
		d := parse(t, tc.before)
		at := d.Root
		if tc.path != "" {
			at = d.Get(tc.path)
		}
		next, err := d.Insert(at, "new", 1)
		if err != nil {
			t.Errorf("%s: %v", tc.reason, err)
			continue
		}
		if diff := cmp.Diff(tc.after, string(next.Bytes())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
	}
}

func TestInsert_nested(t *testing.T) {
	d := parse(t, "{\n  \"a\": 1\n}\n")
	next, err := d.Insert(d.Root, "h", entry())
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "a": 1,
  "h": {
    "k": [
      {
        "c": "x & <y>"
      }
    ],
    "n": 3
  }
}
`
	if diff := cmp.Diff(want, string(next.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := d.Insert(d.Get("a"), "x", 1); !errors.Is(err, jsonedit.ErrNoContainer) {
		t.Errorf("a number took a member: %v", err)
	}
	text, err := jsonedit.Render(jsonedit.Obj{{Key: "a", Value: 1}, {Key: "h", Value: entry()}})
	if err != nil || string(text) != want {
		t.Errorf("rendered %s, %v", text, err)
	}
}

func TestReplace(t *testing.T) {
	d := parse(t, "{\n  \"a\": \"old\", // why\n  \"b\": {\"c\":1}\n}\n")
	next, err := d.Replace(d.Get("a"), `C:\new`)
	if err != nil {
		t.Fatal(err)
	}
	next, err = next.Replace(next.Get("b", "c"), jsonedit.Arr{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\n  \"a\": \"C:\\\\new\", // why\n  \"b\": {\"c\":[\"x\", \"y\"]}\n}\n"; string(next.Bytes()) != want {
		t.Errorf("got %q, want %q", next.Bytes(), want)
	}
}

func TestRemove(t *testing.T) {
	for _, tc := range []struct{ reason, before, after string }{
		{"the only one", "{\"x\": 1}", "{}"},
		{"the only one, on lines", "{\n  \"x\": 1\n}\n", "{\n}\n"},
		{"the first", "{\n  \"x\": 1,\n  \"b\": 2\n}", "{\n  \"b\": 2\n}"},
		{"the first in a line", "{\"x\": 1, \"b\": 2}", "{\"b\": 2}"},
		{"in the middle", "{\n  \"a\": 1,\n  \"x\": 1,\n  \"b\": 2\n}", "{\n  \"a\": 1,\n  \"b\": 2\n}"},
		{"the last", "{\n  \"a\": 1,\n  \"x\": 1\n}", "{\n  \"a\": 1\n}"},
		{"the last with a comma", "{\n  \"a\": 1,\n  \"x\": 1,\n}", "{\n  \"a\": 1,\n}"},
		{"the last, a comment before its comma", "{\n  \"a\": 1, // why\n  \"x\": 1\n}", "{\n  \"a\": 1 // why\n}"},
		{"a comment of its own stays", "{\n  \"a\": 1,\n  \"x\": 1, // mine\n  \"b\": 2\n}", "{\n  \"a\": 1, // mine\n  \"b\": 2\n}"},
		{"a comment above must not swallow what follows", "{\n  // a\n  \"x\": 1, \"b\": 2}", "{\n  // a\n   \"b\": 2}"},
		{"a comment before the comma", "{\"x\": 1 /* c */, \"b\": 2}", "{ /* c */ \"b\": 2}"},
		{"slashes in a string are no comment", "{\"u\": \"http://x\",\n \"x\": 1, \"b\": 2}", "{\"u\": \"http://x\", \"b\": 2}"},
	} {
		d := parse(t, tc.before)
		next, err := d.Remove(d.Get("x"))
		if err != nil {
			t.Errorf("%s: %v", tc.reason, err)
			continue
		}
		if diff := cmp.Diff(tc.after, string(next.Bytes())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
		}
	}
	d := parse(t, "{}")
	if _, err := d.Remove(d.Root); err == nil {
		t.Error("the root was removed")
	}
}

func TestSetInterior(t *testing.T) {
	d := parse(t, "{\n  \"a\": {\n  }\n}")
	next, err := d.SetInterior(d.Get("a"), []byte(" /* c */ "))
	if err != nil || string(next.Bytes()) != "{\n  \"a\": { /* c */ }\n}" {
		t.Errorf("got %v, %v", next, err)
	}
	if _, err := d.SetInterior(d.Root, nil); err == nil {
		t.Error("the inside of a full container was replaced")
	}
	if _, err := d.SetInterior(d.Get("a"), []byte("}")); err == nil {
		t.Error("the document was broken, and nobody said so")
	}
}

// Settings draws a text that is JSON with comments, in any layout.
func settings() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		nl := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		space := rapid.SampledFrom([]string{"", "", " ", nl, nl + "  ", nl + "\t", " /* c, } */ ", " // x, ]" + nl, nl + nl})
		var value func(depth int) string
		value = func(depth int) string {
			kinds := 3
			if depth > 3 {
				kinds = 1
			}
			var b strings.Builder
			ws := func() { b.WriteString(space.Draw(t, "space")) }
			list := func(open, closing string, item func()) {
				b.WriteString(open)
				ws()
				n := rapid.IntRange(0, 3).Draw(t, "n")
				for i := range n {
					item()
					ws()
					if i < n-1 || rapid.Bool().Draw(t, "trailing") {
						b.WriteByte(',')
						ws()
					}
				}
				b.WriteString(closing)
			}
			switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
			case 1:
				list("[", "]", func() { b.WriteString(value(depth + 1)) })
			case 2:
				list("{", "}", func() {
					b.WriteString(jsonedit.Quote(rapid.SampledFrom([]string{"a", "hooks", "Stop", "//", "b\""}).Draw(t, "key")))
					ws()
					b.WriteByte(':')
					ws()
					b.WriteString(value(depth + 1))
				})
			default:
				b.WriteString(rapid.SampledFrom([]string{"1", "-2.5e3", "true", "null", `"x"`, `"// no"`, `"\"\\"`, `"http://x"`}).Draw(t, "scalar"))
			}
			return b.String()
		}
		mark := rapid.SampledFrom([]string{"", "\xef\xbb\xbf"}).Draw(t, "mark")
		return mark + space.Draw(t, "head") + value(0) + space.Draw(t, "tail")
	})
}

func containers(n *jsonedit.Node, found []*jsonedit.Node) []*jsonedit.Node {
	if n.Kind == jsonedit.Object || n.Kind == jsonedit.Array {
		found = append(found, n)
	}
	for _, c := range n.Children {
		found = containers(c, found)
	}
	return found
}

// plain is a node without its layout, for comparisons.
func plain(n *jsonedit.Node, text []byte) any {
	switch n.Kind {
	case jsonedit.Object, jsonedit.Array:
		list := []any{string(n.Kind)}
		for _, c := range n.Children {
			list = append(list, c.Key, plain(c, text))
		}
		return list
	}
	return string(text[n.Start:n.End])
}

// Whatever stands in a file: what was inserted is there, everything else is as it
// was, and removing it gives the file back.
func TestInsertThenRemove_property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := settings().Draw(t, "text")
		d, err := jsonedit.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		all := containers(d.Root, nil)
		if len(all) == 0 {
			return
		}
		at := rapid.IntRange(0, len(all)-1).Draw(t, "container")
		n := rapid.IntRange(1, 3).Draw(t, "insertions")
		interior := string(d.Interior(all[at]))
		next := d
		for range n {
			next, err = next.Insert(containers(next.Root, nil)[at], "new", entry())
			if err != nil {
				t.Fatalf("insert into %q: %v", text, err)
			}
		}
		box := containers(next.Root, nil)[at]
		if got := len(box.Children); got != len(all[at].Children)+n {
			t.Fatalf("%q has %d children, want %d", next.Bytes(), got, len(all[at].Children)+n)
		}
		inserted := box.Children[len(box.Children)-1]
		if diff := cmp.Diff(
			[]any{"object", "k", []any{"list", "", []any{"object", "c", `"x & <y>"`}}, "n", "3"}, plain(inserted, next.Bytes())); diff != "" {
			t.Fatalf("inserted (-want +got):\n%s", diff)
		}
		for range n {
			box := containers(next.Root, nil)[at]
			pick := len(box.Children) - rapid.IntRange(1, len(box.Children)-len(all[at].Children)).Draw(t, "which")
			next, err = next.Remove(box.Children[pick])
			if err != nil {
				t.Fatalf("remove: %v", err)
			}
		}
		if box := containers(next.Root, nil)[at]; len(box.Children) == 0 {
			if next, err = next.SetInterior(box, []byte(interior)); err != nil {
				t.Fatal(err)
			}
		}
		if string(next.Bytes()) != text {
			t.Fatalf("not restored\n got %q\nwant %q", next.Bytes(), text)
		}
	})
}

// Removing any value leaves all others as they are.
func TestRemove_property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := settings().Draw(t, "text")
		d, err := jsonedit.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all := containers(d.Root, nil)
		if len(all) == 0 {
			return
		}
		box := all[rapid.IntRange(0, len(all)-1).Draw(t, "container")]
		if len(box.Children) == 0 {
			return
		}
		i := rapid.IntRange(0, len(box.Children)-1).Draw(t, "child")
		next, err := d.Remove(box.Children[i])
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		box.Children = append(box.Children[:i:i], box.Children[i+1:]...)
		if diff := cmp.Diff(plain(d.Root, d.Bytes()), plain(next.Root, next.Bytes())); diff != "" {
			t.Fatalf("%q became %q (-want +got):\n%s", text, next.Bytes(), diff)
		}
	})
}

// What encoding/json accepts is accepted, and an insertion into it gives what
// encoding/json accepts.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"{}", `{"a":[1,{"b":null}]}`, "\xef\xbb\xbf{\"a\": 1, // x\n}", `{"a":"\ud800"}`, "[[[", "{\"hooks\":\r\n{}}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := jsonedit.Parse(text)
		valid := json.Valid(text)
		if err != nil {
			if valid && !strings.Contains(err.Error(), "too deeply") {
				t.Fatalf("%q is JSON: %v", text, err)
			}
			return
		}
		if d.Root.Kind != jsonedit.Object {
			return
		}
		next, err := d.Insert(d.Root, "new", entry())
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if valid && !json.Valid(next.Bytes()) {
			t.Fatalf("%q became %q", text, next.Bytes())
		}
		back, err := next.Remove(next.Get("new"))
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Root.Children) > 0 && string(back.Bytes()) != string(text) {
			t.Fatalf("%q became %q", text, back.Bytes())
		}
	})
}
