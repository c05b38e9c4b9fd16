//go:build unix

package proc

import (
	"os"
	"strings"
	"syscall"
	"time"
)

// launch starts the process; on an error everything that was opened is closed.
func (p *Process) launch() error {
	if p.cfg.kill == nil {
		p.cfg.kill = func(pid int, sig syscall.Signal) error { return syscall.Kill(pid, sig) }
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	reading, writing, err := pipe()
	if err != nil {
		return err
	}
	defer syscall.Close(writing)
	if strings.IndexByte(p.cfg.Command, 0) >= 0 {
		syscall.Close(reading)
		return os.NewSyscallError("exec", syscall.EINVAL)
	}
	sys := &syscall.SysProcAttr{Setpgid: true}
	if p.cfg.Tied {
		tie(sys)
	}
	p.leader.ask(sys)
	p.started = time.Now()
	// os.StartProcess would keep a descriptor of its own for the process, and
	// reap it in its own way.
	p.pid, _, err = syscall.StartProcess("/bin/sh", []string{"sh", "-c", p.cfg.Command}, &syscall.ProcAttr{
		Dir: p.cfg.Dir, Env: p.cfg.Env, Sys: sys,
		Files: []uintptr{null.Fd(), uintptr(writing), uintptr(writing)},
	})
	if err != nil {
		syscall.Close(reading)
		p.leader.forget()
		return p.explain(err)
	}
	p.out = os.NewFile(uintptr(reading), "output")
	return nil
}

// explain names what could not be found: a missing folder and a missing shell
// give the same error.
func (p *Process) explain(err error) error {
	if err == syscall.ENOENT || err == syscall.ENOTDIR {
		if _, missing := os.Stat(p.cfg.Dir); missing != nil {
			return missing
		}
	}
	return &os.PathError{Op: "exec", Path: "/bin/sh", Err: err}
}
