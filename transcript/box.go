package transcript

import (
	"bytes"
	"strings"
)

// BoxMarker begins the first line of the status box that `stophook status`
// prints; the check id of eight characters follows it.
const BoxMarker = "┌─ stophook check "

const checkIDLength = 8

// boxes finds the status boxes in what the assistant said: its text rows of the
// box window, and the final text. Text of tools and people is not looked at,
// since the command's own output carries the box, too (TR-13).
func (f *fold) boxes(t *Turn) {
	for i := len(f.entries) - 1; i >= 0; i-- {
		e := f.entries[i]
		if e.off+int64(e.n) < f.size-f.opts.BoxWindow {
			break
		}
		if !e.assistant() {
			continue
		}
		if !f.mayHoldBox(e) {
			continue
		}
		r, ok := f.decode(e)
		if !ok || !r.assistant() {
			continue
		}
		for _, id := range checkIDs(r.text()) {
			t.Boxes = append(t.Boxes, Box{CheckID: id, Source: "transcript", Offset: e.off})
		}
	}
	if f.opts.LastAssistantMessage != nil {
		for _, id := range checkIDs(*f.opts.LastAssistantMessage) {
			t.Boxes = append(t.Boxes, Box{CheckID: id, Source: "final_text", Offset: -1})
		}
	}
}

// mayHoldBox looks for a box in the bytes of a row, once when windows share a memo.
func (w *window) mayHoldBox(e entry) bool {
	if w.memo != nil {
		return w.memo.holdsBox(e)
	}
	return w.holdsBox(e)
}

func (w *window) holdsBox(e entry) bool {
	b, _ := w.bytes(e.off, int(e.n))
	return bytes.Contains(b, []byte("stophook check "))
}

// checkIDs returns the check ids of all boxes in text.
func checkIDs(text string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(text, BoxMarker)
		if !ok {
			return out
		}
		if id := leadingID(rest); id != "" {
			out = append(out, strings.Clone(id))
		}
		text = rest
	}
}

// leadingID takes exactly eight id characters that end at something else.
func leadingID(s string) string {
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	if n != checkIDLength || n < len(s) && (s[n] >= 'A' && s[n] <= 'Z' || s[n] == '_') {
		return ""
	}
	return s[:n]
}
