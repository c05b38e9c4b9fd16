//go:build unix

package evidence

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestEvent_Line(t *testing.T) {
	e := Event{V: 1, ID: "e1", TS: start.Add(5 * time.Millisecond), Kind: EndTurnChecked, CheckID: "7k2m9x4a",
		Text: "a \"b\"\nc", PromptID: "p", Cwd: "/w", Git: json.RawMessage("{\"final\": true,\n\"branch\": \"main\"}"),
		Extra: map[string]json.RawMessage{"z": json.RawMessage(`[1]`), "a": json.RawMessage(`"x"`), "kind": json.RawMessage(`"forged"`)}}
	got, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"v":1,"id":"e1","ts":"2026-10-05T09:00:07.005000000Z","kind":"end_turn_checked","check_id":"7k2m9x4a",` +
		`"text":"a \"b\"\nc","prompt_id":"p","cwd":"/w","git":{"final":true,"branch":"main"},"a":"x","z":[1]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEvent_Reading(t *testing.T) {
	const ok = `"ts":"2026-10-05T09:00:07Z","kind":"k"`
	for _, c := range []struct {
		reason, line string
		bad          bool
	}{
		{"the least", `{` + ok + `}`, false},
		{"unknown kind, member and version are kept", `{"v":9,"kind":"moon_seen","ts":"2026-10-05T09:00:07Z","phase":{"of":[1]}}`, false},
		{"null is like absent", `{` + ok + `,"text":null}`, false},
		{"an offset is fine", `{"ts":"2026-10-05T11:00:07+02:00","kind":"k"}`, false},
		{"without time it proves nothing", `{"kind":"k"}`, true},
		{"bad time", `{"kind":"k","ts":"yesterday"}`, true},
		{"without kind", `{"ts":"2026-10-05T09:00:07Z"}`, true},
		{"text of a wrong type", `{` + ok + `,"text":5}`, true},
		{"an array", `[]`, true},
		{"NULs of a lost write", "\x00\x00\x00", true},
	} {
		var e Event
		err := json.Unmarshal([]byte(c.line), &e)
		if (err != nil) != c.bad {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if err == nil {
			if !e.TS.Equal(start) || e.TS.Location() != time.UTC {
				t.Errorf("%s: time %v", c.reason, e.TS)
			}
			again, err := json.Marshal(e)
			var e2 Event
			if err != nil || json.Unmarshal(again, &e2) != nil || !cmp.Equal(e, e2) {
				t.Errorf("%s: rewriting changes it: %s, %v", c.reason, again, err)
			}
		}
	}
}

func anEvent() *rapid.Generator[Event] {
	return rapid.Custom(func(t *rapid.T) Event {
		e := Event{
			V:        rapid.IntRange(0, 3).Draw(t, "v"),
			ID:       rapid.String().Draw(t, "id"),
			TS:       time.Unix(rapid.Int64Range(1, 4e9).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).UTC(),
			Kind:     Kind(rapid.StringMatching(`[a-z_]{1,20}|end_turn_checked|task_declared`).Draw(t, "kind")),
			Text:     rapid.String().Draw(t, "text"),
			PromptID: rapid.String().Draw(t, "prompt"),
			Cwd:      rapid.String().Draw(t, "cwd"),
		}
		if rapid.Bool().Draw(t, "git") {
			e.Git = json.RawMessage(`{"final":false,"findings":["dirty"]}`)
		}
		if rapid.Bool().Draw(t, "extra") {
			key := "x" + rapid.String().Draw(t, "key")
			e.Extra = map[string]json.RawMessage{key: json.RawMessage(`{"a":[1,"}"]}`)}
		}
		return e
	})
}

func TestEvent_ReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anEvent().Draw(t, "event")
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(line), "\n\r") {
			t.Fatalf("%q is more than a line", line)
		}
		var got Event
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if diff := cmp.Diff(e, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestEvent_RefusesWhatTheReaderCouldNotUse(t *testing.T) {
	for _, c := range []struct {
		reason string
		event  Event
		want   error
	}{
		{"no kind", Event{TS: start}, ErrNoKind},
		{"a line that the reader's window might not hold", Event{TS: start, Kind: "k", Text: strings.Repeat("x", maxLine)}, ErrEventTooLarge},
		{"git that is no JSON", Event{TS: start, Kind: "k", Git: json.RawMessage(`{`)}, nil},
		{"extra that is no JSON", Event{TS: start, Kind: "k", Extra: map[string]json.RawMessage{"a": json.RawMessage("x\n")}}, nil},
	} {
		_, err := c.event.MarshalJSON()
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}
