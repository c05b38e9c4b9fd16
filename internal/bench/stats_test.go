package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		reason string
		times  []time.Duration
		want   time.Duration
	}{
		{"no time has no middle", nil, 0},
		{"one time is its own middle", []time.Duration{7}, 7},
		{"an odd count has a middle one, whatever the order", []time.Duration{9, 1, 5}, 5},
		{"an even count has the mean of the middle two", []time.Duration{4, 1, 10, 2}, 3},
		{"one outlier moves nothing", []time.Duration{2, 2, 2, 2, 1000}, 2},
	} {
		before := slices.Clone(tc.times)
		if got := median(tc.times); got != tc.want {
			t.Errorf("%s: median %v is %d, want %d", tc.reason, tc.times, got, tc.want)
		}
		if !slices.Equal(before, tc.times) {
			t.Errorf("%s: median changed its argument", tc.reason)
		}
	}
}

func TestQuantile_property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfN(rapid.Int64Range(0, 1e9), 1, 60).Draw(t, "times")
		var times []time.Duration
		for _, n := range draw {
			times = append(times, time.Duration(n))
		}
		slices.Sort(times)
		low, mid, high := quantile(times, 0), quantile(times, 0.5), quantile(times, 1)
		if low != times[0] || high != times[len(times)-1] || mid < low || mid > high {
			t.Fatalf("quantiles %d %d %d of %v", low, mid, high, times)
		}
		below := 0
		for _, d := range times {
			if d <= mid {
				below++
			}
		}
		if 2*below < len(times) {
			t.Fatalf("only %d of %d are at most the median %d: %v", below, len(times), mid, times)
		}
	})
}

func TestRatio(t *testing.T) {
	if got := ratio(3, 2); got != 1.5 {
		t.Errorf("3 to 2 is %v", got)
	}
	if got := ratio(3, 0); got != 0 {
		t.Errorf("a ratio to nothing is %v, want 0", got)
	}
}

func TestPrintTimes(t *testing.T) {
	var out bytes.Buffer
	ms := time.Millisecond
	err := printTimes(&out,
		[]command{{name: "hook"}, {name: "tail", bound: 2}, {name: "node", bound: 1.0 / 6}},
		[][]time.Duration{{6 * ms, 5 * ms, 9 * ms}, {4 * ms, 4 * ms, 4 * ms}, {30 * ms, 30 * ms, 30 * ms}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"6.00 ms", "1.500 ×", "≤ 2.000 ×  reached", "0.200 ×", "≤ 0.167 ×   MISSED"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &out)
		}
	}
}

func TestRun_refuses(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-stophook", "no/such/binary"}, &out); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("a missing binary: got %v, want what to do", err)
	}
	if err := run([]string{"-rounds", "0"}, &out); err == nil || !strings.Contains(err.Error(), "-rounds") {
		t.Errorf("no rounds: got %v", err)
	}
}

func TestInterleave_namesTheCommandThatFailed(t *testing.T) {
	_, err := interleave([]command{{name: "nothing", args: []string{"no-such-command-anywhere"}}}, 0, 1)
	if err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("got %v, want the name of the command", err)
	}
}
