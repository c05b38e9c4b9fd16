//go:build unix

package supervised

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/internal/proc"
)

// recordPatience is how long a supervisor tries to write down an end on a disk
// that does not take it. After that the task is lost.
const recordPatience = 2 * time.Minute

func (s *supervisor) write(exit exitRecord) {
	pause := 10 * time.Millisecond
	for limit := time.Now().Add(recordPatience); time.Now().Before(limit); pause = min(2*pause, time.Second) {
		if writeReserved(s.dir, fileExit, exit) == nil {
			return
		}
		if !exists(filepath.Join(s.dir, fileLaunch)) {
			return // the store was deleted: nobody will ask
		}
		time.Sleep(pause)
	}
}

// exitOf translates the end of a process (EX-10, D-41).
func exitOf(record launchRecord, end proc.End, total int64, warnings []string) exitRecord {
	exit := exitRecord{
		launchRecord: record, Status: execctx.StatusExited, EndedAt: end.At.UTC(),
		DurationMS: max(end.Elapsed, 0).Milliseconds(), BytesWritten: total,
		Warnings: append(endWarnings(end), warnings...), Survivors: len(end.Survivors) > 0,
	}
	switch {
	case end.Lost:
		exit.Status = execctx.StatusLost
	case end.Signal != 0 || end.Asked:
		exit.Status = execctx.StatusKilled
	}
	if !end.Lost {
		exit.ExitCode = &end.Code
	}
	if end.Signal != 0 {
		exit.Signal = signalName(end.Signal)
	}
	return exit
}

// signalName is as in SIGTERM. Real-time signals have numbers only.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(sig))
}

// endWarnings says what a command left behind, and what of its output may be
// missing for that (EX-51).
func endWarnings(end proc.End) []string {
	var warnings []string
	if end.Lost {
		warnings = append(warnings, "the exit code is lost: somebody else waited for the process")
	}
	if end.Escaped {
		who := "a process"
		if len(end.Holders) > 0 {
			who = pids(end.Holders)
		}
		warnings = append(warnings, who+" left the process group, as a daemon does, and still held the output: "+
			"it was not ended, and what it writes later is not kept")
	}
	if len(end.Survivors) > 0 {
		warnings = append(warnings, pids(end.Survivors)+" of the process group still ran when the command was over: "+
			"ended at the latest when the handle is destroyed")
	}
	return warnings
}

// pids lists processes in words.
func pids(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("process %d", list[0])
	}
	return "processes " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}
