package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestNumbersInText(t *testing.T) {
	for _, tc := range []struct {
		reason string
		text   string
		want   []string
	}{
		{"a number alone", "TR-7", []string{"TR-7"}},
		{"a number is a whole token, so the longer one is not the shorter", "TR-10", []string{"TR-10"}},
		{"a number stands in prose", "text (TR-4, TR-5) opens nothing", []string{"TR-4", "TR-5"}},
		{"a prefix is not found inside a word", "ID-3, ADR-7, xTR-1, PTR-2", nil},
		{"nothing is found behind a hyphen, as in a uuid", "0f-D-35", nil},
		{"digits that go on in letters are no number", "D-35b TR-1st", nil},
		{"leading zeros do not matter, and decisions have two digits", "D-8 D-08 TR-007", []string{"D-08", "D-08", "TR-7"}},
		{"a range in words", "AC-150 to AC-153", []string{"AC-150", "AC-151", "AC-152", "AC-153"}},
		{"a range with dots", "AC-150..152", []string{"AC-150", "AC-151", "AC-152"}},
		{"a range with dots and a second prefix", "FX-1..FX-3", []string{"FX-1", "FX-2", "FX-3"}},
		{"a range with a dash", "TR-1–TR-3", []string{"TR-1", "TR-2", "TR-3"}},
		{"a range with a hyphen", "TR-1-3", []string{"TR-1", "TR-2", "TR-3"}},
		{"a list with a slash", "PO-1/3/5 hold", []string{"PO-1", "PO-3", "PO-5"}},
		{"words behind a number do not make a range", "TR-7 to 30 minutes", []string{"TR-7"}},
		{"two kinds are no range", "TR-1 to PO-3", []string{"TR-1", "PO-3"}},
		{"a falling range is its first number", "TR-5..2", []string{"TR-5"}},
		{"a range that would prove everything is its first number", "AC-1 to AC-167", []string{"AC-1"}},
		{"a number of five digits is none", "D-12345", nil},
		{"the end of a sentence is no range", "as TR-3. TR-4 too.", []string{"TR-3", "TR-4"}},
		{"a cut range is a number", "TR-3..", []string{"TR-3"}},
		{"nothing", "", nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, numbersInText(tc.text)); diff != "" {
				t.Errorf("%s: %q (-want +got):\n%s", tc.reason, tc.text, diff)
			}
		})
	}
}

func TestNumbersInName(t *testing.T) {
	for _, tc := range []struct {
		reason string
		name   string
		want   []string
	}{
		{"behind an underscore", "TestTail_TR1", []string{"TR-1"}},
		{"inside a word in camel case", "TestTR12Unreadable", []string{"TR-12"}},
		{"several", "TestVerdict_PO3_PO12_D36", []string{"PO-3", "PO-12", "D-36"}},
		{"with an underscore before the digits", "TestAge_D_35", []string{"D-35"}},
		{"a range", "TestFold_AC150to153", []string{"AC-150", "AC-151", "AC-152", "AC-153"}},
		{"a range with underscores and a second prefix", "TestFold_AC150_to_AC151", []string{"AC-150", "AC-151"}},
		{"a prefix must begin a word", "TestID35_SHA256", nil},
		{"a name without numbers", "TestTornLine", nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, numbersInName(tc.name)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", tc.reason, tc.name, diff)
			}
		})
	}
}

func TestNumbersInRuleName(t *testing.T) {
	for _, tc := range []struct {
		reason string
		name   string
		want   []string
	}{
		{"digits as a word of their own", "test_tr_7_names", []string{"TR-7"}},
		{"digits joined to the prefix", "test_po3_d36_defers", []string{"PO-3", "D-36"}},
		{"a range", "test_tr_1_to_3", []string{"TR-1", "TR-2", "TR-3"}},
		{"a word that only begins like a prefix", "test_trailing_dot", nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, numbersInRuleName(tc.name)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", tc.reason, tc.name, diff)
			}
		})
	}
}

// Any number written between anything that is no letter, digit or hyphen is
// found, exactly once and as itself.
func TestNumbersInText_property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.StringMatching(`[ ,;:()\["'` + "`" + `]{1,3}`)
		var text string
		var want []string
		for range rapid.IntRange(0, 6).Draw(t, "count") {
			prefix := rapid.SampledFrom(prefixes()).Draw(t, "prefix")
			n := rapid.IntRange(10, 999).Draw(t, "n")
			text += edge.Draw(t, "edge") + fmt.Sprintf("%s-%d", prefix, n)
			want = append(want, number(prefix, n))
		}
		text += edge.Draw(t, "end")
		if got := numbersInText(text); !slices.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", text, got, want)
		}
	})
}
