package command

import (
	"strings"
	"testing"
	"time"
)

func TestSince(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
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
		{"0d", now},
	} {
		got, err := Since("--since", tt.text, now)
		if err != nil || !got.Equal(tt.want) {
			t.Errorf("%q: %v, %v; want %v", tt.text, got, err, tt.want)
		}
	}
	for _, bad := range []string{"yesterday", "d", "-3d", "-1h", "1dd", "12", "3dx", "99999999d", "1d-1h"} {
		if got, err := Since("--from", bad, now); err == nil || !strings.HasPrefix(err.Error(), "--from \""+bad) {
			t.Errorf("%q is taken for %v (%v)", bad, got, err)
		}
	}
}

func TestAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "90m": 90 * time.Minute, "1d1h": 25 * time.Hour} {
		if got, err := Age("--prune", text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "2026-11-01", "-1h", "week"} {
		if got, err := Age("--prune", bad); err == nil || !strings.Contains(err.Error(), "--prune") {
			t.Errorf("%q is taken for %v (%v)", bad, got, err)
		}
	}
}
