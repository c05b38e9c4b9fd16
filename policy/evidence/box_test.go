//go:build unix

package evidence

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBox_Golden(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		box          Box
	}{
		{"usual", "what a chat shows most of the time", Box{CheckID: "7k2m9x4a", Session: "3f2a9c1e-8b7d-4c65-9a01-0123456789ab",
			Name: "flaky CI", Task: "Find out why the e2e job times out", Git: "main: clean, pushed", At: start}},
		{"empty", "nothing declared yet", Box{CheckID: "00000000", At: start}},
		{"long", "long values are cut with an ellipsis at 72 columns", Box{CheckID: "zzzzzzzz", Session: strings.Repeat("s", 100),
			Name: strings.Repeat("word ", 30), Task: strings.Repeat("a", 59), Git: strings.Repeat("b", 60), At: start}},
		{"wide", "East Asian text and emoji take two columns, marks none", Box{CheckID: "abcdefgh", Session: "会话一",
			Name: "テスト🚀修正", Task: strings.Repeat("漢", 40), Git: "e\u0301tude: 한국어", At: start}},
		{"hostile", "control characters cannot redraw the box", Box{CheckID: "12345678", Session: "a\x1b[2Jb\x00",
			Name: "one\ntwo\tthree\r", Task: "\u202eright to left\u200b\u2066", Git: "bad \xff utf-8", At: start.In(time.FixedZone("", 3600))}},
	} {
		got := c.box.String() + "\n"
		path := filepath.Join("testdata", "box", c.name+".txt")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			os.MkdirAll(filepath.Dir(path), 0o755)
			mustWrite(t, path, got)
		}
		if diff := cmp.Diff(mustRead(t, path), got); diff != "" {
			t.Errorf("%s (%s): %s", c.name, c.reason, diff)
		}
	}
}

func TestBox_AlwaysARectangle(t *testing.T) {
	first := regexp.MustCompile(`^┌─ stophook check [0-9a-z]{8} ─+┐$`)
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[漢a🚀\n\x00-\x1f]{0,80}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		box := Box{CheckID: NewCheckID(nil), Session: text.Draw(t, "session"), Task: text.Draw(t, "task"),
			Name: text.Draw(t, "name"), Git: text.Draw(t, "git"), At: start}
		lines := strings.Split(box.String(), "\n")
		if len(lines) != 7 || !first.MatchString(lines[0]) || !strings.HasPrefix(lines[0], BoxPrefix+box.CheckID) {
			t.Fatalf("%q", lines)
		}
		for _, l := range lines {
			if columns(l) != columns(lines[0]) || columns(l) > maxBoxColumns {
				t.Fatalf("%d columns, the first line has %d: %q", columns(l), columns(lines[0]), l)
			}
			if printable(l) != l {
				t.Fatalf("control characters in %q", l)
			}
		}
	})
}

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "é": 1, "e\u0301": 1, "漢字": 4, "ｱ": 1, "Ａ": 2, "한": 2, "\u1112\u1161": 2, "🚀": 2, "⚡": 2, "→": 1, "─": 1, "…": 1,
		"ไทยก็": 4, "שלום": 4, "𝒳": 1, "𠀀": 2, "\xff": 1, "⌚": 2, "™": 1,
	} {
		if got := columns(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s     string
		limit int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"漢字", 4, "漢字"}, {"漢字漢", 5, "漢字…"}, {"漢字漢", 4, "漢…"}, {"abcd", 1, "…"},
	} {
		if got := cut(c.s, c.limit); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.s, c.limit, got, c.want)
		}
	}
}

func TestNewCheckID(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9a-z]{8}$`)
	seen := map[string]bool{}
	for range 1000 {
		id := NewCheckID(nil)
		if !shape.MatchString(id) || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
	if got := NewCheckID(bytes.NewReader([]byte{0, 9, 10, 35, 36, 255, 252, 251, 71, 1})); got != "09az0zz1" {
		t.Errorf("252 to 255 must be drawn again: %q", got)
	}
	if got := NewCheckID(iotest.ErrReader(errors.New("no entropy"))); !shape.MatchString(got) {
		t.Errorf("a failing reader still gives an id: %q", got)
	}
}
