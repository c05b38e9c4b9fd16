package exectest

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/execctx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The mock keeps the contract, on the machine's clock as anybody would run it.
func TestRun_mock_EX70(t *testing.T) {
	Run(t, func(testing.TB) Subject { return mockSubject(execctx.MockOptions{KillGrace: 300 * time.Millisecond}) })
}

// In each of its modes the mock passes, and what the mode excludes is skipped
// with a reason, nothing else.
func TestRun_mockModes_EX71(t *testing.T) {
	hide := func(abilities ...any) execctx.MockOptions { return execctx.MockOptions{Hide: abilities} }
	for _, tc := range []struct {
		name    string
		opts    execctx.MockOptions
		skipped string // pattern of the reasons
	}{
		{"push", execctx.MockOptions{KillGrace: 5 * time.Second}, `not durable|processes|this machine|pushes|Reopen`},
		{"pull", execctx.MockOptions{Pull: true, KillGrace: time.Second}, `not durable|processes|this machine|does not push|Reopen`},
		{"durable", execctx.MockOptions{DetachedTasks: execctx.DetachedDurable, KillGrace: time.Second}, `does not push|processes|this machine`},
		{"capability none", execctx.MockOptions{DetachedTasks: execctx.DetachedNone}, `does not launch|not durable|Grace|processes|this machine|pushes|Reopen`},
		{"no launch", hide((*execctx.BackgroundExecutor)(nil)), `does not launch|not durable|Grace|processes|this machine|pushes|Reopen`},
		{"no kill", hide((*execctx.BackgroundKiller)(nil)), `does not kill|not durable|Grace|processes|this machine|pushes|Reopen`},
		{"no list", hide((*execctx.BackgroundLister)(nil)), `does not list|not durable|Grace|processes|this machine|pushes|Reopen`},
		{"no wait", hide((*execctx.BackgroundWaiter)(nil)), `does not wait|not durable|Grace|processes|this machine|pushes|Reopen`},
		{"no reassign", hide((*execctx.BackgroundReassigner)(nil)), `does not reassign|not durable|Grace|processes|this machine|pushes|Reopen`},
		{"no move", hide((*execctx.ForegroundStarter)(nil)), `does not move|not durable|Grace|processes|this machine|pushes|Reopen`},
	} {
		t.Run("EX-71: "+tc.name, func(t *testing.T) {
			reasons := regexp.MustCompile(`: [^:]*(` + tc.skipped + `)[^:]*\n$`)
			passed := 0
			for _, c := range checks() {
				r := recorded(t, c, func(testing.TB) Subject { return mockSubject(tc.opts) })
				switch text := r.log.String(); {
				case r.failed:
					t.Errorf("%s failed:\n%s", c.name, text)
				case !r.skipped:
					passed++
				case !strings.HasPrefix(text, c.name+": ") || !reasons.MatchString(text):
					t.Errorf("skipped without its name or for another reason: %s", text)
				}
			}
			if passed < 20 {
				t.Errorf("%d checks were run", passed)
			}
		})
	}
}

// Each number of the contract has a check that carries it.
func TestChecks_carryNumbers(t *testing.T) {
	var names []string
	for _, c := range checks() {
		names = append(names, c.name)
		if _, rest, ok := strings.Cut(c.name, ": "); !ok || rest == "" {
			t.Errorf("%q does not begin with its number", c.name)
		}
	}
	all := strings.Join(names, "\n")
	slices.Sort(names)
	if n := len(slices.Compact(names)); n != len(checks()) {
		t.Errorf("%d names for %d checks", n, len(checks()))
	}
	for _, number := range strings.Fields(`EX-1 EX-2 EX-3 EX-4 EX-5 EX-6 EX-7 EX-8 EX-9 EX-10 EX-11 EX-12 EX-13 EX-14
		EX-20 EX-21 EX-22 EX-30 EX-31 EX-32 EX-33 EX-34 EX-35 EX-36 EX-37 EX-38 EX-39 EX-40 EX-41 EX-42 EX-43 EX-44
		EX-45 EX-46 EX-47 EX-48 EX-49 EX-50 EX-52 EX-53 EX-54 EX-60 EX-61 EX-62 EX-80 EX-81
		D-12 D-14 D-15 D-16 D-19 D-24 D-41`) {
		if !regexp.MustCompile(number + `\b`).MatchString(all) {
			t.Errorf("no check carries %s", number)
		}
	}
}

// A fake finds every command that a check runs; only ps checks use their own.
func TestLookup(t *testing.T) {
	for _, c := range Commands() {
		if got, ok := Lookup(c.Shell); !ok || got.Shell != c.Shell {
			t.Errorf("%q is not found", c.Shell)
		}
	}
	if len(byShell()) != len(Commands()) {
		t.Error("two commands have the same text")
	}
	if _, ok := Lookup("echo nobody has this"); ok {
		t.Error("a command was found that the suite does not have")
	}
	script := Play(execctx.MockRun{Command: "nobody has this"})
	if script.Exit == nil || script.Exit.Code != 127 {
		t.Errorf("an unknown command is played as %+v", script)
	}
}
