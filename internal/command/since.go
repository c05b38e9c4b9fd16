package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Since reads the value of a flag that names an instant in the past: a day, an
// instant, or how long before now (36h, 14d, 1d12h). Without a zone it is UTC. An
// empty text is no bound: the zero time.
func Since(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			return at, nil
		}
	}
	ago, ok := age(text)
	if !ok {
		return time.Time{}, fmt.Errorf("%s %q: write a day (2026-11-30), an instant (2026-11-30T17:30:00Z) or how long ago (36h, 14d)", flag, text)
	}
	return now.Add(-ago), nil
}

// Age reads the value of a flag that is an age, such as 36h, 14d or 1d12h.
func Age(flag, text string) (time.Duration, error) {
	d, ok := age(text)
	if !ok {
		return 0, fmt.Errorf("%s %q: write an age such as 36h or 30d", flag, text)
	}
	return d, nil
}

// age is a duration that may begin with days.
func age(text string) (time.Duration, bool) {
	var days time.Duration
	if n, rest, ok := strings.Cut(text, "d"); ok {
		count, err := strconv.ParseUint(n, 10, 16)
		if err != nil {
			return 0, false
		}
		if days = time.Duration(count) * 24 * time.Hour; rest == "" {
			return days, true
		}
		text = rest
	}
	d, err := time.ParseDuration(text)
	return days + d, err == nil && d >= 0
}
