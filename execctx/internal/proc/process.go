package proc

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrUnsupported is the answer of [Start] on a system without process groups.
var ErrUnsupported = errors.New("running commands is not supported on this system")

// The defaults of [Config].
const (
	DefaultGrace = 5 * time.Second
	DefaultDrain = 250 * time.Millisecond
)

// Config describes a command.
type Config struct {
	Command string   // for /bin/sh -c
	Dir     string   // where it runs; required
	Env     []string // its whole environment, as K=V

	// Output gets what the group writes, both streams interleaved, from one
	// goroutine. What Write answers is not looked at: a sink that fails has to
	// remember that itself, and the command goes on. Nil: discarded.
	Output io.Writer

	Grace time.Duration // from SIGTERM to SIGKILL; 0: DefaultGrace
	Drain time.Duration // how long output is waited for that only a stranger to the group holds; 0: DefaultDrain

	// OnEnd is called once, from a goroutine of the Process, with all output
	// delivered and before Done is closed. It must not call Release.
	OnEnd func(End)

	Now func() time.Time // for [End.At]; nil: time.Now

	// Tied makes the system send SIGTERM to the leader when the thread that called
	// Start ends, and so at the latest when this program does, however it ends
	// (Linux). Callers lock themselves to a thread that lasts.
	Tied bool

	kill func(pid int, sig syscall.Signal) error // nil: the system's
}

// End is how a command ended.
type End struct {
	Code      int            // of the leader; 128 + the signal's number when a signal ended it (EX-10); -1 when Lost
	Lost      bool           // another part of this program took the leader's end from under us
	Signal    syscall.Signal // that ended the leader; 0: none
	Asked     bool           // Terminate was called before the leader ended (D-41)
	At        time.Time
	Elapsed   time.Duration // by the monotonic clock
	Escaped   bool          // a process outside the group still held the output
	Holders   []int         // which, where the system tells
	Survivors []int         // processes of the group that were alive at Done, also those that SIGKILL does not end
}

// Process is a command that was started. Its methods may be called from several
// goroutines.
type Process struct {
	cfg     Config
	pid     int
	started time.Time
	out     *os.File // the reading end of the pipe
	leader  leader

	eof  chan struct{} // everybody closed the output, or it was given up
	wake chan struct{} // a kill was asked for, or changed
	done chan struct{}

	givenUp atomic.Bool // only strangers hold the output

	mu      sync.Mutex
	ended   bool      // the leader has
	killing bool      // Terminate or TerminateNow was called
	over    bool      // the end was told; what is left is for Release
	reaped  bool      // the leader has been
	anchor  int       // a dead child of ours that keeps the group's number; 0: none
	free    bool      // the number was given back and must not be signalled any more
	forced  time.Time // when SIGKILL was sent first
	grace   *time.Timer
	end     End

	releasing sync.Mutex
}

// Start runs a command. It returns when the process was started; an error leaves
// nothing behind. The caller owns the Process until Release.
func Start(cfg Config) (*Process, error) {
	if cfg.Grace <= 0 {
		cfg.Grace = DefaultGrace
	}
	if cfg.Drain <= 0 {
		cfg.Drain = DefaultDrain
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Output == nil {
		cfg.Output = io.Discard
	}
	p := &Process{cfg: cfg, eof: make(chan struct{}), wake: make(chan struct{}, 1), done: make(chan struct{})}
	if err := p.launch(); err != nil {
		return nil, err
	}
	go p.pump()
	go p.watch()
	return p, nil
}

// PID is the number of the leader, and of the group.
func (p *Process) PID() int { return p.pid }

// Done is closed when the command is over and all its output delivered.
func (p *Process) Done() <-chan struct{} { return p.done }

// End says how it ended. It waits for Done.
func (p *Process) End() End {
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end
}
