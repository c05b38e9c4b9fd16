//go:build unix

package evidence

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Many hooks of one session at once, in processes and goroutines: no event is
// lost or torn, and no count is lost, or the cap would not hold (D-38).
func TestConcurrent_ProcessesAndGoroutines(t *testing.T) {
	const processes, goroutines, runs = 6, 4, 40
	dir := t.TempDir()
	s, err := Store{Dir: dir, LockWait: 1 << 40}.Session("shared")
	if err != nil {
		t.Fatal(err)
	}
	var children []*exec.Cmd
	for p := range processes {
		cmd := startChild(t, "work", dir, fmt.Sprint("p", p), runs)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			if err := work(s, fmt.Sprint("g", g), runs); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	const total = (processes + goroutines) * runs
	log := mustEvents(t, s)
	next := map[string]int{}
	for i, e := range log.Events {
		who, n, _ := strings.Cut(e.Text, "/")
		if n != strconv.Itoa(next[who]) {
			t.Fatalf("%s: event %s where %d was expected", who, n, next[who])
		}
		next[who]++
		if i > 0 && e.TS.Before(log.Events[i-1].TS) {
			t.Fatal("file order is not time order")
		}
	}
	if len(log.Events) != total || log.Bad != 0 || len(next) != processes+goroutines {
		t.Errorf("%d events, %d bad, %d writers", len(log.Events), log.Bad, len(next))
	}
	if st, err := s.Load(); err != nil || st.Remediation.Count != total {
		t.Errorf("count %d, want %d (%v)", st.Remediation.Count, total, err)
	}
}

// Hooks that are killed at any point (the host kills hooks that take too long)
// leave no lock, no torn state, and at most one torn line each.
func TestConcurrent_KilledProcesses(t *testing.T) {
	const kills = 12
	dir := t.TempDir()
	for k := range kills {
		cmd := startChild(t, "forever", dir, fmt.Sprint("k", k), 0)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		for range 3 + k {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Process.Kill()
		io.Copy(io.Discard, lines)
		cmd.Wait()
	}
	s := testSession(t, dir, "shared")
	before := mustEvents(t, s)
	st, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	// Each child appends first and counts second, so a kill loses at most one count.
	if n := len(before.Events); before.Bad > kills || st.Remediation.Count > n || st.Remediation.Count < n-kills {
		t.Errorf("%d events, %d bad, count %d", n, before.Bad, st.Remediation.Count)
	}
	if err := work(s, "after", 1); err != nil {
		t.Errorf("a dead process holds the lock: %v", err)
	}
	if after := mustEvents(t, s); len(after.Events) != len(before.Events)+1 {
		t.Errorf("%d events, then %d", len(before.Events), len(after.Events))
	}
}

// A write that does not fit is taken back: an error means that nothing was added.
func TestAppend_FullDisk(t *testing.T) {
	for _, limit := range []int{1000, 1001, 1037} {
		dir := t.TempDir()
		out, err := startChild(t, "small-disk", dir, "", limit).Output()
		if err != nil {
			t.Fatal(err)
		}
		s := testSession(t, dir, "shared")
		log := mustEvents(t, s)
		if strings.TrimSpace(string(out)) != strconv.Itoa(len(log.Events)) || log.Bad != 0 || len(log.Events) == 0 {
			t.Errorf("limit %d: the writer counted %s events, the reader %d and %d bad", limit, out, len(log.Events), log.Bad)
		}
	}
}
