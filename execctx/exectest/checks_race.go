package exectest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/stophook/stophook/execctx"
)

func raceChecks() []check {
	return []check{
		{"EX-43, EX-44: exits racing kills, waits and lists", []need{needLaunch}, func(e *env) { race(e, "kill", "wait", "list") }},
		{"EX-43, D-12: exits racing a reassign are told to one owner", []need{needLaunch, needReassign},
			func(e *env) { race(e, "reassign", "reassign", "kill", "wait", "list") }},
		{"EX-43, EX-48: exits racing a destroy", []need{needLaunch}, func(e *env) { race(e, "destroy", "kill", "wait", "list", "reassign") }},
	}
}

// race lets tasks end while random calls are made, in rounds. Each round is
// made of its own seed, which is in the message when it fails.
func race(e *env, ops ...string) {
	for round := range uint64(e.Rounds) {
		if e.Failed() {
			return
		}
		r := racer{env: e, what: fmt.Sprintf("round %d of %v", round, ops), rand: rand.New(rand.NewPCG(round, 43))}
		r.run(ops)
	}
}

// racer is one round.
type racer struct {
	*env
	what       string
	rand       *rand.Rand
	a, b       execctx.Handle
	tasks      []task
	first, now *told // the owners' callbacks

	mu      sync.Mutex
	answers map[string][]execctx.ExitInfo // what was said of each end
	notes   []string
}

func (r *racer) run(ops []string) {
	r.answers = map[string][]execctx.ExitInfo{}
	var err error
	for _, h := range []*execctx.Handle{&r.a, &r.b} {
		*h, err = r.Context.Spawn(r.ctx, execctx.SpawnConfig{CWD: r.Dir})
		r.must(err, "spawn")
	}
	r.first, r.now = &told{}, &told{}
	count := 4
	if r.MaxTasks > 0 {
		count = min(count, r.MaxTasks)
	}
	commands := []string{succeed, failWith3, printHello, termItself, sleepLong}
	for range count {
		command := commands[r.rand.IntN(len(commands))]
		t := r.launch(r.a, command, func(q *execctx.LaunchRequest) { q.OnExit = r.first.exit })
		r.tasks = append(r.tasks, t)
	}
	var calls sync.WaitGroup
	for range 8 {
		op, t := ops[r.rand.IntN(len(ops))], r.tasks[r.rand.IntN(count)]
		h := []execctx.Handle{r.a, r.b}[r.rand.IntN(2)]
		delay := time.Duration(r.rand.IntN(5)) * time.Millisecond
		calls.Go(func() {
			r.pause(delay)
			r.call(op, h, t)
		})
	}
	calls.Wait()
	for _, h := range []execctx.Handle{r.a, r.b} {
		if r.lacks(needList) == "" {
			for _, entry := range r.list(h) {
				if entry.Ended() {
					r.answered(entry.ExitInfo)
				}
			}
		}
		r.destroy(h)
	}
	r.judge()
}

// call makes one of the calls that race. It runs beside the test's goroutine, so
// it notes what is wrong.
func (r *racer) call(op string, h execctx.Handle, t task) {
	var info *execctx.ExitInfo
	var err error
	switch {
	case op == "kill" && r.lacks(needKill) == "":
		info, err = execctx.Kill(r.ctx, r.Context, h, t.TaskID)
	case op == "wait" && r.lacks(needWait) == "":
		info, err = execctx.Wait(r.ctx, r.Context, h, t.TaskID, 10*time.Millisecond)
	case op == "list" && r.lacks(needList) == "":
		var entries []execctx.TaskEntry
		entries, err = execctx.List(r.ctx, r.Context, h)
		for _, entry := range entries {
			if entry.Ended() {
				r.answered(entry.ExitInfo)
			}
		}
	case op == "reassign" && r.lacks(needReassign) == "":
		_, err = execctx.Reassign(r.ctx, r.Context, execctx.ReassignRequest{From: r.a, To: r.b, OnExit: r.now.exit})
		if errors.Is(err, execctx.ErrUnknownHandle) {
			err = nil // a destroy was faster
		}
	case op == "destroy":
		err = r.Context.Destroy(r.ctx, h)
	}
	if info != nil {
		r.answered(*info)
	}
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.notes = append(r.notes, fmt.Sprintf("%s of %s in %s: %v", op, t.TaskID, h.ID, err))
	}
}

func (r *racer) answered(info execctx.ExitInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[info.TaskID] = append(r.answers[info.TaskID], info)
}

// judge checks what all must agree on, with everything destroyed.
func (r *racer) judge() {
	r.Helper()
	for _, note := range r.notes {
		r.Errorf("%s: %s", r.what, note)
	}
	told := map[string]int{}
	for _, exits := range [][]execctx.ExitInfo{r.first.exitList(), r.now.exitList()} {
		for _, info := range exits {
			told[info.TaskID]++
			r.answered(info)
		}
	}
	for _, t := range r.tasks {
		want := 0
		if r.Context.Capabilities().Push {
			want = 1
		}
		if told[t.TaskID] != want {
			r.Errorf("%s: the exit of %s was told %d times, want %d", r.what, t.TaskID, told[t.TaskID], want)
		}
		said := r.answers[t.TaskID]
		for _, info := range said {
			if !info.Ended() || !equal(info, said[0]) {
				r.Errorf("%s: the end of %s was said to be %s and %s", r.what, t.TaskID, show(said[0]), show(info))
			}
		}
	}
}
