package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/policy/replay"
)

// The words under the picture say what time it shows, and every stop of that time
// stands in a column.
func TestReplayView_columns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason   string
		at       []time.Duration // from 5 October 2026, 09:02
		zone     *time.Location
		ends     columnEnds
		firstBar string
	}{
		{"one moment is no picture", []time.Duration{0, time.Minute}, time.UTC, columnEnds{}, ""},
		{"stops without a time are not drawn", nil, time.UTC, columnEnds{}, ""},
		{"minutes", []time.Duration{0, time.Minute, 27 * time.Minute}, time.UTC,
			columnEnds{"5 Oct 2026, 09:00", "each column is 5 minutes, the highest has 2 stops", "5 Oct 2026, 09:30"}, "5 Oct 2026, 09:00, 2 blocked"},
		{"one hour each", []time.Duration{0, 40 * time.Hour}, time.UTC,
			columnEnds{"5 Oct 2026, 09:00", "each column is 1 hour, the highest has 1 stop", "7 Oct 2026, 02:00"}, "5 Oct 2026, 09:00, 1 blocked"},
		{"a day each: the last one is that of the last stop", []time.Duration{0, 40 * 24 * time.Hour}, time.UTC,
			columnEnds{"5 Oct 2026", "each column is 1 day, the highest has 1 stop", "14 Nov 2026"}, "5 Oct 2026, 1 blocked"},
		{"hours of the reader's zone", []time.Duration{0, 40 * time.Hour}, time.FixedZone("", 16*3600),
			columnEnds{"6 Oct 2026, 01:00", "each column is 1 hour, the highest has 1 stop", "7 Oct 2026, 18:00"}, "6 Oct 2026, 01:00, 1 blocked"},
	} {
		v := replayView{Result: &replay.Result{Sessions: []replay.Session{{Stops: []replay.Stop{{Verdict: "block"}}}}}, zone: tt.zone}
		for _, d := range tt.at {
			s := replay.Stop{Verdict: "block", Time: time.Date(2026, 10, 5, 9, 2, 0, 0, time.UTC).Add(d)}
			v.Result.Sessions[0].Stops = append(v.Result.Sessions[0].Stops, s)
			v.span.add(s.Time)
		}
		v.columns()
		if v.Ends != tt.ends {
			t.Errorf("%s: %+v, want %+v", tt.reason, v.Ends, tt.ends)
		}
		if tt.firstBar == "" {
			if len(v.Columns) > 0 {
				t.Errorf("%s: %d columns", tt.reason, len(v.Columns))
			}
			continue
		}
		if len(v.Columns) == 0 || len(v.Columns) > maxColumns || v.Columns[0].Label != tt.firstBar {
			t.Errorf("%s: %+v, want %q first", tt.reason, v.Columns, tt.firstBar)
		}
		if last := v.Columns[len(v.Columns)-1]; last.X+last.W > 1000 || strings.Count(last.Label, "blocked") != 1 {
			t.Errorf("%s: the last column is %+v", tt.reason, last)
		}
	}
}
