package policytest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseWant_TellsFileLineAndKey(t *testing.T) {
	const head = "{\n \"reason\": \"r\",\n \"now\": \"2026-10-05T09:00:00Z\",\n"
	for _, tt := range []struct{ reason, text, want string }{
		{"all keys", head + ` "verdict": "block", "code": "acme.x", "reason_must_mention": ["a"], "reason_must_not_mention": ["b"],
			"demands": ["acme.x"], "no_demands": ["acme.y"], "env": {"A": "b"}, "only": true}`, ""},
		{"one wish is enough", head + ` "no_demands": ["acme.y"]}`, ""},
		{"an unknown key", head + ` "verdikt": "block"}`, `w:4: there is no key "verdikt"`},
		{"a key in another case is unknown, too", head + ` "Verdict": "block"}`, `w:4: there is no key "Verdict"`},
		{"a key of the repository's own fixtures", head + ` "facts": null, "verdict": "allow"}`, `w:4: there is no key "facts"`},
		{"a key twice", head + " \"code\": \"acme.x\",\n \"code\": \"acme.y\"}", `w:5: key "code" is there twice, first in line 4`},
		{"no reason", "{\"now\": \"2026-10-05T09:00:00Z\",\n\"code\": \"x\"}", `w:1: "reason" is missing or blank`},
		{"a blank reason", "{\"now\": \"2026-10-05T09:00:00Z\", \"code\": \"x\",\n\"reason\": \" \"}", `w:2: "reason" is missing or blank`},
		{"no now", "{\"reason\": \"r\", \"code\": \"x\"}", `w:1: "now" is missing`},
		{"a time of another form", "{\"reason\": \"r\", \"code\": \"x\",\n \"now\": \"yesterday\"}", "w:2: now: a time in RFC 3339"},
		{"a text for a list", head + ` "demands": "acme.x"}`, "w:4: demands: a list of texts"},
		{"a number for a text", head + ` "code": 3}`, "w:4: code: a text is expected"},
		{"a text for a switch", head + ` "only": "yes", "code": "x"}`, "w:4: only: true or false is expected"},
		{"a list for env", head + ` "env": ["A=b"], "code": "x"}`, "w:4: env: an object of texts"},
		{"null is no value", head + ` "code": null}`, "w:4: code: a text is expected"},
		{"no verdict of that name", head + ` "verdict": "deny"}`, `w:4: verdict "deny" is none of allow, block, defer`},
		{"nothing is asked for", head + ` "only": true}`, "w:1: this case asks for nothing"},
		{"empty lists ask for nothing", head + ` "demands": []}`, "w:1: this case asks for nothing"},
		{"every reason mentions the empty text", head + ` "reason_must_mention": ["a", ""]}`, "w:4: reason_must_mention: an empty text"},
		{"no decision can do both", head + ` "demands": ["acme.x"], "no_demands": ["acme.x"]}`, "w:4: acme.x is in demands and in no_demands"},
		{"no JSON", "{\n \"reason\": oops}", "w:2: this is no JSON"},
		{"a comment", "{\n // why\n \"reason\": \"r\"}", "w:2: this is no JSON"},
		{"cut off", "{\n \"reason\": \"r\",\n", "w:3: the JSON ends too early"},
		{"cut off in a value", "{\"env\": {\"a\"", "w:1: the JSON ends too early"},
		{"empty", "", "w:1: the JSON ends too early"},
		{"a list", "[]", "w:1: one JSON object is expected"},
		{"something behind", head + ` "code": "x"}` + "\n{}", "w:5: something follows the JSON object"},
	} {
		w, err := ParseWant("w", []byte(tt.text))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.reason, err)
		case tt.want == "" && (w.Reason != "r" || w.Now.IsZero()):
			t.Errorf("%s: %+v", tt.reason, w)
		case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want it to begin with %q", tt.reason, err, tt.want)
		}
	}
}

func TestParseWant_TellsEverythingAtOnce(t *testing.T) {
	_, err := ParseWant("w", []byte("{\n\"a\": 1,\n\"b\": 2,\n\"only\": 3}"))
	if got := strings.Count(err.Error(), "\n") + 1; got != 3 {
		t.Errorf("%d messages, want 3: %v", got, err)
	}
}

func TestParseWant_ReadsEveryKey(t *testing.T) {
	w, err := ParseWant("w", []byte(`{"reason":"r","now":"2026-10-05T11:00:00+02:00","verdict":"defer","code":"c","reason_must_mention":["a"],
		"reason_must_not_mention":["b"],"demands":["d"],"no_demands":["e"],"env":{"A":"@CASE_DIR@/x"},"only":true}`))
	if err != nil {
		t.Fatal(err)
	}
	w.lines = nil
	if got := fmt.Sprintf("%+v", w); !strings.Contains(got, "Now:2026-10-05 11:00:00 +0200") {
		t.Errorf("now: %s", got)
	}
	want := Want{Reason: "r", Now: w.Now, Verdict: "defer", Code: "c", ReasonMustMention: []string{"a"}, ReasonMustNotMention: []string{"b"},
		Demands: []string{"d"}, NoDemands: []string{"e"}, Env: map[string]string{"A": "@CASE_DIR@/x"}, Only: true}
	if diff := cmp.Diff(want, w, cmp.AllowUnexported(Want{})); diff != "" {
		t.Error(diff)
	}
}

// FuzzParseWant: whatever stands in the file, a Want without an error is complete,
// and every error names a line that the file has.
func FuzzParseWant(f *testing.F) {
	f.Add(`{"reason":"r","now":"2026-10-05T09:00:00Z","verdict":"block"}`)
	f.Add(`{"reason":"r",` + "\n" + `"reason":"r","now":3,"demands":[1],"x":{"y":[]}}`)
	f.Add(`{"a"`)
	f.Fuzz(func(t *testing.T, text string) {
		w, err := ParseWant("w", []byte(text))
		if err == nil {
			if strings.TrimSpace(w.Reason) == "" || w.lines["now"] == 0 ||
				w.Verdict == "" && w.Code == "" && len(w.ReasonMustMention)+len(w.ReasonMustNotMention)+len(w.Demands)+len(w.NoDemands) == 0 {
				t.Errorf("a Want that is not complete: %+v", w)
			}
			return
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			var n int
			if rest, ok := strings.CutPrefix(line, "w:"); ok {
				if _, err := fmt.Sscanf(rest, "%d:", &n); err != nil || n < 1 || n > strings.Count(text, "\n")+1 {
					t.Errorf("line %d of %q", n, text)
				}
			}
		}
	})
}
