package proc

// leader is nothing here.
type leader struct{}

func (p *Process) launch() error { return ErrUnsupported }

func (p *Process) pump() {}

func (p *Process) watch() {}

// Terminate does nothing: nothing was started.
func (p *Process) Terminate() {}

// TerminateNow does nothing: nothing was started.
func (p *Process) TerminateNow() {}

// Vacant is true: nothing was started.
func (p *Process) Vacant() bool { return true }

// Release does nothing: nothing was started.
func (p *Process) Release() (left []int) { return nil }
