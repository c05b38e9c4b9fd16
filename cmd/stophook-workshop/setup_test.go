package main

import (
	"testing"
	"time"
)

func TestSince(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p := &program{now: func() time.Time { return now }}
	for _, tt := range []struct {
		text string
		want time.Time
	}{
		{"", time.Time{}},
		{"2026-11-01", time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)},
		{"2026-11-01T10:30", time.Date(2026, 11, 1, 10, 30, 0, 0, time.UTC)},
		{"2026-11-01T10:30:00.5+02:00", time.Date(2026, 11, 1, 8, 30, 0, 5e8, time.UTC)},
		{"36h", now.Add(-36 * time.Hour)},
		{"14d", now.AddDate(0, 0, -14)},
		{"1d12h", now.Add(-36 * time.Hour)},
	} {
		got, err := p.since(tt.text)
		if err != nil || !got.Equal(tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
	for _, bad := range []string{"yesterday", "d", "-3d", "-1h", "1dd", "12", "3dx"} {
		if got, err := p.since(bad); err == nil {
			t.Errorf("%q is taken for %v", bad, got)
		}
	}
}
