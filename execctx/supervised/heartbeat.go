//go:build unix

package supervised

import (
	"fmt"
	"path/filepath"
	"time"
)

// heartbeatEvery is the time between two heartbeats of a supervisor. They are no
// sign of life, which only the lock is: they say how long ago a task was lost.
// Tasks shorter than that never write one.
const heartbeatEvery = 15 * time.Second

// heartbeatRecord is when a supervisor was at work last.
type heartbeatRecord struct {
	At time.Time `json:"at"`
}

// beat writes the heartbeat down. A full disk costs the beat and nothing else.
func (s *supervisor) beat(at time.Time) {
	_ = writeRecord(filepath.Join(s.dir, fileHeartbeat), heartbeatRecord{At: at.UTC()}, false)
}

// await waits for the end of the command or a request for it, and beats
// meanwhile.
func (s *supervisor) await(beats <-chan time.Time) {
	for {
		select {
		case <-s.ask:
			s.process.Terminate()
			return
		case <-s.process.Done():
			return
		case at := <-beats:
			s.beat(at)
		}
	}
}

// lastBeat says when the supervisor of a lost task was at work last, in words;
// empty when it never said.
func (t *task) lastBeat() string {
	var last heartbeatRecord
	if readRecord(filepath.Join(t.dir, fileHeartbeat), &last) != nil || last.At.IsZero() {
		return ""
	}
	return fmt.Sprintf("its supervisor was at work at %s", last.At.Format(time.RFC3339))
}
