//go:build unix

package supervised

import (
	"fmt"
	"path/filepath"
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
		Warnings: append(end.Warnings(), warnings...), Survivors: len(end.Survivors) > 0,
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
