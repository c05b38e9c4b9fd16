package exectest

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// process is a line of ps.
type process struct {
	pid, group int
	zombie     bool
	command    string
}

// processes lists the machine's processes. Where ps cannot be used the check is
// skipped.
func (e *env) processes() []process {
	e.Helper()
	out, err := exec.CommandContext(e.ctx, "ps", "-A", "-o", "pid=,pgid=,stat=,args=").Output()
	if err != nil {
		e.Skipf("ps cannot be used here: %v", err)
	}
	var all []process
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		pid, _ := strconv.Atoi(fields[0])
		group, _ := strconv.Atoi(fields[1])
		all = append(all, process{pid, group, strings.HasPrefix(fields[2], "Z"), strings.Join(fields[3:], " ")})
	}
	return all
}

// groupOf gives the process group of a process, 0 when it is gone.
func (e *env) groupOf(pid int) int {
	e.Helper()
	for _, p := range e.processes() {
		if p.pid == pid {
			return p.group
		}
	}
	return 0
}

func (e *env) ownGroup() int { return e.groupOf(os.Getpid()) }

// groupMembers gives what is alive in a group, as text. A zombie is not.
func (e *env) groupMembers(group int) []string {
	e.Helper()
	var members []string
	for _, p := range e.processes() {
		if p.group == group && group != 0 && !p.zombie {
			members = append(members, strconv.Itoa(p.pid)+" "+p.command)
		}
	}
	return members
}

// alive tells whether a process is there and no zombie.
func (e *env) alive(pid int) bool {
	e.Helper()
	for _, p := range e.processes() {
		if p.pid == pid {
			return !p.zombie
		}
	}
	return false
}

// descriptors counts the open ones of this program.
func (e *env) descriptors() int {
	e.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		e.Skipf("descriptors cannot be counted here: %v", err)
	}
	return len(entries)
}

func checkDescriptors(e *env) {
	round := func() {
		h := e.spawn()
		e.ended(e.launch(h, printTenKB, capAt(100)))
		e.kill(e.launch(h, sleepLong))
		e.launch(h, sleepLong)
		e.destroy(h)
	}
	round() // what is opened once and kept
	before := e.descriptors()
	for range 5 {
		round()
	}
	e.until("descriptors are closed", func() bool { return e.descriptors() <= before })
}
