//go:build unix

package supervised

import (
	"slices"
	"time"

	"github.com/stophook/stophook/execctx"
)

// The files of a task's folder. All but lock and the pipes are records, replaced
// as a whole. Others are left alone.
const (
	fileLock      = "lock"           // locked for life by the supervisor; holds the count of bytes produced
	fileLaunch    = "launch.json"    // what was started
	fileOwner     = "owner.json"     // who has it now, when that is not who launched it
	fileHeartbeat = "heartbeat.json" // when the supervisor was at work last
	fileExit      = "exit.json"      // how it ended, with all of launch.json
	fileReserve   = "exit.tmp"       // room for exit.json on a disk that is full by then
	fileAlive     = "alive"          // a pipe that the supervisor holds open: who reads it is woken by its end
	fileControl   = "control"        // a pipe that the supervisor reads: a byte asks for the end
	suffixTemp    = ".new"           // of a record that is being written
)

// ownFiles are the names in a task's folder that are ours to delete.
func ownFiles() []string {
	return []string{
		fileAlive, fileControl, fileReserve, fileOwner + suffixTemp, fileLaunch + suffixTemp,
		fileHeartbeat + suffixTemp, fileHeartbeat, fileOwner, fileExit, fileLaunch, fileLock,
	}
}

// recordVersion grows when a reader of an older one would be misled.
const recordVersion = 1

// processID is a process for good: numbers are used again, numbers with start
// times within one run of one machine are not.
type processID struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start,omitempty"` // in ticks since the machine's start; 0: not known
}

// launchRecord is a task as it was started.
type launchRecord struct {
	Version        int       `json:"version"`
	TaskID         string    `json:"taskId"`
	HandleID       string    `json:"handleId"` // of the launch; see ownerRecord
	Command        string    `json:"command"`
	CWD            string    `json:"cwd"`
	OutputPath     string    `json:"outputPath"`
	MaxOutputBytes int64     `json:"maxOutputBytes,omitempty"`
	StallTimeoutMS int64     `json:"stallTimeoutMs,omitempty"` // wished for; nobody here watches
	StartedAt      time.Time `json:"startedAt"`

	Supervisor processID `json:"supervisor"`
	// Process is unset in the record that is written before the start, so that
	// a process is never without one.
	Process processID `json:"process,omitzero"`
	// Mark is the value of markVariable in the environment of the command.
	Mark string `json:"mark"`
	// Place is where the numbers above mean anything.
	Place place `json:"place"`
}

// place is one run of one machine, as seen by its processes.
type place struct {
	Boot       string `json:"boot,omitempty"`
	Namespaces string `json:"namespaces,omitempty"` // of process numbers
}

// ownerRecord says whose a task is since it was launched.
type ownerRecord struct {
	HandleID  string    `json:"handleId,omitempty"`
	Forgotten bool      `json:"forgotten,omitempty"` // by the Destroy of its last handle
	Since     time.Time `json:"since"`
}

// exitRecord is a task from its start to its end.
type exitRecord struct {
	launchRecord
	Status       execctx.TaskStatus `json:"status"`
	ExitCode     *int               `json:"exitCode,omitempty"`
	Signal       string             `json:"signal,omitempty"`
	EndedAt      time.Time          `json:"endedAt"`
	DurationMS   int64              `json:"durationMs"`
	BytesWritten int64              `json:"bytesWritten"`
	Warnings     []string           `json:"warnings,omitempty"`
	// Survivors: somebody of the process group lived on.
	Survivors bool `json:"survivors,omitempty"`
}

// task is what the store says about one task at one moment.
type task struct {
	n   int
	dir string
	launchRecord
	handle string      // whose it is; empty: nobody's any more
	exit   *exitRecord // nil: it runs, or is lost
	lost   bool
	bytes  int64
	notes  []string // about a lost task
}

func (t *task) running() bool { return t.exit == nil && !t.lost }

// info is the task as the contract describes its end.
func (t *task) info() execctx.ExitInfo {
	info := execctx.ExitInfo{TaskID: t.TaskID, Status: execctx.StatusRunning, OutputPath: t.OutputPath, Command: t.Command}
	switch {
	case t.exit != nil:
		info.Status, info.Signal, info.DurationMS = t.exit.Status, t.exit.Signal, t.exit.DurationMS
		info.Warnings = slices.Clone(t.exit.Warnings)
		if t.exit.ExitCode != nil {
			code := *t.exit.ExitCode
			info.ExitCode = &code
		}
	case t.lost:
		info.Status, info.Warnings = execctx.StatusLost, slices.Clone(t.notes)
	}
	return info
}

// entry is the task as the contract lists it.
func (t *task) entry() execctx.TaskEntry {
	entry := execctx.TaskEntry{
		ExitInfo: t.info(), HandleID: t.handle, PID: t.Process.PID, CWD: t.CWD, StartedAt: t.StartedAt, BytesWritten: t.bytes,
	}
	if t.exit != nil {
		entry.EndedAt = t.exit.EndedAt
	}
	return entry
}
