package execctx

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// stampLayout is the time of a context in file names: UTC, to the millisecond,
// of fixed width, so that the order of names is the order of times (EX-36). Go
// writes fractions of a second behind a dot only.
const stampLayout = "20060102-150405.000"

// TaskLogPattern matches the name of a log file: the task's id and the stamp of
// its context (EX-37).
const TaskLogPattern = `^(bash_[1-9][0-9]*)\.([0-9]{8}-[0-9]{6}-[0-9]{3})\.log$`

var taskLog = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(TaskLogPattern) })

// FormatStamp is the part of log file names that a context's creation time
// becomes: YYYYMMDD-HHMMSS-mmm in UTC (EX-35).
func FormatStamp(t time.Time) string {
	return strings.Replace(t.UTC().Format(stampLayout), ".", "-", 1)
}

// LogName is the file name of a task's output.
func LogName(taskID, stamp string) string { return taskID + "." + stamp + ".log" }

// ParseLogName takes a file name apart; ok is false for any other name. The base
// name is wanted, not a path.
func ParseLogName(name string) (taskID string, created time.Time, ok bool) {
	match := taskLog().FindStringSubmatch(name)
	if match == nil {
		return "", time.Time{}, false
	}
	stamp := match[2]
	at := len(stamp) - len("-000")
	created, err := time.ParseInLocation(stampLayout, stamp[:at]+"."+stamp[at+1:], time.UTC)
	if err != nil {
		return "", time.Time{}, false
	}
	return match[1], created, true
}

// TaskID is the n-th id of a context, counted from 1 (EX-33).
func TaskID(n int) string { return "bash_" + strconv.Itoa(n) }

// ParseTaskID gives the number of a task id. Error: [*TaskIDError] for anything
// else than bash_ and a positive number without leading zeros (EX-34).
func ParseTaskID(id string) (int, error) {
	digits, ok := strings.CutPrefix(id, "bash_")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || TaskID(n) != id {
		return 0, &TaskIDError{ID: id}
	}
	return n, nil
}

// TruncatedMarker ends the log of a task that wrote more than was kept (EX-39).
func TruncatedMarker(dropped int64) string {
	return fmt.Sprintf("<output-truncated bytes-dropped=\"%d\"/>\n", dropped)
}
