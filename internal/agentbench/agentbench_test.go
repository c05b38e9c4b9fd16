package main

import (
	"strings"
	"testing"
)

// Every figure is measured, in a sitting of a few rounds; what they are depends on the
// machine and is not looked at.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"-turns", "3", "-long", "5", "-agents", "4", "-rounds", "2"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, figure := range []string{"in a new session", "behind 5 others", "to compare", "a session of 5 turns", "memory kept", "4 agents with 10 calls each", "an agent that waits"} {
		if !strings.Contains(out.String(), figure) {
			t.Errorf("no figure for %q in\n%s", figure, &out)
		}
	}
}

func TestRun_nothingToMeasure(t *testing.T) {
	if err := run([]string{"-turns", "0"}, &strings.Builder{}); err == nil {
		t.Error("no turns are no measurement")
	}
}
