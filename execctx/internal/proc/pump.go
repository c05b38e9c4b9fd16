//go:build unix

package proc

import (
	"sync"
	"syscall"
)

// chunk is how much is read at once: what a pipe holds by default.
const chunk = 64 << 10

// buffers are lent to a pump for as long as there is something to read, so that
// a quiet command costs none. Go's pool is the one package variable here; it
// holds no state that anybody could see.
var buffers = sync.Pool{New: func() any { return new([chunk]byte) }}

// pump delivers the output until everybody has closed it, or it is given up.
func (p *Process) pump() {
	defer close(p.eof)
	conn, err := p.out.SyscallConn()
	if err != nil {
		return
	}
	if conn.Read(func(fd uintptr) bool { return p.empty(int(fd)) }) != nil {
		// The deadline of drain, which also hides what has come before it.
		_ = conn.Control(func(fd uintptr) { p.empty(int(fd)) })
	}
}

// rest is how much is still read once the output is given up: all that a pipe
// can hold, as far as an ordinary user may set it.
const rest = 1 << 20

// empty reads what is there and reports whether the end was reached. Somebody
// who writes faster than we read, for ever, is left when the output is given up.
func (p *Process) empty(fd int) (end bool) {
	buffer := buffers.Get().(*[chunk]byte)
	defer buffers.Put(buffer)
	for since := 0; since < rest; {
		n, err := syscall.Read(fd, buffer[:])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err != syscall.EAGAIN
		case n == 0:
			return true
		default:
			_, _ = p.cfg.Output.Write(buffer[:n])
			if p.givenUp.Load() {
				since += n
			}
		}
	}
	return true
}
