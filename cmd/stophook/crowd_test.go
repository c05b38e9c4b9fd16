package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy/evidence"
)

// stage is one session with a tool turn that owes the whole ritual, and the
// state folder that its hooks share.
type stage struct {
	dir, state string
	now        string
}

func newStage(t *testing.T) stage {
	t.Helper()
	s := fixtures.NewScript(scriptSession, scriptStart())
	s.Prompt("fix it")
	s.At(time.Second).Shell("make", "ok")
	s.At(2 * time.Second).Say("Done.")
	st := stage{dir: t.TempDir(), now: scriptStart().Add(3 * time.Second).Format(time.RFC3339)}
	st.state = filepath.Join(st.dir, "state")
	if err := os.WriteFile(filepath.Join(st.dir, "session.jsonl"), s.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return st
}

func (s stage) hook(event string) child {
	payload := fmt.Sprintf(`{"hook_event_name":%q,"session_id":%q,"transcript_path":"session.jsonl","cwd":".","stop_hook_active":false}`, event, scriptSession)
	return child{dir: s.dir, stdin: []byte(payload), args: []string{"hook", "--state-dir", s.state, "--now", s.now}}
}

func (s stage) task(text string) child {
	return child{dir: s.dir, args: []string{"task", "--session", scriptSession, "--state-dir", s.state, text}}
}

func (s stage) session(t *testing.T) *evidence.Session {
	t.Helper()
	session, err := evidence.Store{Dir: s.state}.Session(scriptSession)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// D-38, CL-3: hooks of one session that run at the same instant (two of them
// configured, or a host that repeats) share one count. Every block that is given
// was counted, between two passes there are never more than the cap, and neither
// ledger nor log is torn.
func TestCrowd_D38_HooksOfOneSessionCountTogether(t *testing.T) {
	t.Parallel()
	const stops, prompts, limit = 20, 10, 5
	s := newStage(t)
	var group sync.WaitGroup
	results := make([]result, stops+prompts)
	for i := range results {
		event := "Stop"
		if i >= stops {
			event = "UserPromptSubmit"
		}
		group.Go(func() { results[i] = s.hook(event).run(t) })
	}
	group.Wait()

	given := 0
	for i, r := range results {
		if err := legal(r.stdout); err != nil || r.code != 0 {
			t.Errorf("hook %d: exit %d, stdout %q: %v", i, r.code, r.stdout, err)
		}
		if blocks(r.stdout) {
			given++
		}
	}
	logged, capped, held := events(t, s.state), 0, 0
	for _, e := range logged {
		switch l := resultOf(t, e); {
		case l.Verdict == "block":
			held++
		case l.Code == "stop-hook.remediation_cap":
			capped++
		}
	}
	if len(logged) != stops || held != given {
		t.Errorf("%d decisions and %d blocks in the log, want %d and %d", len(logged), held, stops, given)
	}
	if given < 1 || given > limit*(capped+1) {
		t.Errorf("%d blocks were given and the cap let %d stops pass: at most %d blocks stand between two passes", given, capped, limit)
	}
	st, err := s.session(t).Load()
	if err != nil || st.Remediation.Count > limit {
		t.Errorf("state %+v, %v", st, err)
	}
	log, err := s.session(t).Events()
	if err != nil || log.Bad != 0 || len(log.Events) != prompts {
		t.Errorf("the ledger has %d events and %d bad lines, want %d and 0: %v", len(log.Events), log.Bad, prompts, err)
	}
}

// A hook that is killed at any point leaves nothing that looks like an event and
// is none, and the next hook works. The points are random and their number is
// bounded; the seed is printed.
func TestCrash_KilledHooksLeaveWholeFiles(t *testing.T) {
	t.Parallel()
	const runs = 40
	s := newStage(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	began := time.Now()
	if r := s.hook("Stop").run(t); !blocks(r.stdout) {
		t.Fatalf("the first hook must block: %+v", r)
	}
	usual := time.Since(began) // so that the points lie within a run on a slow machine, too
	for range runs {
		call := []child{s.hook("Stop"), s.hook("UserPromptSubmit"), s.task("a task that was declared whole")}[random.IntN(3)]
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.Int64N(int64(usual))))
		_ = call.command(t, ctx).Run() // killed, or done: both are fine
		cancel()
	}
	log, err := s.session(t).Events()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Events {
		if e.ID == "" || e.TS.IsZero() || e.Kind == evidence.TaskDeclared && e.Text != "a task that was declared whole" {
			t.Errorf("half an event: %+v", e)
		}
	}
	for _, e := range events(t, s.state) {
		if l := resultOf(t, e); l.Verdict == "" || l.Code == "" {
			t.Errorf("half a decision: %+v", e)
		}
	}
	if _, err := s.session(t).Load(); err != nil {
		t.Errorf("the state did not survive: %v", err)
	}
	before := len(events(t, s.state))
	if r := s.hook("Stop").run(t); legal(r.stdout) != nil || r.code != 0 || r.stdout == "" {
		t.Errorf("the hook after the crashes: %+v", r)
	}
	if after := len(events(t, s.state)); after != before+1 {
		t.Errorf("the log has %d decisions after the next hook, want %d", after, before+1)
	}
	if r := s.task("next").run(t); r.code != 0 {
		t.Errorf("the task command after the crashes: %+v", r)
	}
}

// A line that a crash tore ends in the next event's line break, and does not
// swallow that event.
func TestCrash_TornLinesAreNoEvents(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	session := s.session(t)
	if err := os.MkdirAll(session.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	torn := `{"v":1,"id":"ev1","ts":"2026-10-05T09:00:02Z","kind":"task_declared","text":"hal`
	if err := os.WriteFile(filepath.Join(session.Path(), "ledger.jsonl"), []byte(torn), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.state, "decisions.jsonl"), []byte(`{"labels":{},"decision_id":"x","resu`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := s.hook("Stop").run(t)
	if !blocks(r.stdout) {
		t.Fatalf("a torn declaration is none, so the stop is held: %+v", r)
	}
	if r := s.task("whole").run(t); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	log, err := session.Events()
	if err != nil || log.Bad != 1 || len(log.Events) != 1 || log.Events[0].Text != "whole" {
		t.Errorf("ledger: %+v, %v", log, err)
	}
	data, err := os.ReadFile(filepath.Join(s.state, "decisions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for line := range bytes.SplitSeq(data, []byte{0x0a}) {
		if json.Valid(line) {
			whole++
		}
	}
	if whole != 1 {
		t.Errorf("the log has %d whole lines, want 1:\n%s", whole, data)
	}
}
