package exchange

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestObject(t *testing.T) {
	const in = `{ "b": 1.50, "a" : {"x":[1, 2]}, "<&>": "\u003c", "n":null, "b":2}`
	o, err := ReadObject([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(o.JSON()), `{"b":2,"a":{"x":[1, 2]},"<&>":"\u003c","n":null}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if o.Text("<&>") != "<" || o.Text("a") != "" || o.Text("none") != "" || o.Get("none") != nil {
		t.Errorf("fields: %q %q", o.Text("<&>"), o.Text("a"))
	}
	o.SetText("a", `<"é`)
	o.Set("new", json.RawMessage(`[]`))
	o.Drop(func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	if got, want := string(o.JSON()), `{"b":2,"a":"<\"é","<&>":"\u003c","new":[]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var names []string
	o.Each(func(name string, _ json.RawMessage) { names = append(names, name) })
	if diff := cmp.Diff([]string{"b", "a", "<&>", "new"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestReadObject_refuses(t *testing.T) {
	for _, in := range []string{``, `null`, `[]`, `"x"`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{1:2}`, `{"a":1]`} {
		if o, err := ReadObject([]byte(in)); err == nil {
			t.Errorf("%s is read as %s", in, o.JSON())
		}
	}
}

func TestMarshal(t *testing.T) {
	if got, err := Marshal(map[string]string{"a": "<&>"}); err != nil || string(got) != `{"a":"<&>"}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function is written")
	}
}

func TestSecrets(t *testing.T) {
	base, err := url.Parse("https://user:passphrase@host.invalid/v1")
	if err != nil {
		t.Fatal(err)
	}
	got := Secrets("the-key", base, http.Header{"X-B": {"Bearer the-token"}, "X-A": {"one", "two"}})
	slices.Sort(got)
	want := []string{"Bearer the-token", "one", "passphrase", "the-key", "the-token", "two"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":{"c":"\ud83d\ude00"},"a":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := ReadObject(data)
		if err != nil {
			return
		}
		again, err := ReadObject(o.JSON())
		if err != nil || string(again.JSON()) != string(o.JSON()) {
			t.Errorf("%s is read back as %v, %v", o.JSON(), again, err)
		}
	})
}
