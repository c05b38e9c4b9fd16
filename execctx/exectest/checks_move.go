package exectest

import (
	"context"
	"errors"
	"slices"

	"github.com/stophook/stophook/execctx"
)

func moveChecks() []check {
	move := []need{needMove}
	task := []need{needMove, needLaunch, needList}
	return []check{
		{"EX-53: a started command that nobody moves is a foreground command", move, checkStartOnly},
		{"EX-53, D-03: a moved command goes on as a task, with all of its output", task, checkMove},
		{"EX-43: the exit of a moved command is told once", append(slices.Clone(task), needPush), checkMoveTold},
		{"EX-53: the foreground context does not end a moved command", task, checkMoveContext},
		{"EX-5: a moved command is killed as a task", append(slices.Clone(task), needKill), checkMoveKill},
		{"EX-53: a command that has ended cannot be moved", move, checkMoveEnded},
		{"EX-53: a command without output directory cannot be moved, and goes on", move, checkMoveNowhere},
		{"EX-45: a move counts as a launch, and a refused one goes on", []need{needMove, needLaunch, needLimit}, checkMoveLimit},
		{"EX-39: a moved command's log is capped from its beginning", task, checkMoveCapped},
		{"EX-60: a moved command is watched", append(slices.Clone(task), needPush), checkMoveStall},
		{"EX-49: the file of a command that was not moved is removed", move, checkMoveFile},
	}
}

// start starts a foreground command that can be moved.
func (e *env) start(ctx context.Context, h execctx.Handle, command string) execctx.ForegroundCall {
	e.Helper()
	call, err := execctx.StartExec(ctx, e.Context, h, execctx.ExecRequest{Command: command, OutputDir: e.outputDir()})
	e.must(err, "start "+command)
	return call
}

// awaitEnd waits for Done and gives the result.
func (e *env) awaitEnd(call execctx.ForegroundCall) execctx.ExecResult {
	e.Helper()
	receive(e, "the command's end", call.Done())
	result, err := call.Result()
	e.must(err, "result")
	return result
}

// move makes a task of a call.
func (e *env) move(h execctx.Handle, call execctx.ForegroundCall, req execctx.MoveRequest) task {
	e.Helper()
	t := task{handle: h, told: &told{}}
	req.OnExit, req.OnStall = t.told.exit, t.told.stall
	var err error
	t.Launched, err = call.Move(req)
	e.must(err, "move")
	return t
}

func checkStartOnly(e *env) {
	h := e.spawn()
	call := e.start(e.ctx, h, aroundGo)
	select {
	case <-call.Done():
		e.Error("done while it runs")
	default:
	}
	if call.PID() <= 0 {
		e.Errorf("process %d", call.PID())
	}
	e.touch(h, goFile)
	e.wantResult(e.awaitEnd(call), "before\nafter\n", 0, "")
}

func checkMove(e *env) {
	h := e.spawn()
	call := e.start(e.ctx, h, aroundGo)
	pid := call.PID()
	t := e.move(h, call, execctx.MoveRequest{})
	result := e.awaitEnd(call)
	if result.Moved == nil || result.ExitCode != nil {
		e.Fatalf("the result of a moved command is %+v", result)
	}
	e.same("moved to", *result.Moved, t.Launched)
	if t.PID != pid || call.PID() != pid {
		e.Errorf("the process was %d, is %d and %d", pid, t.PID, call.PID())
	}
	e.same("id", t.TaskID, "bash_1")
	if out := string(result.Output); out != "" && out != "before\n" {
		e.Errorf("output until the move: %q", out)
	}
	if entry, _ := e.entry(h, t.TaskID); entry.Status != execctx.StatusRunning || entry.Command != aroundGo || entry.PID != pid {
		e.Errorf("listed as %+v", entry)
	}
	e.awaitLog(h, t.OutputPath, "before\n")
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
	e.same("log", e.read(h, t.OutputPath), "before\nafter\n")
	if again, err := call.Move(execctx.MoveRequest{}); err == nil {
		e.Errorf("moved a second time: %+v", again)
	}
}

