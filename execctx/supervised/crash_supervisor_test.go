//go:build unix

package supervised

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// stubborn does not end by the death of its supervisor: its group has somebody
// else in it.
const stubborn = "(trap '' TERM; sh -c 'echo $$ > child; while :; do sleep 0.01; done') & trap '' TERM; echo $$ > leader; wait; wait"

func sigkill(l *lab, pid int) {
	l.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		l.Fatal(err)
	}
}

// A supervisor that is killed in any phase of a launch, while the host lives, is
// a launch that failed: no task, no file, no process.
func TestSupervisorKilled_launch_EX83(t *testing.T) {
	for _, step := range []string{"planned", "recorded", "started", "noted"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.host(theHandle, step)
			p.order(order{Op: "launch", Command: stubborn})
			supervisor := l.at(step)
			if step == "started" || step == "noted" {
				l.number("child")
			}
			sigkill(l, supervisor)
			a, err := p.answer()
			if err != nil || !strings.Contains(a.Error, "ended without an answer") {
				t.Errorf("the launch gave %+v, %v", a, err)
			}
			for _, name := range []string{"leader", "child"} {
				if exists(filepath.Join(l.dir, name)) && runs(l.number(name)) {
					t.Errorf("the %s lives on", name)
				}
			}
			p.sigkill()
			c, h := l.open(theHandle)
			l.wantNothing(c, h)
		})
	}
}

// Host and supervisor are killed in a phase of a launch: what a new process finds
// is lost from where something may have begun, and can be ended.
func TestBothKilled_launch_EX83(t *testing.T) {
	for _, tt := range []struct {
		step    string
		warning string // of a lost task; empty: there is none
		begun   bool
	}{
		{"planned", "", false},
		{"recorded", "whether the command began is not known", false},
		{"started", "whether the command began is not known", true},
		{"noted", "no exit code is known", true},
		{"told", "no exit code is known", true},
	} {
		t.Run(tt.step, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.host(theHandle, tt.step)
			p.order(order{Op: "launch", Command: stubborn})
			supervisor := l.at(tt.step)
			var leader, child int
			if tt.begun {
				leader, child = l.number("leader"), l.number("child")
			}
			p.sigkill()
			sigkill(l, supervisor)

			c, h := l.open(theHandle)
			l.eventually("nobody holds the lock", func() bool {
				busy, _ := held(filepath.Join(l.dir, "store", "bash_1", fileLock))
				return !busy
			})
			if tt.warning == "" {
				l.wantNothing(c, h)
				return
			}
			entries := l.list(c, h)
			if len(entries) != 1 {
				t.Fatalf("listed %+v", entries)
			}
			l.wantLost(entries[0].ExitInfo, tt.warning)
			if !entries[0].EndedAt.IsZero() {
				t.Errorf("the end is said to be at %v", entries[0].EndedAt)
			}
			l.wantLost(l.ended(c, h, "bash_1"), tt.warning)
			if tt.begun && linux() {
				l.wantLost(entries[0].ExitInfo, "still running; kill the task to end what is left")
			}
			info, err := c.KillBackground(t.Context(), h, "bash_1")
			if err != nil || info == nil {
				t.Fatal(info, err)
			}
			l.wantLost(*info, tt.warning)
			if linux() && strings.Contains(strings.Join(info.Warnings, " "), "still running") || tt.begun && (runs(leader) || runs(child)) {
				t.Errorf("somebody lives on; warnings %q", info.Warnings)
			}
			if next := l.launch(c, h, "true"); next.TaskID != "bash_2" {
				t.Errorf("the next id is %s", next.TaskID)
			}
		})
	}
}

func linux() bool { return exists("/proc/self/exe") }

// A supervisor that is killed while its command runs, or before its end is on
// record, leaves it lost; who waits is woken, and nothing is made up.
func TestSupervisorKilled_lost_EX83(t *testing.T) {
	for _, stop := range []string{"", "ended"} {
		t.Run("at "+stop, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.host(theHandle, stop)
			launched := p.launch(awaitGo)
			c, h := l.open(theHandle)
			got := make(chan *execctx.ExitInfo, 1)
			go func() {
				info, _ := c.WaitBackground(context.Background(), h, launched.TaskID, 0)
				got <- info
			}()
			if stop != "" {
				l.touch("go")
				l.at(stop)
			}
			sigkill(l, l.record("bash_1").Supervisor.PID)
			info := <-got
			if info == nil {
				t.Fatal("the wait gave nothing")
			}
			l.wantLost(*info, "was killed; no exit code is known")
			if again := p.do(order{Op: "wait", Task: "bash_1"}).Info; again == nil || again.Status != execctx.StatusLost {
				t.Errorf("the host that launched it waits and gets %+v", again)
			}
			if linux() {
				// The command was told by the system.
				l.eventually("the command has ended", func() bool { return !runs(launched.PID) })
			}
			l.touch("go")
			if moved, err := c.ReassignBackground(t.Context(), execctx.ReassignRequest{From: h, To: h}); err != nil || len(moved) > 0 {
				t.Errorf("a lost task was handed on: %v, %v", moved, err)
			}
		})
	}
}

