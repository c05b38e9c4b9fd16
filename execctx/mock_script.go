package execctx

import "time"

// MockRun is a command that a [Mock] is about to pretend.
type MockRun struct {
	// ID is the task's id, or exec_1, exec_2, … of a foreground command: what
	// [Mock.Print] and [Mock.Exit] take.
	ID         string
	Foreground bool
	Handle     Handle
	PID        int
	Command    string
	CWD        string            // absolute
	Env        map[string]string // the handle's and the request's
	OutputPath string            // empty in the foreground
}

// MockScript declares what a command does from its start on.
type MockScript struct {
	// Err makes the start fail.
	Err error
	// Steps are printed in order, each some time after the one before.
	Steps []MockStep
	// Exit is the end, some time after the last step; nil: it runs on.
	Exit *MockExit
	// Term is what the command does about SIGTERM; nil: it ends at once.
	Term *MockTerm
}

// MockStep is output after a time, counted from the step before or the start.
type MockStep struct {
	After time.Duration
	// AwaitFile is a file that must be there first, by its absolute path or
	// relative to the command's working directory; After then counts from it.
	AwaitFile string
	Print     string
}

// MockExit is the end of a command. The zero value exits with 0.
type MockExit struct {
	// After counts from the last step; scripts only. A task's exit comes after
	// its launch has returned, even with 0.
	After time.Duration
	Code  int
	// Signal ends the command, as in SIGTERM; the code is then 128 and its
	// number (EX-10).
	Signal string
	Print  string // last words
	// EndedAt is when it happened; zero: now. The duration follows it.
	EndedAt  time.Time
	Warnings []string
	// Lost: nobody saw the end. Code and Signal do not count.
	Lost bool
}

// MockTerm is an answer to SIGTERM.
type MockTerm struct {
	// Ignore: nothing happens until the grace is over and SIGKILL comes.
	Ignore bool
	// Print is printed at once.
	Print string
	// Exit ends it, After counting from the signal; nil: by the signal, at once.
	Exit *MockExit
}

// signalNumber is what an exit code is made of, the same on all systems that
// have the signal.
func signalNumber(name string) int {
	switch name {
	case "SIGHUP":
		return 1
	case "SIGINT":
		return 2
	case "SIGQUIT":
		return 3
	case "SIGABRT":
		return 6
	case "SIGKILL":
		return 9
	case "SIGSEGV":
		return 11
	case "SIGPIPE":
		return 13
	case "SIGTERM":
		return 15
	}
	return 0
}

// code is what the exit comes to.
func (e MockExit) code() *int {
	code := e.Code
	switch {
	case e.Lost:
		return nil
	case e.Signal != "" && signalNumber(e.Signal) > 0:
		code = 128 + signalNumber(e.Signal)
	}
	return &code
}
