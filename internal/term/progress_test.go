package term

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgress_OnlyOnTerminals(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, "replay", func(string) string { return "" }, time.Now)
	p.Bytes(1, 2)
	p.Clear()
	if p != nil || out.Len() > 0 {
		t.Errorf("a pipe got %q", out.String())
	}
}

func TestProgress_DrawsSeldomAndWipes(t *testing.T) {
	var out bytes.Buffer
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	p := &Progress{out: &out, what: "replay", now: func() time.Time { return at }, began: at}
	p.Bytes(0, 0) // nothing to do: nothing to say
	p.Bytes(10<<20, 40<<20)
	p.Bytes(11<<20, 40<<20) // at the same instant
	at = at.Add(2 * time.Second)
	p.Bytes(50<<20, 40<<20) // more than there is
	p.Clear()
	p.Clear()
	lines := strings.Split(out.String(), "\r")
	want := []string{"",
		"replay [======                  ]  25 %  10 MiB of 40 MiB",
		"replay [========================] 100 %  40 MiB of 40 MiB  0s left",
		strings.Repeat(" ", 66), ""}
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	for i, w := range want {
		if lines[i] != w {
			t.Errorf("line %d: %q, want %q", i, lines[i], w)
		}
	}
}
