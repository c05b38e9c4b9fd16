//go:build unix

package supervised

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// plan is what a supervisor is told, through a pipe: an environment has no place
// in a file or on a command line.
type plan struct {
	dir     string // of the task
	command string // exact, where records can only hold text
	record  launchRecord
	grace   time.Duration
	env     []string
}

// planEnd is where a length would be: a plan without it was cut off when its
// writer was killed, and must not be carried out.
const planEnd = 1<<32 - 1

// encode gives a plan as parts, each behind its length.
func (p *plan) encode() ([]byte, error) {
	record, err := json.Marshal(p.record)
	if err != nil {
		return nil, err
	}
	var data []byte
	parts := append([]string{string(record), p.dir, p.command, p.grace.String()}, p.env...)
	for _, part := range parts {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(part)))
		data = append(data, part...)
	}
	return binary.LittleEndian.AppendUint32(data, planEnd), nil
}

var errPlanCut = errors.New("the plan was cut off")

// readPlan reads to the end.
func readPlan(r io.Reader) (*plan, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var parts []string
	for {
		if len(data) < 4 {
			return nil, errPlanCut
		}
		size := binary.LittleEndian.Uint32(data)
		data = data[4:]
		if size == planEnd {
			break
		}
		if uint64(len(data)) < uint64(size) {
			return nil, errPlanCut
		}
		parts = append(parts, string(data[:size]))
		data = data[size:]
	}
	if len(parts) < 4 || len(data) > 0 {
		return nil, errPlanCut
	}
	p := &plan{dir: parts[1], command: parts[2], env: parts[4:]}
	if err := json.Unmarshal([]byte(parts[0]), &p.record); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	if p.grace, err = time.ParseDuration(parts[3]); err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	return p, nil
}

// report is what a supervisor answers, once.
type report struct {
	PID       int       `json:"pid,omitempty"`
	StartedAt time.Time `json:"startedAt,omitzero"`

	Op    string `json:"op,omitempty"` // what failed; then nothing was started, and nothing is left
	Error string `json:"error,omitempty"`
	Errno int    `json:"errno,omitempty"`
}
