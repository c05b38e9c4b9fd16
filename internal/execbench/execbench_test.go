//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stophook/stophook/execctx/supervised"
)

func TestMain(m *testing.M) {
	supervised.RunIfSupervisor()
	if len(os.Args) > 1 && os.Args[1] == waiterFlag {
		if err := waiter(os.Args[2:], os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Every figure is measured, in a sitting of a few rounds; what they are depends
// on the machine and is not looked at.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"-launches", "3", "-exits", "3", "-listed", "5", "-durable", "2"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, figure := range []string{"launch until settled, worst", "to OnExit", "list of 5 running tasks", "our memory", "in another process", "list of 5 tasks, median"} {
		if !strings.Contains(out.String(), figure) {
			t.Errorf("no figure for %q in\n%s", figure, &out)
		}
	}
}

func TestRun_nothingToMeasure(t *testing.T) {
	if err := run([]string{"-launches", "0"}, &strings.Builder{}); err == nil {
		t.Error("no launches are no measurement")
	}
}
