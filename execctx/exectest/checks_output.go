package exectest

import (
	"fmt"
	"strings"

	"github.com/stophook/stophook/execctx"
)

func outputChecks() []check {
	launch := []need{needLaunch}
	return []check{
		{"EX-32, EX-52: both streams go interleaved into one file", launch, checkInterleaved},
		{"EX-39: without a cap all output is kept", launch, checkAllKept},
		{"EX-39: past the cap the head is kept and a marker ends the file", launch, checkCapped},
		{"EX-39: output that just fits has no marker", launch, checkFits},
		{"EX-40, EX-52: the cap ends nothing", []need{needLaunch, needList}, checkCapHarmless},
		{"EX-46: bytes written count dropped ones", []need{needLaunch, needList}, checkBytesWritten},
		{"EX-41: the exit comes when the log is complete", []need{needLaunch, needPush}, checkCompleteAtExit},
		{"EX-41: a task shows as terminated when the log is complete", []need{needLaunch, needList}, checkCompleteInList},
		{"EX-41: a wait answers when the log is complete", []need{needLaunch, needWait}, checkCompleteAtWait},
		{"EX-41: the status flips before the exit is told", []need{needLaunch, needList, needPush}, checkFlipBeforeExit},
		{"EX-41: a command that closed its output lives on", []need{needLaunch, needList}, checkClosedOutput},
		{"EX-41: output of a process that outlives its parent is waited for", launch, checkChildHolds},
	}
}

func tenKBText() string { return strings.Repeat(bigRow+"\n", tenKB/(len(bigRow)+1)) }

func capAt(n int64) func(*execctx.LaunchRequest) {
	return func(r *execctx.LaunchRequest) { r.MaxOutputBytes = n }
}

// wantText compares long output by its length and first difference.
func (e *env) wantText(what, got, want string) {
	e.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	e.Errorf("%s: %d bytes, want %d; they differ at %d: %.40q, want %.40q", what, len(got), len(want), at, got[at:], want[at:])
}

func checkInterleaved(e *env) {
	h := e.spawn()
	t := e.launch(h, printBoth)
	e.ended(t)
	e.same("output", e.read(h, t.OutputPath), "out\nerr\nagain\n")
}

func checkAllKept(e *env) {
	h := e.spawn()
	t := e.launch(h, printTenKB)
	e.ended(t)
	e.wantText("output", e.read(h, t.OutputPath), tenKBText())
}

// wantCapped allows the marker a line of its own.
func (e *env) wantCapped(got string, kept int) {
	e.Helper()
	head, marker := tenKBText()[:kept], execctx.TruncatedMarker(int64(tenKB-kept))
	if got != head+marker && got != head+"\n"+marker {
		e.wantText(fmt.Sprintf("output capped at %d", kept), got, head+marker)
	}
}

func checkCapped(e *env) {
	h := e.spawn()
	for _, kept := range []int{1, 1000, tenKB - 1} {
		t := e.launch(h, printTenKB, capAt(int64(kept)))
		e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
		e.wantCapped(e.read(h, t.OutputPath), kept)
	}
}

func checkFits(e *env) {
	h := e.spawn()
	t := e.launch(h, printTenKB, capAt(tenKB))
	e.ended(t)
	e.wantText("output", e.read(h, t.OutputPath), tenKBText())
}

func checkCapHarmless(e *env) {
	h := e.spawn()
	t := e.launch(h, tenKBThenGo, capAt(tenKB/10))
	e.until("all output was written", func() bool {
		entry, _ := e.entry(h, t.TaskID)
		return entry.BytesWritten == tenKB
	})
	if entry, _ := e.entry(h, t.TaskID); entry.Status != execctx.StatusRunning {
		e.Fatalf("the task is %s", entry.Status)
	}
	if strings.Contains(e.read(h, t.OutputPath), "<output-truncated") {
		e.Error("the marker is there before the end")
	}
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
	e.wantCapped(e.read(h, t.OutputPath), tenKB/10)
}

func checkBytesWritten(e *env) {
	h := e.spawn()
	for _, limit := range []int64{0, 100} {
		t := e.launch(h, printTenKB, capAt(limit))
		e.ended(t)
		if entry, _ := e.entry(h, t.TaskID); entry.BytesWritten != tenKB {
			e.Errorf("with the cap %d: %d bytes written, want %d", limit, entry.BytesWritten, tenKB)
		}
	}
}

func checkCompleteAtExit(e *env) {
	h := e.spawn()
	got := make(chan string, 1)
	e.launch(h, printTenKB, func(r *execctx.LaunchRequest) {
		r.OnExit = func(info execctx.ExitInfo) {
			data, err := e.Context.ReadFile(e.ctx, h, info.OutputPath)
			if err != nil {
				data = []byte(err.Error())
			}
			got <- string(data)
		}
	})
	e.wantText("output at the exit", receive(e, "the exit", got), tenKBText())
}

// receive takes from a channel within the patience.
func receive[T any](e *env, what string, from <-chan T) T {
	e.Helper()
	select {
	case v := <-from:
		return v
	case <-e.ctx.Done():
		e.Fatalf("%s: nothing after %v", what, e.Patience)
		panic("unreachable")
	}
}

func checkCompleteInList(e *env) {
	h := e.spawn()
	for range 3 {
		t := e.launch(h, printTenKB)
		e.until("the end in the list", func() bool {
			entry, ok := e.entry(h, t.TaskID)
			return ok && entry.Ended()
		})
		e.wantText("output when listed as ended", e.read(h, t.OutputPath), tenKBText())
	}
}

func checkCompleteAtWait(e *env) {
	h := e.spawn()
	t := e.launch(h, printTenKB)
	if info, err := execctx.Wait(e.ctx, e.Context, h, t.TaskID, 0); info == nil {
		e.Fatalf("wait: nothing, %v", err)
	}
	e.wantText("output after the wait", e.read(h, t.OutputPath), tenKBText())
}

func checkFlipBeforeExit(e *env) {
	h := e.spawn()
	got := make(chan execctx.TaskStatus, 1)
	e.launch(h, awaitGo, func(r *execctx.LaunchRequest) {
		r.OnExit = func(info execctx.ExitInfo) {
			entries, _ := execctx.List(e.ctx, e.Context, h)
			for _, entry := range entries {
				if entry.TaskID == info.TaskID {
					got <- entry.Status
					return
				}
			}
			got <- "not listed"
		}
	})
	e.touch(h, goFile)
	e.same("status in the list at the exit", receive(e, "the exit", got), execctx.StatusExited)
}

func checkClosedOutput(e *env) {
	h := e.spawn()
	t := e.launch(h, closeOutput)
	e.pause(checkPause)
	if entry, _ := e.entry(h, t.TaskID); entry.Status != execctx.StatusRunning {
		e.Errorf("the task is %s, and its process runs", entry.Status)
	}
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 4, "")
	e.same("output", e.read(h, t.OutputPath), "")
}

func checkChildHolds(e *env) {
	h := e.spawn()
	t := e.launch(h, childHolds)
	e.awaitLog(h, t.OutputPath, "early\n")
	e.pause(checkPause)
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
	e.same("output", e.read(h, t.OutputPath), "early\nlate\n")
}
