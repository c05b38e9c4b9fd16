package supervised

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stophook/stophook/execctx"
)

// SupervisorArg is the first argument of a program that is to be a supervisor,
// see [RunIfSupervisor].
const SupervisorArg = "supervise-background-task"

// ErrUnsupported is the answer of [New] where durable tasks cannot be had.
var ErrUnsupported = errors.New("supervised: durable tasks are not supported on this system: it has no process groups and no named pipes in folders")

// supervisorMark is in the environment of supervisors only, so that a program
// that was started as one and did not notice starts no further.
const supervisorMark = "STOPHOOK_SUPERVISOR"

// Options sets up a [Context].
type Options struct {
	// Dir is the store, one for each session. It is created with mode 0700; one
	// that exists must be this user's and writable for nobody else. Logs may lie
	// in it as well. Required.
	Dir string

	// Supervisor starts a supervisor: a program and its arguments, whose main
	// calls [RunIfSupervisor] or [Main]. Nil: this program with [SupervisorArg],
	// also when its file was replaced since it was started (Linux).
	Supervisor []string

	// CWD is the working directory of handles that give none; empty: that of
	// this program when the handle is made.
	CWD string
	// Env is the environment that commands start from, as K=V; nil: that of this
	// program when the context is made.
	Env []string
	// MaxBackgroundTasks limits the tasks that run at once in the store, of all
	// handles and programs together; 0: [execctx.DefaultMaxBackgroundTasks],
	// negative: no limit (EX-45, D-14).
	MaxBackgroundTasks int
	// KillGrace is the time from SIGTERM to SIGKILL; 0: 5 s (D-15). A task keeps
	// that of the context that launched it.
	KillGrace time.Duration
	// Clock names logs and ends waits; nil: [execctx.SystemClock]. Supervisors
	// live by the machine's clock.
	Clock execctx.Clock
	// NewID makes the id of a handle that is given none; nil: random ones.
	NewID func() string
	// Warn is told what no call can return, such as a file in the store that
	// cannot be read; each once. It is called from any goroutine, with nothing
	// locked. Nil: slog.Default gets it.
	Warn func(error)

	// step is told where a launch is; tests stop there.
	step func(name string)
	// supervisorEnv is added to the environment of supervisors, by tests.
	supervisorEnv []string
}

const (
	defaultGrace = 5 * time.Second
	// startPatience is how long a supervisor may take to start a command: longer
	// than any disk that still works.
	startPatience = 30 * time.Second
)

// fill puts defaults in the place of zero values.
func (o *Options) fill() error {
	if os.Getenv(supervisorMark) != "" {
		return errors.New("supervised: this program was started as a supervisor and is none: call supervised.RunIfSupervisor first in main")
	}
	if o.Dir == "" {
		return errors.New("supervised: no store is given: set Options.Dir")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return fmt.Errorf("supervised: find the store: %w", err)
	}
	o.Dir = dir
	if len(o.Supervisor) == 0 {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("supervised: find this program, which is to be the supervisor: %w; set Options.Supervisor", err)
		}
		o.Supervisor = []string{self, SupervisorArg}
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.MaxBackgroundTasks == 0 {
		o.MaxBackgroundTasks = execctx.DefaultMaxBackgroundTasks
	}
	if o.KillGrace <= 0 {
		o.KillGrace = defaultGrace
	}
	if o.Clock == nil {
		o.Clock = execctx.SystemClock{}
	}
	if o.NewID == nil {
		o.NewID = func() string { return "supervised_" + strings.ToLower(rand.Text()) }
	}
	if o.Warn == nil {
		o.Warn = func(err error) { slog.Default().Warn(err.Error()) }
	}
	if o.step == nil {
		o.step = func(string) {}
	}
	return nil
}