func checkMoveTold(e *env) {
	h := e.spawn()
	t := e.move(h, e.start(e.ctx, h, aroundGo), execctx.MoveRequest{})
	e.touch(h, goFile)
	e.until("the exit is told", func() bool { return len(t.told.exitList()) > 0 })
	e.destroy(h)
	exits := t.told.exitList()
	if len(exits) != 1 {
		e.Fatalf("told %d times", len(exits))
	}
	e.wantEnd(exits[0], execctx.StatusExited, 0, "")
	e.same("id", exits[0].TaskID, t.TaskID)
	e.same("output path", exits[0].OutputPath, t.OutputPath)
}

func checkMoveContext(e *env) {
	h := e.spawn()
	ctx, cancel := context.WithCancel(e.ctx)
	t := e.move(h, e.start(ctx, h, aroundGo), execctx.MoveRequest{})
	cancel()
	e.pause(checkPause)
	if entry, _ := e.entry(h, t.TaskID); entry.Status != execctx.StatusRunning {
		e.Errorf("the task is %s", entry.Status)
	}
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
}

func checkMoveKill(e *env) {
	h := e.spawn()
	call := e.start(e.ctx, h, slowTerm)
	t := e.move(h, call, execctx.MoveRequest{})
	e.awaitLog(h, t.OutputPath, "ready\n")
	e.wantEnd(e.kill(t), execctx.StatusKilled, 5, "")
	e.same("log", e.read(h, t.OutputPath), "ready\nbye\n")
}

func checkMoveEnded(e *env) {
	h := e.spawn()
	call := e.start(e.ctx, h, printHello)
	e.wantResult(e.awaitEnd(call), "hello\n", 0, "")
	if launched, err := call.Move(execctx.MoveRequest{}); !errors.Is(err, execctx.ErrEnded) {
		e.Errorf("moved to %+v, %v, want %v", launched, err, execctx.ErrEnded)
	}
	e.wantResult(e.awaitEnd(call), "hello\n", 0, "")
}

func checkMoveNowhere(e *env) {
	h := e.spawn()
	call, err := execctx.StartExec(e.ctx, e.Context, h, execctx.ExecRequest{Command: aroundGo})
	e.must(err, "start")
	if launched, err := call.Move(execctx.MoveRequest{}); !errors.Is(err, execctx.ErrNotMovable) {
		e.Errorf("moved to %+v, %v, want %v", launched, err, execctx.ErrNotMovable)
	}
	e.touch(h, goFile)
	e.wantResult(e.awaitEnd(call), "before\nafter\n", 0, "")
}

func checkMoveLimit(e *env) {
	h := e.spawn()
	call := e.start(e.ctx, h, aroundGo)
	for range e.MaxTasks {
		e.launch(h, sleepLong)
	}
	var many *execctx.TooManyTasksError
	if _, err := call.Move(execctx.MoveRequest{}); !errors.As(err, &many) {
		e.Errorf("move over the limit: %v, want a TooManyTasksError", err)
	}
	e.touch(h, goFile)
	e.wantResult(e.awaitEnd(call), "before\nafter\n", 0, "")
}

func checkMoveCapped(e *env) {
	h := e.spawn()
	t := e.move(h, e.start(e.ctx, h, tenKBThenGo), execctx.MoveRequest{MaxOutputBytes: 1000})
	e.until("all output was written", func() bool {
		entry, _ := e.entry(h, t.TaskID)
		return entry.BytesWritten == tenKB
	})
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
	// What was there before the move may have been more than the cap, and may
	// stay: the file is the command's from its beginning.
	log := e.read(h, t.OutputPath)
	if len(log) < 1000 || log[:1000] != tenKBText()[:1000] {
		e.wantText("log", log, tenKBText()[:1000])
	}
}

func checkMoveStall(e *env) {
	h := e.spawn()
	t := e.move(h, e.start(e.ctx, h, awaitGoEnd), execctx.MoveRequest{StallTimeout: stallWindow})
	e.awaitStalls(t.told, 1)
	e.same("stalled task", t.told.stallList()[0].TaskID, t.TaskID)
	e.touch(h, goFile)
	e.touch(h, endFile)
	e.ended(t)
}

func checkMoveFile(e *env) {
	h := e.spawn()
	e.awaitEnd(e.start(e.ctx, h, printHello))
	if infos, err := e.Context.ListFiles(e.ctx, h, e.outputDir()); err == nil && len(infos) > 0 {
		e.Errorf("files are left: %v", infos)
	}
}
