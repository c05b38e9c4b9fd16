package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// pipeHolders gives the processes that have the other end of a pipe open, as far
// as this process may look; ok is false where the system cannot be asked. Not
// among them are this process and children of ours that were not yet made
// another program: what such a child inherited closes a moment later.
func pipeHolders(reading *os.File) (pids []int, ok bool) {
	info, err := reading.Stat()
	if err != nil {
		return nil, false
	}
	stat, isStat := info.Sys().(*syscall.Stat_t)
	proc, err := os.ReadDir("/proc")
	if err != nil || !isStat {
		return nil, false
	}
	target := fmt.Sprintf("pipe:[%d]", stat.Ino)
	self, _ := os.Readlink("/proc/self/exe")
	for _, entry := range proc {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || !hasOpen(pid, target) {
			continue
		}
		if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); exe == self && isChild(pid) {
			continue
		}
		pids = append(pids, pid)
	}
	return pids, true
}

// hasOpen looks through the descriptors of a process.
func hasOpen(pid int, target string) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, entry := range entries {
		if name, err := os.Readlink(dir + "/" + entry.Name()); err == nil && name == target {
			return true
		}
	}
	return false
}

// isChild tells whether a process is a child of this one.
func isChild(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	return len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid())
}
