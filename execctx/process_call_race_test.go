package execctx

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// pretended is a process that ends when a test says so, or when it is asked to.
type pretended struct {
	cfg  proc.Config
	once sync.Once
	done chan struct{}
	end  proc.End

	vacant atomic.Bool
}

func (p *pretended) exit(end proc.End) {
	p.once.Do(func() {
		p.end = end
		p.cfg.OnEnd(end)
		close(p.done)
	})
}

func (p *pretended) PID() int              { return 4242 }
func (p *pretended) Terminate()            { go p.exit(proc.End{Code: 143, Signal: 15, Asked: true}) }
func (p *pretended) TerminateNow()         { go p.exit(proc.End{Code: 137, Signal: 9, Asked: true}) }
func (p *pretended) Done() <-chan struct{} { return p.done }
func (p *pretended) End() proc.End         { <-p.done; return p.end }
func (p *pretended) Vacant() bool          { return p.vacant.Load() }
func (p *pretended) Release() []int        { <-p.done; return nil }

// pretend gives a context that starts pretended processes, and the last one.
func pretend() (*ProcessContext, *atomic.Pointer[pretended]) {
	last := &atomic.Pointer[pretended]{}
	return newProcess(ProcessOptions{MaxBackgroundTasks: -1}, func(cfg proc.Config) (process, error) {
		p := &pretended{cfg: cfg, done: make(chan struct{})}
		last.Store(p)
		return p, nil
	}), last
}

// EX-43, EX-14, D-24: an exit, a move, a cancellation and a destruction at the
// same moment make either a foreground result or a task with one exit, never
// both and never neither.
func TestMove_races_EX43(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		actions := rapid.Permutation([]string{"exit", "move", "cancel", "destroy", "print", "move"}).Draw(t, "actions")
		actions = append(actions[:rapid.IntRange(1, len(actions)).Draw(t, "how many")], "exit")
		apart := rapid.SliceOfN(rapid.IntRange(0, 200), len(actions), len(actions)).Draw(t, "apart")
		if err := race(dir, actions, apart); err != nil {
			t.Fatal(err)
		}
	})
}

// race does all actions at once, each after some idle turns.
func race(dir string, actions []string, apart []int) error {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		return err
	}
	c, last := pretend()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	h, err := c.Spawn(ctx, SpawnConfig{CWD: dir})
	if err != nil {
		return err
	}
	call, err := c.StartExec(ctx, h, ExecRequest{Command: "x", OutputDir: dir})
	if err != nil {
		return err
	}
	p := last.Load()
	var moved, refused, told atomic.Int32
	var all sync.WaitGroup
	var problem atomic.Pointer[error]
	do := map[string]func(){
		"exit":    func() { p.exit(proc.End{Code: 3}) },
		"cancel":  cancel,
		"destroy": func() { _ = c.Destroy(context.Background(), h) },
		"print":   func() { _, _ = p.cfg.Output.Write([]byte("y")) },
		"move": func() {
			launched, err := call.Move(MoveRequest{OnExit: func(ExitInfo) { told.Add(1) }})
			switch {
			case err == nil:
				moved.Add(1)
				if _, err := os.Stat(launched.OutputPath); err != nil {
					problem.Store(&err)
				}
			case errors.Is(err, ErrEnded):
				refused.Add(1)
			default:
				problem.Store(&err)
			}
		},
	}
	for i, action := range actions {
		all.Go(func() {
			for range apart[i] {
				_ = told.Load()
			}
			do[action]()
		})
	}
	all.Wait()
	<-p.done
	return outcomeOf(c, call, dir, moved.Load(), told.Load(), problem.Load())
}

// outcomeOf looks at what a race has left.
func outcomeOf(c *ProcessContext, call ForegroundCall, dir string, moved, told int32, problem *error) error {
	if problem != nil {
		return *problem
	}
	result, err := call.Result()
	logs, _ := filepath.Glob(filepath.Join(dir, "bash_*.log"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".exec-*"))
	var wrong []string
	expect := func(ok bool, what string) {
		if !ok {
			wrong = append(wrong, what)
		}
	}
	expect(moved <= 1, "it was moved twice")
	expect(told == moved, "the exits that were told are not those of tasks")
	expect((result.Moved != nil) == (moved == 1), "the result does not tell of the move")
	expect((result.ExitCode == nil) == (moved == 1), "there is an exit code of a moved command, or none")
	expect(len(logs) == int(moved), "log files: "+strings.Join(logs, " "))
	expect(len(hidden) == 0, "left over: "+strings.Join(hidden, " "))
	expect(err == nil || errors.Is(err, context.Canceled), "unexpected error")
	c.mu.Lock()
	defer c.mu.Unlock()
	expect(c.running == 0, "tasks count as running")
	for _, o := range c.owners {
		expect(len(o.calls) == 0, "the call is still registered")
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}
