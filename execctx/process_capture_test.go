package execctx

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// naive keeps everything and cuts at the end.
func naive(all []byte, limit int) (data []byte, dropped int64) {
	if len(all) <= limit {
		return all, 0
	}
	head, tail := all[:limit/2], all[len(all)-(limit-limit/2):]
	for cut := 1; cut <= min(3, len(head)); cut++ {
		last := head[len(head)-cut:]
		if utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				head = head[:len(head)-cut]
			}
			break
		}
	}
	for skip := range min(4, len(tail)) {
		if utf8.RuneStart(tail[skip]) {
			tail = tail[skip:]
			break
		}
	}
	dropped = int64(len(all) - len(head) - len(tail))
	return bytes.Join([][]byte{head, tail}, []byte(leftOut(dropped))), dropped
}

// EX-53: whatever the limit and the sizes of the writes, the capture holds what
// keeping everything and cutting afterwards would.
func TestCapture_againstNaive_EX53(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		c := newCapture(int64(limit))
		all := []byte{}
		chunk := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 0, 60), rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }))
		for _, p := range rapid.SliceOfN(chunk, 0, 8).Draw(t, "writes") {
			if n, err := c.Write(p); n != len(p) || err != nil {
				t.Fatalf("Write gives %d, %v", n, err)
			}
			all = append(all, p...)
			// Looking changes nothing.
			got, dropped := c.output()
			want, wantDropped := naive(all, limit)
			if !bytes.Equal(got, want) || dropped != wantDropped {
				t.Fatalf("limit %d, after %q: got %q, %d dropped, want %q, %d", limit, all, got, dropped, want, wantDropped)
			}
		}
		if len(c.head)+len(c.tail) > limit {
			t.Fatalf("%d bytes are held with a limit of %d", len(c.head)+len(c.tail), limit)
		}
	})
}

func TestCapture_keepsCharactersWhole(t *testing.T) {
	c := newCapture(9)
	for range 100 {
		_, _ = c.Write([]byte("日"))
	}
	got, dropped := c.output()
	if want := "日" + leftOut(294) + "日"; string(got) != want || dropped != 294 {
		t.Errorf("got %q, %d dropped, want %q", got, dropped, want)
	}
}

func TestCapture_tinyLimit(t *testing.T) {
	c := newCapture(1)
	_, _ = c.Write([]byte("abc"))
	got, dropped := c.output()
	if diff := cmp.Diff("\n[2 bytes left out]\nc", string(got)); diff != "" || dropped != 2 {
		t.Error(diff, dropped)
	}
}

// Memory is what was written, not the limit, and never more than the limit.
func TestCapture_memory(t *testing.T) {
	c := newCapture(1 << 40)
	_, _ = c.Write([]byte("x"))
	if held := cap(c.head) + cap(c.tail); held > 64 {
		t.Errorf("%d bytes are held for one byte of output", held)
	}
	c = newCapture(0)
	p := []byte(strings.Repeat("x", 64<<10))
	for range 64 {
		_, _ = c.Write(p)
	}
	if held := cap(c.head) + cap(c.tail); held > 2*DefaultMaxExecOutput {
		t.Errorf("%d bytes are held with a limit of %d", held, DefaultMaxExecOutput)
	}
}
