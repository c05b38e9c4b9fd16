package exectest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stophook/stophook/execctx"
)

func execChecks() []check {
	return []check{
		{"EX-53: a foreground command gives output and code", nil, checkExec},
		{"EX-53: working directory and environment count", nil, checkExecWhere},
		{"EX-53: input and signals are as in the background", nil, checkExecSignals},
		{"EX-53: output beyond the limit is cut out of the middle", nil, checkExecLimit},
		{"EX-53: a timeout ends the command and is no error", nil, checkExecTimeout},
		{"EX-53: a timeout ends what ignores SIGTERM", []need{needGrace}, checkExecStubborn},
		{"EX-53: a caller that gives up ends the command and gets its cause", nil, checkExecCanceled},
		{"EX-53, EX-5: a timeout ends the whole group", []need{needProcesses}, checkExecGroup},
		{"EX-53: several commands run at once", nil, checkExecTogether},
		{"EX-14: a foreground command is none of the tasks", []need{needLaunch, needList}, checkExecNoTask},
	}
}

// exec runs a foreground command.
func (e *env) exec(h execctx.Handle, req execctx.ExecRequest) execctx.ExecResult {
	e.Helper()
	result, err := e.Context.Exec(e.ctx, h, req)
	e.must(err, "run "+req.Command)
	return result
}

// wantResult checks how a foreground command ended.
func (e *env) wantResult(r execctx.ExecResult, output string, code int, signal string) {
	e.Helper()
	if r.ExitCode == nil || *r.ExitCode != code || r.Signal != signal {
		e.Errorf("ended with %+v, want the code %d and the signal %q", r, code, signal)
	}
	e.same("output", string(r.Output), output)
}

func checkExec(e *env) {
	h := e.spawn()
	for _, tc := range []struct {
		command, output string
		code            int
	}{
		{printHello, "hello\n", 0},
		{failWith3, "", 3},
		{printBoth, "out\nerr\nagain\n", 0},
		{printSum, "2\n42\n", 0},
		{printTenKB, tenKBText(), 0},
	} {
		r := e.exec(h, execctx.ExecRequest{Command: tc.command})
		e.wantResult(r, tc.output, tc.code, "")
		if r.TimedOut || r.DroppedBytes != 0 || r.Moved != nil || r.DurationMS < 0 {
			e.Errorf("%s gave %+v", tc.command, r)
		}
	}
}

func checkExecWhere(e *env) {
	h, err := e.Context.Spawn(e.ctx, execctx.SpawnConfig{CWD: filepath.Join(e.Dir, "a"), Env: map[string]string{envName: "handle"}})
	e.must(err, "spawn")
	e.destroyAtEnd(e.Context, h)
	e.touch(h, filepath.Join("below", goFile))
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: printEnv}), "handle\n", 0, "")
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: printEnv, Env: map[string]string{envName: "request"}}), "request\n", 0, "")
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: awaitGo, CWD: "below"}), "went\n", 0, "")
}

func checkExecSignals(e *env) {
	h := e.spawn()
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: printNothing}), "no input\n", 0, "")
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: killItself}), "", 137, "SIGKILL")
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: failWith143}), "", 143, "")
}

func checkExecLimit(e *env) {
	h := e.spawn()
	const limit = 1000
	r := e.exec(h, execctx.ExecRequest{Command: printTenKB, MaxOutputBytes: limit})
	out, all := string(r.Output), tenKBText()
	e.same("dropped bytes", r.DroppedBytes, int64(tenKB-limit))
	if !strings.HasPrefix(out, all[:limit/2]) || !strings.HasSuffix(out, all[tenKB-limit/2:]) {
		e.Errorf("the output does not hold the first and last %d bytes: %q", limit/2, out)
	}
	if said := len(out) - limit; said <= 0 || said > 200 {
		e.Errorf("%d bytes between head and tail, want a line that says what is missing", said)
	}
	r = e.exec(h, execctx.ExecRequest{Command: printTenKB, MaxOutputBytes: tenKB})
	e.same("dropped bytes of what fits", r.DroppedBytes, int64(0))
	e.wantText("output that fits", string(r.Output), all)
}

func checkExecTimeout(e *env) {
	h := e.spawn()
	r := e.exec(h, execctx.ExecRequest{Command: sleepLong, Timeout: 50 * time.Millisecond})
	e.wantResult(r, "", 143, "SIGTERM")
	if !r.TimedOut {
		e.Error("the result does not say that it timed out")
	}
	r = e.exec(h, execctx.ExecRequest{Command: printHello, Timeout: e.Patience})
	e.wantResult(r, "hello\n", 0, "")
	if r.TimedOut {
		e.Error("a command that was in time timed out")
	}
}

func checkExecStubborn(e *env) {
	h := e.spawn()
	r := e.exec(h, execctx.ExecRequest{Command: ignoreTerm, Timeout: 500 * time.Millisecond})
	if r.ExitCode == nil || !r.TimedOut {
		e.Fatalf("ended with %+v", r)
	}
	// On a very busy machine the shell may not have come to its trap.
	if *r.ExitCode != 137 && *r.ExitCode != 143 {
		e.Errorf("exit code %d, want 137", *r.ExitCode)
	}
}

var errGaveUp = errors.New("the suite gave up")

func checkExecCanceled(e *env) {
	h := e.spawn()
	ctx, cancel := context.WithCancelCause(e.ctx)
	type answer struct {
		result execctx.ExecResult
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		result, err := e.Context.Exec(ctx, h, execctx.ExecRequest{Command: helloSleep})
		answers <- answer{result, err}
	}()
	e.pause(5 * checkPause)
	cancel(errGaveUp)
	got := receive(e, "the command", answers)
	if !errors.Is(got.err, errGaveUp) {
		e.Errorf("the error is %v, want the cause", got.err)
	}
	// What was printed by then comes along; on a busy machine that is nothing.
	if out := string(got.result.Output); out != "begun\n" && out != "" {
		e.Errorf("output %q", out)
	}
	if _, err := e.Context.Exec(ctx, h, execctx.ExecRequest{Command: printHello}); err == nil {
		e.Error("a command ran whose caller had given up")
	}
}

func checkExecGroup(e *env) {
	h := e.spawn()
	sleeper := fmt.Sprintf("sleep 600.%d", os.Getpid()) // nobody else's
	command := fmt.Sprintf("sh -c '%s & %s' & %s", sleeper, sleeper, sleeper)
	e.exec(h, execctx.ExecRequest{Command: command, Timeout: 200 * time.Millisecond})
	for _, p := range e.processes() {
		if !p.zombie && p.command == sleeper {
			e.Errorf("alive after the timeout: %+v", p)
		}
	}
}

func checkExecTogether(e *env) {
	h := e.spawn()
	const n = 4
	answers := make(chan string, n+1)
	for range n {
		go func() {
			result, err := e.Context.Exec(e.ctx, h, execctx.ExecRequest{Command: aroundGo})
			if err != nil {
				answers <- err.Error()
				return
			}
			answers <- string(result.Output)
		}()
	}
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: printHello}), "hello\n", 0, "") // held up by none of them
	e.touch(h, goFile)
	for range n {
		e.same("output", receive(e, "a command", answers), "before\nafter\n")
	}
}

func checkExecNoTask(e *env) {
	h := e.spawn()
	t := e.launch(h, sleepLong)
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: printHello}), "hello\n", 0, "")
	e.same("listed", e.ids(h), []string{t.TaskID})
	next := e.launch(h, succeed)
	e.same("next id", next.TaskID, "bash_2")
}
