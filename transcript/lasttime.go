package transcript

import (
	"bytes"
	"time"

	"github.com/tidwall/gjson"
)

// LastTime is the timestamp of the newest whole row of the file at path. ok is false
// when there is none in its last 64 KiB, or the file cannot be read.
func LastTime(path string) (at time.Time, ok bool) {
	f, size, _, err := openFile(path)
	if err != nil {
		return time.Time{}, false
	}
	defer f.Close()
	buf := make([]byte, min(size, 64<<10))
	n, _ := f.ReadAt(buf, size-int64(len(buf)))
	rows := bytes.Split(bytes.TrimRight(buf[:n], "\r\n"), []byte{'\n'})
	for i := len(rows) - 1; i >= 0; i-- {
		if gjson.ValidBytes(rows[i]) {
			if at = parseTime(gjson.GetBytes(rows[i], "timestamp")); !at.IsZero() {
				return at, true
			}
		}
	}
	return time.Time{}, false
}