// What left the group as a daemon is named, and not ended (EX-51).
func TestSupervisorKilled_daemon_EX51(t *testing.T) {
	if !linux() {
		t.Skip("processes are found by their environment on Linux only")
	}
	l := newLab(t)
	c, h := l.open(theHandle)
	l.launch(c, h, "setsid sh -c 'echo $$ > daemon; exec sleep 1000' & exec sleep 1000")
	daemon := l.number("daemon")
	t.Cleanup(func() { _ = syscall.Kill(daemon, syscall.SIGKILL) })
	sigkill(l, l.record("bash_1").Supervisor.PID)
	info, err := c.KillBackground(t.Context(), h, "bash_1")
	if err != nil || info == nil {
		t.Fatal(info, err)
	}
	l.wantLost(*info, "left its process group, as a daemon does")
	if !runs(daemon) {
		t.Error("the daemon was ended")
	}
}

// A number in a record proves nothing: a stranger who has it is never signalled,
// whatever the record says (EX-44).
func TestStranger_EX44(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle, func(o *Options) { o.KillGrace = 50 * time.Millisecond })
	launched := l.launch(c, h, "exec sleep 1000")
	stranger := l.launch(c, h, "exec sleep 1000")
	supervisor := l.record("bash_1").Supervisor.PID
	sigkill(l, supervisor)
	l.ended(c, h, "bash_1")
	l.eventually("the command has ended", func() bool { return !runs(launched.PID) || !linux() })
	name := filepath.Join(l.dir, "store", "bash_1", fileLaunch)
	for _, forged := range []processID{
		{PID: stranger.PID},
		{PID: stranger.PID, Start: identify(stranger.PID).Start - 1},
	} {
		r := l.record("bash_1")
		r.Process = forged
		r.Supervisor = processID{PID: l.record("bash_2").Supervisor.PID, Start: r.Supervisor.Start}
		if err := writeRecord(name, r, true); err != nil {
			t.Fatal(err)
		}
		again, h := l.open(theHandle, func(o *Options) { o.KillGrace = 50 * time.Millisecond })
		info, err := again.KillBackground(t.Context(), h, "bash_1")
		if err != nil || info == nil {
			t.Fatal(info, err)
		}
		l.wantLost(*info, "no exit code")
		if !runs(stranger.PID) {
			t.Fatal("a stranger was ended")
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A record of another run of the machine: lost, and nobody is looked for.
func TestRestart_EX83(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	launched := l.launch(c, h, "exec sleep 1000")
	r := l.record("bash_1")
	sigkill(l, r.Supervisor.PID)
	l.ended(c, h, "bash_1")
	r.Place.Boot = "earlier"
	r.Process = identify(os.Getpid()) // whoever has the number now
	if err := writeRecord(filepath.Join(l.dir, "store", "bash_1", fileLaunch), r, true); err != nil {
		t.Fatal(err)
	}
	if linux() {
		again, h := l.open(theHandle)
		l.wantLost(l.ended(again, h, "bash_1"), "the machine was restarted")
		if info, err := again.KillBackground(t.Context(), h, "bash_1"); err != nil || info == nil {
			t.Error(info, err)
		}
	}
	l.eventually("the command has ended", func() bool { return !runs(launched.PID) || !linux() })
}

// When the supervisor cannot be started there is no task (EX-38).
func TestSupervisor_isNone(t *testing.T) {
	for name, tt := range map[string]struct {
		argv []string
		want string
	}{
		"missing":         {[]string{"/does/not/exist"}, "no such file"},
		"not on the path": {[]string{"no-such-program-anywhere"}, "executable file not found"},
		"another program": {[]string{"/bin/true"}, "does the main function of its program begin with"},
		"speaks":          {[]string{"/bin/sh", "-c", "cat >/dev/null; echo hello >&4"}, "does the main function of its program begin with"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			c, h := l.open(theHandle, func(o *Options) { o.Supervisor = tt.argv })
			_, err := c.ExecBackground(t.Context(), h, l.request("true"))
			var failed *execctx.LaunchError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("launch: %v, want a LaunchError with %q", err, tt.want)
			}
			c, h = l.open(otherHandle)
			l.wantNothing(c, h)
		})
	}
}

// A launch whose caller gives up leaves nothing, also when the command may have
// begun.
func TestLaunch_givenUp(t *testing.T) {
	for _, step := range []string{"planned", "started"} {
		t.Run(step, func(t *testing.T) {
			l := newLab(t)
			c, h := l.open(theHandle, func(o *Options) {
				o.supervisorEnv = append(o.supervisorEnv, envPause+"="+step, envPauseDir+"="+l.dir)
			})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				l.at(step)
				cancel(errors.New("enough"))
			}()
			_, err := c.ExecBackground(ctx, h, l.request(stubborn))
			var failed *execctx.LaunchError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), "enough") {
				t.Errorf("launch: %v", err)
			}
			c, h = l.open(otherHandle)
			l.wantNothing(c, h)
		})
	}
}
