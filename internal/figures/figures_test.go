package figures

import (
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for want, times := range map[time.Duration][]time.Duration{0: nil, 3: {3}, 2: {3, 1}, 5: {9, 5, 1}} {
		if got := Median(times); got != want {
			t.Errorf("median of %v: got %v, want %v", times, got, want)
		}
	}
}

// A figure says whether its target was reached; one without a target does not.
func TestTable(t *testing.T) {
	var out strings.Builder
	table := New(&out)
	table.Section("part")
	table.Duration("quick", 1234*time.Microsecond, 2*time.Millisecond)
	table.Duration("slow", 3*time.Millisecond, 2*time.Millisecond)
	table.Duration("plain", time.Microsecond, 0)
	table.Bytes("small", 512, 1024)
	table.Bytes("large", 2048, 1024)
	table.Bytes("alone", 2048, 0)
	table.Note("nothing to measure")
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"quick", "1.23ms", "< 2ms", "reached", "MISSED", "0.5 KiB", "< 1 KiB", "nothing to measure"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if got := strings.Count(out.String(), "MISSED"); got != 2 {
		t.Errorf("%d targets were missed, want 2:\n%s", got, &out)
	}
}
