package exectest

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// Factory makes a fresh context, for one subtest. What it starts it ends with
// tb.Cleanup; it fails the test when it cannot.
type Factory func(tb testing.TB) Subject

// Subject is a context under test, and what is known of it.
type Subject struct {
	Context execctx.ExecutionContext
	// Dir is where the suite puts its folders: absolute, in the context's terms,
	// and of this subtest alone.
	Dir string

	// MaxTasks is the limit of running tasks (EX-45). With 0 no limit is tested;
	// the context must then allow 20.
	MaxTasks int
	// Grace is the time from SIGTERM to SIGKILL (EX-54); it must leave a command
	// that obeys the time to do so, at least a second on a busy machine. With 0
	// it is not tested.
	Grace time.Duration
	// Processes: commands are processes of this machine, to be seen with ps.
	Processes bool
	// Disk: the context's files are files of this machine.
	Disk bool
	// Reopen gives a new context on the store of a durable one, as a new process
	// would. nil: not tested.
	Reopen func() execctx.ExecutionContext

	// Patience bounds each subtest; 0: a minute.
	Patience time.Duration
	// Rounds is how often racing calls are tried; 0: 20.
	Rounds int
}

// need is what a check asks of the subject.
type need int

const (
	needLaunch need = iota
	needKill
	needList
	needWait
	needReassign
	needMove
	needPush
	needPull
	needDurable
	needReopen
	needLimit
	needGrace
	needProcesses
	needDisk
	needLinux
)

// check is one behaviour.
type check struct {
	name  string // "EX-5: …"
	needs []need
	run   func(e *env)
}

// checks gives the whole suite.
func checks() []check {
	var all []check
	for _, part := range [][]check{
		contractChecks(), launchChecks(), nameChecks(), outputChecks(), endChecks(), killChecks(), listChecks(), waitChecks(),
		reassignChecks(), destroyChecks(), stallChecks(), execChecks(), moveChecks(), fileChecks(), durableChecks(), raceChecks(),
	} {
		all = append(all, part...)
	}
	return all
}

// Run holds a context against every behaviour, each in a subtest of its own with
// a context of its own.
func Run(t *testing.T, factory Factory) {
	t.Helper()
	for _, c := range checks() {
		t.Run(strings.ReplaceAll(c.name, "/", "-"), func(t *testing.T) { c.on(t, factory) })
	}
}

// on runs one check.
func (c check) on(tb testing.TB, factory Factory) {
	tb.Helper()
	s := factory(tb)
	if s.Context == nil || s.Dir == "" {
		tb.Fatal("exectest: the factory gave no Context or no Dir")
	}
	if s.Patience == 0 {
		s.Patience = time.Minute
	}
	if s.Rounds == 0 {
		s.Rounds = 20
	}
	for _, n := range c.needs {
		if reason := s.lacks(n); reason != "" {
			tb.Skipf("%s: %s", c.name, reason)
		}
	}
	c.run(newEnv(tb, s))
}

func has[T any](s Subject) bool {
	_, ok := execctx.As[T](s.Context)
	return ok
}

// lacks says why a need is not met; nothing when it is.
func (s Subject) lacks(n need) string {
	push := s.Context.Capabilities().Push
	for _, known := range []struct {
		need   need
		met    bool
		reason string
	}{
		{needLaunch, has[execctx.BackgroundExecutor](s) && execctx.ResolveDetachedTasks(s.Context) != execctx.DetachedNone,
			"the context does not launch tasks"},
		{needKill, has[execctx.BackgroundKiller](s), "the context does not kill tasks"},
		{needList, has[execctx.BackgroundLister](s), "the context does not list tasks"},
		{needWait, has[execctx.BackgroundWaiter](s), "the context does not wait for tasks"},
		{needReassign, has[execctx.BackgroundReassigner](s), "the context does not reassign tasks"},
		{needMove, has[execctx.ForegroundStarter](s), "the context does not move foreground commands"},
		{needPush, push, "the context does not push exits"},
		{needPull, !push, "the context pushes exits"},
		{needDurable, execctx.ResolveDetachedTasks(s.Context) == execctx.DetachedDurable, "the context is not durable"},
		{needReopen, s.Reopen != nil, "the subject has no Reopen"},
		{needLimit, s.MaxTasks > 0, "the subject names no MaxTasks"},
		{needGrace, s.Grace > 0, "the subject names no Grace"},
		{needProcesses, s.Processes, "the context does not run processes that can be seen here"},
		{needDisk, s.Disk, "the context does not keep its files on this machine"},
		{needLinux, runtime.GOOS == "linux", "descriptors are counted in /proc only"},
	} {
		if known.need == n && !known.met {
			return known.reason
		}
	}
	return ""
}
