//go:build unix

package supervised

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

// hosts starts some on one handle.
func (l *lab) hosts(n int) []*process {
	l.Helper()
	var all []*process
	for range n {
		all = append(all, l.host(theHandle))
	}
	return all
}

// each gives every host an order at once and gathers the answers.
func (l *lab) each(hosts []*process, what func(i int) order) []answer {
	l.Helper()
	answers := make([]answer, len(hosts))
	var all sync.WaitGroup
	for i, p := range hosts {
		p.order(what(i))
		all.Go(func() {
			var err error
			if answers[i], err = p.answer(); err != nil {
				l.Error(err)
			}
		})
	}
	all.Wait()
	return answers
}

// EX-33: hosts that launch at once get different ids, and both see all tasks.
func TestHosts_launchAtOnce_EX33(t *testing.T) {
	l := newLab(t)
	hosts := l.hosts(3)
	var ids []string
	for range 5 {
		for _, a := range l.each(hosts, func(int) order { return order{Op: "launch", Command: "exit 3"} }) {
			if a.Error != "" {
				t.Fatal(a.Error)
			}
			ids = append(ids, a.Launched.TaskID)
		}
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(unique) != 15 {
		t.Errorf("ids %v", ids)
	}
	for i, p := range hosts {
		for _, id := range ids {
			if info := p.do(order{Op: "wait", Task: id}).Info; info == nil || info.Status != execctx.StatusExited {
				t.Errorf("host %d waits for %s: %+v", i, id, info)
			}
		}
	}
	answers := l.each(hosts, func(int) order { return order{Op: "list"} })
	for _, a := range answers {
		if diff := cmp.Diff(answers[0].Entries, a.Entries); diff != "" || len(a.Entries) != 15 {
			t.Errorf("%d listed; %s", len(a.Entries), diff)
		}
	}
}

// D-12: of several hosts that hand on the tasks of one handle at once, each task
// is handed on by one.
func TestHosts_reassignAtOnce_D12(t *testing.T) {
	l := newLab(t)
	hosts := l.hosts(2)
	for range 4 {
		hosts[0].launch("exec sleep 1000")
	}
	var got []string
	for _, a := range l.each(hosts, func(int) order { return order{Op: "reassign", To: otherHandle} }) {
		for _, entry := range a.Entries {
			got = append(got, entry.TaskID)
			if entry.HandleID != otherHandle || entry.Status != execctx.StatusRunning {
				t.Errorf("moved %+v", entry)
			}
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"bash_1", "bash_2", "bash_3", "bash_4"}, got); diff != "" {
		t.Error(diff)
	}
	c, h := l.open(otherHandle)
	if entries := l.list(c, h); len(entries) != 4 {
		t.Errorf("the new handle lists %+v", entries)
	}
	if a := hosts[1].do(order{Op: "kill", Task: "bash_1"}); a.Info != nil || a.Error != "" {
		t.Errorf("the old handle kills: %+v", a)
	}
}

// EX-5, EX-7: one task, two hosts, kills and waits at once: one end, told to all.
func TestHosts_killAndWait_EX5_EX7(t *testing.T) {
	l := newLab(t)
	hosts := l.hosts(4)
	launched := hosts[0].launch("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done")
	c, h := l.open(theHandle)
	l.eventually("it listens", func() bool { return l.list(c, h)[0].BytesWritten > 0 })
	answers := l.each(hosts, func(i int) order { return order{Op: []string{"kill", "wait"}[i%2], Task: launched.TaskID} })
	for _, a := range answers {
		if a.Info == nil {
			t.Fatalf("answer %+v", a)
		}
		l.wantCode(*a.Info, execctx.StatusKilled, 5)
		if diff := cmp.Diff(answers[0].Info, a.Info); diff != "" {
			t.Error(diff)
		}
	}
	if data, err := os.ReadFile(launched.OutputPath); err != nil || strings.Count(string(data), "bye\n") != 1 {
		t.Errorf("log %q, %v", data, err)
	}
}

// EX-45: the limit holds for all programs on a store together.
func TestHosts_limit_EX45(t *testing.T) {
	l := newLab(t)
	limit := func(o *Options) { o.MaxBackgroundTasks = 3 }
	a, ha := l.open(theHandle, limit)
	b, hb := l.open(otherHandle, limit)
	var all sync.WaitGroup
	var mu sync.Mutex
	started, refused := 0, 0
	for i := range 8 {
		all.Go(func() {
			c, h := a, ha
			if i%2 == 1 {
				c, h = b, hb
			}
			_, err := c.ExecBackground(t.Context(), h, l.request("exec sleep 1000"))
			mu.Lock()
			defer mu.Unlock()
			if _, full := err.(*execctx.TooManyTasksError); full {
				refused++
			} else if err == nil {
				started++
			} else {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if started != 3 || refused != 5 {
		t.Errorf("%d started, %d refused", started, refused)
	}
}

// Random calls by two hosts on one handle, with one killed now and then: nothing
// is doubled, no end is told in two ways, no code is made up.
func TestHosts_interleavings_EX81(t *testing.T) {
	const enough = 12 // each starts real processes; rapid would try a hundred
	tried := 0
	rapid.Check(t, func(r *rapid.T) {
		if tried++; tried > enough {
			return
		}
		l := newLab(t)
		c, h := l.open(theHandle)
		hosts := l.hosts(2)
		launches := 0
		ends := map[string]execctx.ExitInfo{}
		see := func(info execctx.ExitInfo) {
			if !info.Ended() {
				return
			}
			if first, seen := ends[info.TaskID]; seen && cmp.Diff(first, info) != "" {
				r.Fatalf("%s ended in two ways: %s", info.TaskID, cmp.Diff(first, info))
			}
			ends[info.TaskID] = info
		}
		for range rapid.IntRange(1, 6).Draw(r, "rounds") {
			orders := make([]order, len(hosts))
			for i := range orders {
				orders[i] = order{
					Op:      rapid.SampledFrom([]string{"launch", "launch", "kill", "wait", "list", "die"}).Draw(r, "op"),
					Command: rapid.SampledFrom([]string{"exit 3", "exec sleep 1000", "kill -9 $$"}).Draw(r, "command"),
					Task:    fmt.Sprintf("bash_%d", rapid.IntRange(1, max(launches, 1)).Draw(r, "task")),
					Timeout: time.Millisecond, To: otherHandle,
				}
			}
			for i := range orders {
				if orders[i].Op == "die" {
					hosts[i].sigkill()
					hosts[i] = l.host(theHandle)
					orders[i].Op = "list"
				}
			}
			for i, a := range l.each(hosts, func(i int) order { return orders[i] }) {
				if a.Error != "" {
					r.Fatalf("%+v: %s", orders[i], a.Error)
				}
				if a.Info != nil {
					see(*a.Info)
				}
				if a.Launched.TaskID != "" {
					launches++
				}
				for _, entry := range a.Entries {
					see(entry.ExitInfo)
				}
			}
		}
		entries := l.list(c, h)
		if len(entries) != launches {
			r.Fatalf("%d launched, listed %+v", launches, entries)
		}
		for i, entry := range entries {
			see(entry.ExitInfo)
			if entry.TaskID != execctx.TaskID(i+1) || entry.Status == execctx.StatusLost {
				r.Fatalf("listed at %d: %+v", i, entry)
			}
		}
		if err := c.Destroy(t.Context(), h); err != nil {
			r.Fatal(err)
		}
		for _, p := range hosts {
			p.sigkill()
		}
	})
}
