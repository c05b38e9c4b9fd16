package hookio_test

import (
	"errors"
	"testing"

	"github.com/stophook/stophook/policy/hookio"
)

func TestEvent_Task(t *testing.T) {
	tests := []struct {
		name, payload  string
		running, known bool
		reason         string
	}{
		{"absent", `{}`, false, false, "an old host, or a registry out of reach"},
		{"null", `{"background_tasks":null}`, false, false, "null is absent"},
		{"object", `{"background_tasks":{}}`, false, false, "no list tells nothing"},
		{"empty string", `{"background_tasks":""}`, false, false, "no list tells nothing"},
		{"empty", `{"background_tasks":[]}`, false, true, "the host says that nothing runs"},
		{"other", `{"background_tasks":[{"id":"b10"}]}`, false, true, "ids are whole: b1 is not b10"},
		{"listed", `{"background_tasks":[{"id":"b1","status":"running"}]}`, true, true, "the host says so"},
		{"listed without status", `{"background_tasks":[{"id":"b1"}]}`, true, true, "the host lists live tasks only"},
		{"listed as over", `{"background_tasks":[{"id":"b1","status":"killed"}]}`, false, true, "its own word beats the listing"},
		{"malformed beside", `{"background_tasks":[null,{"id":"b2"}]}`, false, false, "the unreadable entry may be the one"},
		{"malformed and listed", `{"background_tasks":["b1",{"id":"b1"}]}`, true, true, "found is found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev, err := hookio.Decode([]byte(tt.payload), hookio.HostAuto)
			if err != nil {
				t.Fatal(err)
			}
			if running, known := ev.Task("b1"); running != tt.running || known != tt.known {
				t.Errorf("running %v known %v, want %v %v: %s", running, known, tt.running, tt.known, tt.reason)
			}
		})
	}
	var none *hookio.Event
	if running, known := none.Task("b1"); running || known {
		t.Error("a nil event knows no task")
	}
}

func TestExpandHome(t *testing.T) {
	tests := []struct{ path, home, want, reason string }{
		{"~/.claude/x.jsonl", "/home/dev", "/home/dev/.claude/x.jsonl", "the ordinary case"},
		{"~/x", "/home/dev/", "/home/dev/x", "no doubled slash"},
		{"~/x", "/", "/x", "root's home in a container"},
		{"~/x", "", "~/x", "no home: better unreadable than somewhere else"},
		{"~dev/x", "/home/dev", "~dev/x", "another user's home is not ours to find"},
		{"/a/~/x", "/home/dev", "/a/~/x", "only at the start"},
		{"~", "/home/dev", "~", "no file"},
		{"", "/home/dev", "", "absent stays absent"},
	}
	for _, tt := range tests {
		if got := hookio.ExpandHome(tt.path, tt.home); got != tt.want {
			t.Errorf("ExpandHome(%q, %q) = %q, want %q: %s", tt.path, tt.home, got, tt.want, tt.reason)
		}
	}
}

func TestParseHost(t *testing.T) {
	for in, want := range map[string]hookio.Host{
		"": hookio.HostAuto, "auto": hookio.HostAuto, " Claude-Code ": hookio.HostClaudeCode, "cursor": hookio.HostCursor,
	} {
		if got, err := hookio.ParseHost(in); err != nil || got != want {
			t.Errorf("ParseHost(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := hookio.ParseHost("claud"); !errors.Is(err, hookio.ErrUnknownHost) {
		t.Errorf("error %v, want ErrUnknownHost: a typo must not fall back to guessing", err)
	}
}
