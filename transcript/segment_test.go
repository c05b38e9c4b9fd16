package transcript

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestScanAll_TR16_sessionsInSegments cuts whole sessions, rows longer than the
// buffer among them, into segments: the index is the one of a single pass.
func TestScanAll_TR16_sessionsInSegments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := session(t)
		size := int64(len(data))
		scan := func(s segment) index {
			x := index{launched: true} // as every segment but the first must assume
			if _, _, err := x.scan(bytes.NewReader(data), make([]byte, min(bufferSize, size)), s, size); err != nil {
				t.Fatal(err)
			}
			return x
		}
		whole := scan(segment{stop: size})
		count := rapid.IntRange(1, max(1, min(9, int(size)))).Draw(t, "segments") // none is empty
		joined := scan(segment{stop: size / int64(count)})
		for i := range int64(count - 1) {
			part := scan(segment{from: size * (i + 1) / int64(count), stop: size * (i + 2) / int64(count), inner: true})
			joined.join(&part)
		}
		if diff := cmp.Diff(whole.entries, joined.entries, cmp.AllowUnexported(entry{})); diff != "" {
			t.Fatalf("%d segments, one piece (-) and segments (+):\n%s\n%s", count, diff, shorten(data))
		}
		// A torn copy of a request that reaches into the next segment is not read to
		// its end, and counts as a row.
		if whole.rows+whole.bad != joined.rows+joined.bad || joined.bad < whole.bad-1 || whole.known && !joined.known {
			t.Fatalf("%d segments: rows %d and %d, bad %d and %d\n%s", count, whole.rows, joined.rows, whole.bad, joined.bad, shorten(data))
		}
	})
}
