package hookio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stophook/stophook/policy/hookio"
)

// FuzzDecode: no input panics; what decodes has a Raw that is one JSON object
// and decodes to the same event again.
func FuzzDecode(f *testing.F) {
	for _, data := range payloads(f) {
		f.Add(data)
		f.Add(append([]byte("\ufeff"), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))...))
		f.Add(utf16be(string(data)))
	}
	f.Add([]byte("{\"cwd\":\"\xff\xfe\",\"\xc3\":\"\\ud800\\u0041\"}"))
	f.Add([]byte(`{"background_tasks":[{"id":"a","id":1},[],{}],"stop_hook_active":[true]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ev, err := hookio.Decode(data, hookio.HostAuto)
		if err != nil {
			var de *hookio.DecodeError
			if errors.As(err, &de) && (de.Offset < 0 || de.Offset > int64(len(data)) || de.Line < 1) {
				t.Fatalf("fault outside the input: %+v", de)
			}
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(ev.Raw, &object); err != nil {
			t.Fatalf("Raw is no object: %v", err)
		}
		again, err := hookio.Decode(ev.Raw, hookio.HostAuto)
		if err != nil {
			t.Fatalf("Raw does not decode: %v", err)
		}
		if diff := cmp.Diff(ev, again); diff != "" {
			t.Fatalf("Raw decodes to another event (-first +second):\n%s", diff)
		}
		if _, err := hookio.Encode(ev, hookio.Allow(), ""); err != nil {
			t.Fatalf("allow failed: %v", err)
		}
		out, err := hookio.Encode(ev, hookio.Block(ev.SessionID), hookio.StyleFeedback)
		if (err == nil) != ev.CanBlock() || (err == nil) != json.Valid(out) {
			t.Fatalf("block: %q, %v; CanBlock says %v", out, err, ev.CanBlock())
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data := payloads(b)["claude-code/stop-two-shells.json"]
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := hookio.Decode(data, hookio.HostAuto); err != nil {
			b.Fatal(err)
		}
	}
}
