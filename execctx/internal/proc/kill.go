//go:build unix

package proc

import (
	"syscall"
	"time"
)

// Terminate asks the whole group to end with SIGTERM, and after the grace makes
// it end with SIGKILL. It returns at once; Done then comes when the group is
// empty. Calls after the first do nothing. After Done it does nothing: what is
// left then is for Release.
func (p *Process) Terminate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killing || p.over {
		return
	}
	p.ask()
	p.terminate()
}

// TerminateNow ends the whole group with SIGKILL. After Done it does nothing.
func (p *Process) TerminateNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.ask()
	p.force()
}

// ask notes that the end is wanted and tells the watching goroutine; p.mu is
// held.
func (p *Process) ask() {
	p.killing = true
	if !p.ended {
		p.end.Asked = true
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// terminate sends SIGTERM and arms the SIGKILL; p.mu is held.
func (p *Process) terminate() {
	p.signal(syscall.SIGTERM)
	p.signal(syscall.SIGCONT) // a stopped process gets no other signal until it is continued
	if p.grace == nil {
		p.grace = time.AfterFunc(p.cfg.Grace, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.force()
		})
	}
}

// force sends SIGKILL; p.mu is held.
func (p *Process) force() {
	if p.forced.IsZero() {
		p.forced = time.Now()
	}
	p.signal(syscall.SIGKILL)
}

// beyond tells whether SIGKILL has been without effect for a whole grace:
// whoever is left is not ours to signal, or stuck in the system.
func (p *Process) beyond() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.forced.IsZero() && time.Since(p.forced) > p.cfg.Grace
}

// signal reaches everybody in the group; p.mu is held. That nobody is there any
// more, or that somebody is not ours to signal, is no error (EX-44).
func (p *Process) signal(sig syscall.Signal) {
	if !p.free {
		_ = p.cfg.kill(-p.pid, sig)
	}
}

// Vacant tells whether nobody lives in the group any more, and then gives its
// number back. Before Done it is false. It neither waits nor ends anybody.
func (p *Process) Vacant() bool {
	select {
	case <-p.done:
		return len(p.vacate()) == 0
	default:
		return false
	}
}

// Release ends what the command left behind in its group, SIGTERM first, and
// gives the group's number back. It waits for Done and for the group; processes
// that even SIGKILL does not end within another grace are returned, and a later
// call tries again. Calling it again is harmless.
func (p *Process) Release() (left []int) {
	<-p.done
	p.releasing.Lock()
	defer p.releasing.Unlock()
	p.mu.Lock()
	if p.free {
		p.mu.Unlock()
		return nil
	}
	p.grace = nil
	p.terminate()
	grace := p.grace
	p.mu.Unlock()
	defer grace.Stop()

	limit := time.Now().Add(2 * p.cfg.Grace)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		left = p.vacate()
		if len(left) == 0 || time.Now().After(limit) {
			return left
		}
		time.Sleep(pause)
	}
}
