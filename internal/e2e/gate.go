package e2e

import (
	"os"
	"path/filepath"
	"sync"
)

// Gate is a command of the agent that runs until the test lets it end: it reads a named
// pipe. So nothing depends on how long a command takes, and no sleep is needed.
type Gate struct {
	// Command ends with "NAME-done" on stdout when the gate is opened.
	Command string

	stage *Stage
	path  string
	mu    sync.Mutex
	file  *os.File
}

// Gate makes a gate in the project. Gates that are still closed when the stage ends
// are opened.
func (s *Stage) Gate(name string) *Gate {
	s.t.Helper()
	g := &Gate{stage: s, path: filepath.Join(s.Project, name+".gate"), Command: "cat " + name + ".gate && echo " + name + "-done"}
	if err := mkfifo(g.path); err != nil {
		s.t.Fatal(err)
	}
	s.gates = append(s.gates, g)
	return g
}

// AwaitRunning waits until the command runs.
func (g *Gate) AwaitRunning() {
	g.stage.t.Helper()
	g.stage.Await("the command "+g.Command, g.grab)
}

// grab holds the writing end; it tells whether somebody reads.
func (g *Gate) grab() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.file == nil {
		file, err := os.OpenFile(g.path, openFIFO, 0)
		if err != nil {
			return false // nobody reads yet
		}
		g.file = file
	}
	return true
}

// Open lets the command end.
func (g *Gate) Open() {
	g.grab() // a reader that was never waited for must end, too
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.file != nil {
		g.file.Close()
		g.file = nil
	}
}
