package transcript

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// one is a session with one handoff, stamped as the test says.
func one(timestamp any) []byte {
	row := handoffRow("r1", "u1", "t1", "b1")
	if timestamp == nil {
		row = row.without("timestamp")
	} else {
		row = row.with("timestamp", timestamp)
	}
	return lines(human("u1", "", "go"), row)
}

func TestHandoff_TR9_D35_boundaries(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		age    time.Duration
		want   HandoffState
		secs   float64 // of the reported age; -1 when there is none
	}{
		{"just opened", 0, HandoffOpen, 0},
		{"a nanosecond before the limit", 30*time.Minute - 1, HandoffOpen, 1799.999999999},
		{"exactly at the limit still defers", 30 * time.Minute, HandoffOpen, 1800},
		{"a nanosecond more does not", 30*time.Minute + 1, HandoffExpired, 1800.000000001},
		{"nor a millisecond more", 30*time.Minute + time.Millisecond, HandoffExpired, 1800.001},
		{"nor a day", 24 * time.Hour, HandoffExpired, 86400},
		{"in the future counts as now", -time.Nanosecond, HandoffOpen, 0},
		{"up to five minutes", -5 * time.Minute, HandoffOpen, 0},
		{"but not a nanosecond more", -5*time.Minute - 1, HandoffExpired, -1},
		{"nor a year", -365 * 24 * time.Hour, HandoffExpired, -1},
	}
	for _, tt := range tests {
		s := read(t, one(at0.Format(time.RFC3339Nano)), Options{Now: at0.Add(tt.age)})
		h := s.Handoffs[0]
		if h.State != (HandoffStates{tt.want, tt.want}) {
			t.Errorf("%s (%v): got %v, want %v", tt.reason, tt.age, h.State, tt.want)
		}
		switch {
		case tt.secs < 0:
			if h.AgeSeconds != nil || h.ExpiresAt != nil {
				t.Errorf("%s: an unusable stamp gives no age, got %v", tt.reason, *h.AgeSeconds)
			}
		case h.AgeSeconds == nil || *h.AgeSeconds != tt.secs || !h.ExpiresAt.Equal(at0.Add(30*time.Minute)):
			t.Errorf("%s: age %v, expires %v", tt.reason, h.AgeSeconds, h.ExpiresAt)
		}
	}
}

func TestHandoff_D35_stamps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		stamp  any
		want   bool // usable, and 30 minutes old at the clock
	}{
		{"no fraction", "2026-10-05T09:00:00Z", true},
		{"one digit", "2026-10-05T09:00:00.0Z", true},
		{"three digits, as the host writes", "2026-10-05T09:00:00.000Z", true},
		{"nine digits", "2026-10-05T09:00:00.000000000Z", true},
		{"an offset", "2026-10-05T11:00:00+02:00", true},
		{"an offset west and of half an hour", "2026-10-05T05:30:00.00-03:30", true},
		{"no zone is no instant", "2026-10-05T09:00:00", false},
		{"a date alone", "2026-10-05", false},
		{"words", "yesterday", false},
		{"empty", "", false},
		{"a number of seconds", 1791190800, false},
		{"an object", m{"at": "2026-10-05T09:00:00Z"}, false},
		{"true", true, false},
		{"missing", nil, false},
		{"a day that is none", "2026-02-30T09:00:00Z", false},
	}
	for _, tt := range tests {
		for _, late := range []time.Duration{0, time.Nanosecond} {
			want := []string{}
			if tt.want && late == 0 {
				want = append(want, "b1")
			}
			got := open(read(t, one(tt.stamp), Options{Now: at0.Add(30*time.Minute + late)}), "any_text")
			if !slices.Equal(got, want) {
				t.Errorf("%s, %v after the limit: open %v, want %v", tt.reason, late, got, want)
			}
		}
	}
}

// Fractions of every length count to the last digit.
func TestHandoff_D35_fractions(t *testing.T) {
	t.Parallel()
	for digits := 1; digits <= 9; digits++ {
		unit := time.Second
		for range digits {
			unit /= 10
		}
		stamp := at0.Add(unit).Format("2006-01-02T15:04:05." + "000000000"[:digits] + "Z07:00")
		limit := at0.Add(unit).Add(30 * time.Minute)
		if got := open(read(t, one(stamp), Options{Now: limit}), "any_text"); len(got) != 1 {
			t.Errorf("%s is exactly 30 minutes old at %v and not open", stamp, limit)
		}
		if got := open(read(t, one(stamp), Options{Now: limit.Add(1)}), "any_text"); len(got) != 0 {
			t.Errorf("%s is open a nanosecond after 30 minutes", stamp)
		}
	}
}

func TestHandoff_TR9_limitIsBounded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		limit  time.Duration
		age    time.Duration
		want   int
	}{
		{"a shorter limit counts, both ends included", time.Minute, time.Minute, 1},
		{"and ends", time.Minute, time.Minute + 1, 0},
		{"RG-3: a longer one is cut to 30 minutes", 48 * time.Hour, 30 * time.Minute, 1},
		{"so that no configuration defers longer", 48 * time.Hour, 30*time.Minute + 1, 0},
		{"none and a negative one are the default", -1, 30 * time.Minute, 1},
	}
	for _, tt := range tests {
		s := read(t, one(sec(0)), Options{Now: at0.Add(tt.age), HandoffLimit: tt.limit})
		if got := len(open(s, "any_text")); got != tt.want {
			t.Errorf("%s: %d open, want %d", tt.reason, got, tt.want)
		}
	}
}

// The clock decides ages and nothing else: which row is later is told by the
// file (TR-8, D-34).
func TestHandoff_TR8_D34_orderIsPosition(t *testing.T) {
	t.Parallel()
	note := func(at string) obj { return userRow("n1", "u1", notification("b1", "completed"), kv{"timestamp", at}) }
	row := handoffRow("r1", "u1", "t1", "b1").with("timestamp", sec(10))
	tests := []struct {
		reason string
		rows   []any
		want   []string
	}{
		{"a notice that stands before does not close, though stamped later", []any{note(sec(15)), row}, []string{"b1"}},
		{"a notice that stands behind closes, though stamped earlier", []any{row, note(sec(1))}, []string{}},
		{"and without a stamp", []any{row, note(sec(1)).without("timestamp")}, []string{}},
	}
	for _, tt := range tests {
		s := read(t, lines(append([]any{human("u1", "", "go")}, tt.rows...)...), Options{})
		if diff := cmp.Diff(tt.want, open(s, "any_text")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestOptions_defaults(t *testing.T) {
	t.Parallel()
	began := time.Now()
	s, err := ReadFrom(emptyFile{}, 0, "t.jsonl", Options{})
	if err != nil || s.Now.Before(began.Add(-time.Second)) || s.Now.Location() != time.UTC {
		t.Errorf("without a clock it is now, in UTC: %v %v", s.Now, err)
	}
	o := Options{Window: -1, BoxWindow: -1}.withDefaults()
	if o.Window != 8<<20 || o.BoxWindow != 256<<10 || o.HandoffLimit != 30*time.Minute {
		t.Errorf("D-32: defaults %+v", o)
	}
}

type emptyFile struct{}

func (emptyFile) ReadAt([]byte, int64) (int, error) { panic("nothing to read") }
