package supervised

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// thisPlace is empty in what the system does not tell.
func thisPlace() place {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespaces, _ := os.Readlink("/proc/self/ns/pid")
	return place{Boot: strings.TrimSpace(string(boot)), Namespaces: namespaces}
}

func dup2(from, to int) error { return unix.Dup3(from, to, 0) }

// identify gives a living process for good.
func identify(pid int) processID {
	found, _ := look(pid)
	return processID{PID: pid, Start: found.start}
}

// seen is a process as the system shows it.
type seen struct {
	pid            int
	group, session int
	start          uint64 // in ticks since the machine's start
	dead           bool   // a zombie
}

// look reads a process's state; ok is false when there is none of that number.
// The name, which may contain anything, ends with the last parenthesis.
func look(pid int) (found seen, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return seen{}, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	// From the third on: state, parent, group, session; start is the 22nd.
	const start = 22 - 3
	if len(fields) <= start {
		return seen{}, false
	}
	found = seen{pid: pid, dead: fields[0][0] == 'Z' || fields[0][0] == 'X'}
	found.group, _ = strconv.Atoi(string(fields[2]))
	found.session, _ = strconv.Atoi(string(fields[3]))
	found.start, _ = strconv.ParseUint(string(fields[start]), 10, 64)
	return found, true
}

// marked tells whether a process was started with a mark in its environment.
// Nobody but the same user and the system's administrator can ask.
func marked(pid int, mark string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || mark == "" {
		return false
	}
	want := []byte(markVariable + "=" + mark)
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(kv, want) {
			return true
		}
	}
	return false
}

// everybody lists the numbers of all processes.
func everybody() ([]int, bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, false
	}
	var pids []int
	self := false
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
		self = self || name == "self"
	}
	return pids, self
}

// signalProcess reaches a process that check still approves of once it cannot be
// exchanged for another of the same number any more.
func signalProcess(pid int, sig unix.Signal, check func() bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if check() {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}
