package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// groupMembers gives the processes of a group that live, but for the leader's
// number itself when it is dead, and except; ok is false where the system cannot
// be asked.
func groupMembers(group, except int) (pids []int, ok bool) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, false
	}
	self := false
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			self = self || name == "self"
			continue
		}
		if pid != except && inGroup(name, group) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids, self
}

// inGroup reads the group and state of a process: fields 5 and 3 of its stat
// file, behind a name that may contain anything.
func inGroup(pid string, group int) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return false
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return false
	}
	got, err := strconv.Atoi(string(fields[2]))
	return err == nil && got == group
}
