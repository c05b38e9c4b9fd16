package replay

import (
	"path/filepath"
	"runtime"
	"time"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
)

// Options say under what policy sessions are judged. The zero value of every field
// but Config is usable; take [policy.DefaultConfig] for that.
type Options struct {
	// Layers are the overlays on the built-in rules, the highest first.
	Layers []policy.Layer
	Config policy.Config
	// Store holds the evidence ledgers; with an empty Dir there are none but those of
	// cases. It is only read.
	Store evidence.Store
	// Since leaves out stops before it; zero takes all.
	Since time.Time
	// Workers is how many files are judged at a time; default one for each processor.
	Workers int
	// Home stands for ~/ in messages about transcripts; may be empty.
	Home string
	// Command is how policies name stophook; default "stophook".
	Command string
	// Progress, when set, is told how many of all bytes have been read. It may be
	// called from any goroutine, and by several at once.
	Progress func(doneBytes, totalBytes int64)
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

func (o Options) gate() *policy.Gate {
	command := o.Command
	if command == "" {
		command = "stophook"
	}
	// The mode is left to the transcript, which tells the entry point.
	return &policy.Gate{Layers: o.Layers, Config: o.Config, Mode: "unknown", Command: command, Home: o.Home, Now: time.Now}
}

// DefaultPath is the folder in which Claude Code keeps its sessions: projects in
// $CLAUDE_CONFIG_DIR, by default in .claude in the home folder.
func DefaultPath(getenv func(string) string, home string) string {
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "projects")
	}
	return filepath.Join(home, ".claude", "projects")
}
