//go:build unix

package supervised

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// The descriptors that a supervisor is started with, beside its plan on stdin.
const (
	fdLock   = 3
	fdReport = 4
)

// RunIfSupervisor makes this process a supervisor, and never returns, when its
// first argument is [SupervisorArg]; otherwise it does nothing. Call it first in
// main: what runs before it runs in every supervisor, and costs each its time
// and memory.
func RunIfSupervisor() {
	if len(os.Args) > 1 && os.Args[1] == SupervisorArg {
		Main()
	}
}

// Main makes this process a supervisor, and never returns: for programs that have
// a command of their own for it, see [Options.Supervisor].
func Main() { os.Exit(supervise(func(string) {})) }

// supervisor looks after one command.
type supervisor struct {
	*plan
	step func(string) // told where it is; tests stop there

	lock, report   *os.File
	alive, control *os.File
	log            *log
	process        *proc.Process

	// ask is closed when somebody wants the command to end.
	ask     chan struct{}
	askOnce sync.Once
}

// supervise is the life of a supervisor. Its exit code means nothing to anybody.
func supervise(step func(string)) int {
	// The system tells the command of our end by the end of the thread that
	// started it.
	runtime.LockOSThread()
	s := &supervisor{step: step, ask: make(chan struct{})}
	s.lock, s.report = inherited(fdLock, "lock"), inherited(fdReport, "report")
	if s.lock == nil || s.report == nil {
		os.Stderr.WriteString("this command is started by the program itself, for background tasks; it is of no use by hand\n")
		return 2
	}
	var err error
	if s.plan, err = readPlan(os.Stdin); err != nil {
		return 1 // whoever wrote it is gone; nothing was begun
	}
	s.settleIn()
	s.step("planned")
	if op, err := s.start(); err != nil {
		s.undo()
		s.tell(failure(op, err))
		return 1
	}
	s.tell(report{PID: s.process.PID(), StartedAt: s.record.StartedAt})
	s.step("told")
	s.watch()
	return 0
}

// settleIn makes this process independent of whoever started it. A signal to end
// is for the command.
func (s *supervisor) settleIn() {
	closeStrangers()
	signals := make(chan os.Signal, 16) // a flood of others must not push out the one that counts
	signal.Notify(signals, syscall.SIGTERM)
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2} {
		// Taken and dropped: ignoring them would be inherited by the command. What
		// is ignored already, as under nohup, stays so for it too.
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	go func() {
		for sig := range signals {
			if sig == syscall.SIGTERM {
				s.end()
			}
		}
	}()
	_ = os.Chdir("/")
	if null, err := os.Open(os.DevNull); err == nil {
		_ = dup2(int(null.Fd()), 0)
		null.Close()
	}
}

func (s *supervisor) end() { s.askOnce.Do(func() { close(s.ask) }) }

// start begins the task: whatever may have begun is in the store before it does.
func (s *supervisor) start() (op string, err error) {
	if ours, err := tryLock(s.lock, syscall.LOCK_EX); err != nil || !ours {
		return "lock the task's folder", errors.Join(err, errors.New("it is not ours"))
	}
	if s.alive, err = openPipe(s.dir, fileAlive); err != nil {
		return "make a pipe", err
	}
	if s.control, err = openPipe(s.dir, fileControl); err != nil {
		return "make a pipe", err
	}
	if s.log, err = createLog(s.record.OutputPath, s.record.MaxOutputBytes, s.lock); err != nil {
		return "create the output file", err
	}
	s.record.StartedAt = time.Now().UTC()
	s.record.Supervisor = identify(os.Getpid())
	s.record.Place = thisPlace()
	// What this one is lost for by a power failure is a launch that has not
	// returned; the next one is on disk before it does.
	if err := writeRecord(filepath.Join(s.dir, fileLaunch), s.record, false); err != nil {
		return "write the task's record", err
	}
	s.step("recorded")
	s.process, err = proc.Start(proc.Config{
		Command: s.command, Dir: s.record.CWD, Env: s.env, Output: s.log, Grace: s.grace, Tied: true,
	})
	if err != nil {
		return "start the command", err
	}
	s.step("started")
	s.record.Process = identify(s.process.PID())
	if err := s.note(); err != nil {
		s.process.TerminateNow()
		s.process.Release()
		return "write the task's record", err
	}
	s.step("noted")
	return "", nil
}

// note puts on disk that the command runs, and room for how it ends.
func (s *supervisor) note() error {
	room, err := encode(s.record)
	if err != nil {
		return err
	}
	const end = 4 << 10 // of what comes to it
	return errors.Join(
		reserve(s.dir, len(room)+end),
		writeRecord(filepath.Join(s.dir, fileLaunch), s.record, true),
		syncDir(filepath.Dir(s.dir)),
	)
}

// undo removes every trace of a task that was not started.
func (s *supervisor) undo() {
	if s.log != nil {
		s.log.discard()
	}
	_, _ = putAway(s.dir)
}

// tell answers whoever launched the task, if it is still there.
func (s *supervisor) tell(r report) {
	data, err := json.Marshal(r)
	if err == nil {
		_, _ = s.report.Write(data)
	}
	s.report.Close()
}

// failure keeps the system's error number, so that the other side can ask what
// kind of error it was.
func failure(op string, err error) report {
	r := report{Op: op, Error: err.Error()}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		r.Errno = int(errno)
	}
	return r
}

// watch waits for the end of the command, by itself or by a request, and writes
// it down.
func (s *supervisor) watch() {
	go s.listen()
	ticker := time.NewTicker(heartbeatEvery)
	defer ticker.Stop()
	s.await(ticker.C)
	end := s.process.End()
	s.step("ended")
	warnings := s.log.close()
	s.write(exitOf(s.record, end, s.log.total, warnings))
	s.step("written")
	// Everything is said: whoever waits may look before this process is gone.
	_ = os.Remove(filepath.Join(s.dir, fileControl))
	_ = os.Remove(filepath.Join(s.dir, fileAlive))
	s.lock.Close()
	s.alive.Close()
}

// listen takes requests: any byte asks for the end.
func (s *supervisor) listen() {
	var one [1]byte
	for {
		n, err := s.control.Read(one[:])
		if n > 0 {
			s.end()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return
		}
	}
}
