//go:build unix

package proc

import (
	"syscall"
	"time"
)

// Pauses between two looks at a group that is not empty yet.
const (
	firstPause = 2 * time.Millisecond
	lastPause  = 250 * time.Millisecond
	// settling is how long a group may take to be gone once its leader has ended
	// and the output is closed, before the rest counts as left behind.
	settling = 25 * time.Millisecond
)

// watch waits for the end of the command and tells it.
func (p *Process) watch() {
	code, sig, known := p.leader.wait(p.pid)
	p.mu.Lock()
	p.ended = true
	p.reaped = !known
	p.end.Code, p.end.Signal, p.end.Lost = code, sig, !known
	p.end.At = p.cfg.Now()
	p.end.Elapsed = time.Since(p.started)
	p.mu.Unlock()

	survivors, holders, escaped := p.settle()

	p.mu.Lock()
	p.over = true
	p.end.Survivors, p.end.Holders, p.end.Escaped = survivors, holders, escaped
	if p.grace != nil {
		p.grace.Stop()
	}
	end := p.end
	p.mu.Unlock()
	p.out.Close()
	if p.cfg.OnEnd != nil {
		p.cfg.OnEnd(end)
	}
	close(p.done)
}

// settle waits until the output is closed, and under a kill until the group is
// empty or nothing more can be done about it. It gives those of the group who live on, and whether the output was
// given up because only strangers held it, and who.
func (p *Process) settle() (survivors, holders []int, escaped bool) {
	ended := time.Now()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		switch {
		case p.closed():
			left := p.vacate()
			if len(left) == 0 {
				return nil, nil, false
			}
			if p.beyond() || !p.isKilling() && time.Since(ended) > settling {
				return left, nil, false
			}
			if !p.isKilling() {
				pause = firstPause
			}
		case len(p.members()) == 0:
			holders, escaped = p.drain()
			return nil, holders, escaped
		case p.beyond():
			p.giveUp()
			return p.vacate(), nil, false
		}
		p.pause(pause)
	}
}

// drain gives the output a last while, and gives it up when only strangers hold
// it then. That nobody can be found who does is no proof that somebody escaped:
// on a busy machine the end of the output can be late, or a child that another
// goroutine is starting still holds what it inherited. Then it waits longer.
func (p *Process) drain() (holders []int, escaped bool) {
	const patience = 20
	for range patience {
		timer := time.NewTimer(p.cfg.Drain)
		select {
		case <-p.eof:
			timer.Stop()
			p.vacate()
			return nil, false
		case <-timer.C:
		}
		found, known := pipeHolders(p.out)
		if holders = found; len(holders) > 0 || !known {
			break
		}
	}
	p.giveUp()
	p.vacate()
	return holders, true
}

// giveUp ends the pump, after it has taken what is still in the pipe: a deadline
// in the past ends its wait.
func (p *Process) giveUp() {
	p.givenUp.Store(true)
	_ = p.out.SetReadDeadline(time.Unix(1, 0))
	<-p.eof
}

// pause waits for what can change the picture before d is over.
func (p *Process) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	if p.closed() {
		select {
		case <-p.wake:
		case <-timer.C:
		}
		return
	}
	select {
	case <-p.eof:
	case <-p.wake:
	case <-timer.C:
	}
}

func (p *Process) closed() bool {
	select {
	case <-p.eof:
		return true
	default:
		return false
	}
}

func (p *Process) isKilling() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killing
}

// members are the living of the group beside our anchor.
func (p *Process) members() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.living()
}

// vacate gives the number of the group back when nobody lives in it, and says
// who does otherwise. The leader is reaped first, which makes the usual answer,
// nobody, one system call. When somebody is there, the number is theirs; a dead
// child of ours in their group keeps it from ever being a stranger's.
func (p *Process) vacate() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free {
		return nil
	}
	if !p.reaped {
		p.leader.reap(p.pid)
		p.reaped = true
	}
	if p.anchor == 0 {
		if syscall.Kill(-p.pid, 0) == syscall.ESRCH {
			p.free = true
			return nil
		}
		p.anchor = startAnchor(p.pid)
	}
	left := p.living()
	if len(left) == 0 {
		p.free = true
		if p.anchor != 0 {
			reap(p.anchor)
			p.anchor = 0
		}
	}
	return left
}

// living asks the system; p.mu is held.
func (p *Process) living() []int {
	if pids, ok := groupMembers(p.pid, p.anchor); ok {
		return pids
	}
	// No list to be had: all that can be asked is whether anybody is there. The
	// leader itself answers until it is reaped.
	if p.reaped && syscall.Kill(-p.pid, 0) == syscall.ESRCH {
		return nil
	}
	return []int{p.pid}
}

// startAnchor puts a child that ends at once into a group and leaves it unreaped.
// It gives 0 where the members of a group cannot be listed: the anchor itself
// would look like one.
func startAnchor(group int) int {
	if _, ok := groupMembers(group, 0); !ok {
		return 0
	}
	pid, _, err := syscall.StartProcess("/bin/sh", []string{"sh", "-c", ":"}, &syscall.ProcAttr{
		Files: []uintptr{}, Env: []string{},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pgid: group},
	})
	if err != nil {
		return 0
	}
	return pid
}

// reap takes the end of a child that is dead or about to be.
func reap(pid int) {
	var status syscall.WaitStatus
	for {
		_, err := syscall.Wait4(pid, &status, 0, nil)
		if err != syscall.EINTR {
			return
		}
	}
}
