//go:build unix

package evidence

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// scanAll is the naive use of the scanner, to compare with encoding/json.
func scanAll(data []byte) (map[string]json.RawMessage, error) {
	got := map[string]json.RawMessage{}
	err := scanObject(data, func(key, raw []byte) error {
		got[string(key)] = append([]byte{}, raw...)
		return nil
	})
	return got, err
}

func sameAsStandard(t interface{ Fatalf(string, ...any) }, data []byte) {
	got, err := scanAll(data)
	var want map[string]json.RawMessage
	wantErr := json.Unmarshal(data, &want)
	if want == nil && wantErr == nil {
		wantErr = errNotObject // null is no object here
	}
	if (err != nil) != (wantErr != nil) {
		t.Fatalf("%q: scanner says %v, encoding/json says %v", data, err, wantErr)
	}
	if err == nil {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q: %s", data, diff)
		}
	}
}

func TestScanObject_LikeEncodingJSON(t *testing.T) {
	for _, data := range []string{
		`{}`, ` { } `, `{}x`, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1 "b":2}`, `{"a":01}`, `{"a":1.5e3}`,
		`{"a":-}`, `{"a":tru}`, `{"a":"x\ny"}`, "{\"a\":\"x\ny\"}", `{"a":"\q"}`, `{"a":"\u12"}`, `{"a\u0062":"\u00e4"}`, `{"a":"\"}`,
		`{"a":[1,{"b":"]}"}],"c":null}`, `{"a":[1,}`, `{"a":{"b":1]}`, `{"a":1}}`, `{"a":1`, `{"a`, `{`, ``, `[]`, `null`, `"x"`, `{1:2}`,
		"{\"a\":\"\xff\"}", "{\"\xff\":1}", "\x00\x00{}", "{\"a\":\t1\r\n}", `{"a":1,"a":2}`, "{\"a\":1\u00e4}", `{"a":"x"y}`, `{"a":nullnull}`,
	} {
		sameAsStandard(t, []byte(data))
	}
}

func TestScanObject_DamagedLines(t *testing.T) {
	line, err := Event{V: 1, ID: "a", TS: start, Kind: "k", Text: "x\"\\ü\n", Git: json.RawMessage(`{"n":[1,2,{"s":"}"}]}`)}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		data := append([]byte{}, line...)
		for range rapid.IntRange(0, 3).Draw(t, "damages") {
			i := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			data[i] = rapid.SampledFrom([]byte("\"\\{}[],: 0a\x00\xff\n")).Draw(t, "byte")
		}
		sameAsStandard(t, data)
	})
}

func FuzzScanObject(f *testing.F) {
	for _, s := range []string{`{"v":1,"id":"a"}`, `{"a":[{"b":"\u0000"}]}`, `{"a":-0.1E+2,"b":true}`, "{\"\xc3\":\"\\"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameAsStandard(t, data) })
}

func TestAppendText_ReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("\"\\\n\x7f")))).Draw(t, "bytes")) +
			rapid.String().Draw(t, "text")
		raw := appendText(nil, s)
		var want string
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("%q is no JSON: %v", raw, err)
		}
		got, err := textBytes(raw)
		if err != nil || string(got) != want {
			t.Fatalf("%q: got %q, %v, want %q", raw, got, err, want)
		}
		if utf8.ValidString(s) && want != s {
			t.Fatalf("%q came back as %q", s, want)
		}
		for _, c := range raw {
			if c < 0x20 {
				t.Fatalf("%q would break the line", raw)
			}
		}
	})
}
