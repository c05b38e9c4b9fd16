package term

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestStyle_NoColor(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	terminal, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	for _, tt := range []struct {
		reason string
		out    io.Writer
		env    map[string]string
		want   bool
	}{
		{"a terminal", terminal, nil, true},
		{"NO_COLOR is set", terminal, map[string]string{"NO_COLOR": "1"}, false},
		{"the terminal knows no colours", terminal, map[string]string{"TERM": "dumb"}, false},
		{"a file", file, nil, false},
		{"a pipe of the host", &bytes.Buffer{}, nil, false},
	} {
		style := For(tt.out, func(name string) string { return tt.env[name] })
		if got := strings.Contains(style.Verdict("block"), "\x1b"); got != tt.want {
			t.Errorf("%s: colours %t, want %t", tt.reason, got, tt.want)
		}
	}
}

func TestOneLine_HoldsNothingThatSteers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(1, 80).Draw(t, "columns")
		got := OneLine(s, n)
		if len([]rune(got)) > n {
			t.Errorf("%q has more than %d characters", got, n)
		}
		for _, r := range got {
			if unicode.IsControl(r) {
				t.Errorf("%q holds %U", got, r)
			}
		}
	})
	if got := OneLine("a\u202eb\x1b[31m\nc", 20); got != "a b [31m c" {
		t.Errorf("%q", got)
	}
	if got := Visible("two\nlines\u200f"); got != "two\nlines " {
		t.Errorf("%q", got)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536 << 10: "1.5 MiB", 40 << 20: "40 MiB"} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"one two three", "one two\n  three"},
		{"one\x1b[1m averylongword b", "one [1m\n  averylongword\n  b"},
	} {
		if got := Wrap(tt.in, 8, "  "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}
