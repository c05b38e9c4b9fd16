package sessions

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
)

var start = time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)

// world is a state folder with a log.
type world struct {
	t     *testing.T
	store evidence.Store
	log   *decisionlog.Writer
}

func newWorld(t *testing.T) *world {
	dir := t.TempDir()
	return &world{t, evidence.Store{Dir: dir, Now: func() time.Time { return start }}, &decisionlog.Writer{Path: filepath.Join(dir, "decisions.jsonl")}}
}

func (w *world) options() Options {
	return Options{Store: w.store, Log: w.log.Path, Now: start.Add(time.Minute)}
}

// ledger files events, and makes the session's files as old as at.
func (w *world) ledger(id string, at time.Time, events ...evidence.Event) {
	w.t.Helper()
	s, err := w.store.Session(id)
	if err == nil {
		err = s.Append(context.Background(), events...)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.age(s.Path(), at)
}

func (w *world) age(dir string, at time.Time) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if err == nil {
			err = os.Chtimes(f, at, at)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) decided(id string, at time.Time, event, verdict, path string) {
	w.t.Helper()
	err := w.log.Append(decisionlog.Event{Timestamp: at, Result: map[string]any{"verdict": verdict, "code": "stop-hook." + verdict + "ed"},
		Input: map[string]any{"host": map[string]any{"event": event}, "session": map[string]any{"id": id, "cwd": "/home/dev/" + id},
			"hook": map[string]any{"transcript_path": path}},
		Custom: map[string]any{"session_id": id, "shadow": verdict == "defer"}})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) list(opts Options) *Report {
	w.t.Helper()
	r, err := List(opts)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func TestList(t *testing.T) {
	w := newWorld(t)
	script := fixtures.NewScript("s1", start)
	script.Prompt("push it")
	script.Handoff("git push", "bpush001")
	script.Launch("./job.sh", "bjob0001")
	script.Say("Under way.")
	path := filepath.Join(w.store.Dir, "s1.jsonl")
	if err := os.WriteFile(path, script.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	w.ledger("s1", start, evidence.Event{Kind: evidence.SessionStarted, Cwd: "/elsewhere"}, evidence.Event{Kind: evidence.TaskDeclared, Text: "first"},
		evidence.Event{Kind: evidence.TaskDeclared, Text: "push"}, evidence.Event{Kind: evidence.SessionNamed, Text: "pusher"})
	w.decided("s1", start.Add(time.Second), "Stop", "allow", path)
	w.decided("s1", start.Add(2*time.Second), "Stop", "block", path)
	w.decided("s1", start.Add(3*time.Second), "PreToolUse", "allow", path) // no verdict over a stop
	w.ledger("done", start.Add(-time.Hour), evidence.Event{Kind: evidence.PromptSubmitted, Cwd: "/srv/done"}, evidence.Event{Kind: evidence.SessionEnded, TS: start.Add(time.Second)})
	w.decided("shadow", start.Add(-2*time.Hour), "Stop", "defer", filepath.Join(w.store.Dir, "gone.jsonl"))
	w.ledger("../odd", start.Add(-3*time.Hour), evidence.Event{Kind: evidence.SessionStarted})
	s1, err := w.store.Session("s1")
	if err == nil {
		err = s1.Update(context.Background(), func(st *evidence.State) error { st.Remediation.Add("p1", 5); st.Remediation.Add("p1", 5); return nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	w.age(s1.Path(), start)
	want := []Session{
		{ID: "s1", Folder: "s1", Name: "pusher", Task: "push", Project: "/home/dev/s1", Started: start, Active: start.Add(3 * time.Second),
			Verdict: "block", Code: "stop-hook.blocked", VerdictAt: start.Add(2 * time.Second), Blocks: 2,
			TranscriptPath: path, Transcript: TranscriptRead, Handoffs: []Handoff{{TaskID: "bpush001", Command: "git push"}}, Debt: []string{"bjob0001"}},
		{ID: "done", Folder: "done", Project: "/srv/done", Started: start, Active: start.Add(-time.Hour), Ended: true, Transcript: TranscriptUnknown},
		{ID: "shadow", Project: "/home/dev/shadow", Active: start.Add(-2 * time.Hour), Verdict: "defer", Code: "stop-hook.defered", Shadow: true,
			VerdictAt: start.Add(-2 * time.Hour), TranscriptPath: filepath.Join(w.store.Dir, "gone.jsonl"), Transcript: TranscriptMissing},
		{Folder: folderOf(t, w.store, "../odd"), Active: start.Add(-3 * time.Hour), Transcript: TranscriptUnknown,
			Notes: []string{"the folder's name does not tell the session's id, and no decision of it is logged any more"}},
	}
	r := w.list(w.options())
	if diff := cmp.Diff(want, r.Sessions, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Handoff{}, "Expires")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, s := range r.Sessions {
		if s.Handoffs == nil || s.Debt == nil || s.Notes == nil {
			t.Errorf("%s has a list that is nil", s.ID)
		}
	}
	if got := r.Sessions[0].Handoffs[0].Expires; got.Sub(start) < 30*time.Minute || got.Sub(start) > 31*time.Minute {
		t.Errorf("the handoff expires at %v", got)
	}
	w.narrowed()
}

func folderOf(t *testing.T, st evidence.Store, id string) string {
	s, err := st.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(s.Path())
}

// narrowed are the options that show less, on the world of TestList.
func (w *world) narrowed() {
	w.t.Helper()
	ids := func(r *Report) string {
		var list []string
		for _, s := range r.Sessions {
			list = append(list, s.ID)
		}
		return strings.Join(list, " ")
	}
	opts := w.options()
	opts.Since = start.Add(-time.Hour)
	if got := ids(w.list(opts)); got != "s1 done" {
		w.t.Errorf("since an hour ago: %s", got)
	}
	opts = w.options()
	opts.Last = 2
	if r := w.list(opts); ids(r) != "s1 done" || r.Found != 4 {
		w.t.Errorf("the last two of %d: %s", r.Found, ids(r))
	}
	opts = w.options()
	opts.Now = start.Add(2 * time.Hour)
	if s := w.list(opts).Sessions[0]; len(s.Handoffs) != 0 {
		w.t.Errorf("a handoff of two hours ago is open: %v", s.Handoffs)
	}
	opts = w.options()
	opts.Config = func(project string) policy.Config {
		c := policy.DefaultConfig()
		if c.Closing = policy.ClosingEnded; project == "/home/dev/s1" {
			c.DeferMinutes = 1
		}
		return c
	}
	opts.Now = start.Add(2 * time.Minute)
	if s := w.list(opts).Sessions[0]; len(s.Handoffs) != 0 {
		w.t.Errorf("the project's own bound does not count: %v", s.Handoffs)
	}
}

// What is broken is said, and costs that session alone.
func TestList_Broken(t *testing.T) {
	w := newWorld(t)
	if r := w.list(w.options()); r.Sessions == nil || len(r.Sessions) != 0 {
		t.Errorf("nothing yet: %+v", r)
	}
	odd := filepath.Join(w.store.Dir, "odd.jsonl")
	if err := os.WriteFile(odd, []byte(`{"record":"of another host"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for id, path := range map[string]string{"a": odd, "b": w.store.Dir} {
		w.ledger(id, start, evidence.Event{Kind: evidence.SessionStarted})
		w.decided(id, start, "Stop", "allow", path)
		dir := filepath.Join(w.store.Dir, "sessions", id)
		for _, name := range []string{"state.json", "ledger.jsonl"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("nonsense\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if f, err := os.OpenFile(w.log.Path, os.O_APPEND|os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	} else {
		f.WriteString("{broken\n")
		f.Close()
	}
	r := w.list(w.options())
	if len(r.Sessions) != 2 || r.BadLines != 1 {
		t.Fatalf("%+v", r)
	}
	for _, s := range r.Sessions {
		notes := strings.Join(s.Notes, "\n")
		for _, want := range []string{"lines of the ledger that are no events: 1", "the state cannot be read: ", "state.json is corrupt", "transcript"} {
			if !strings.Contains(notes, want) {
				t.Errorf("%s does not say %q:\n%s", s.ID, want, notes)
			}
		}
		if s.Transcript != TranscriptUnread || s.Verdict != "allow" {
			t.Errorf("%+v", s)
		}
	}
	w.store.Dir = filepath.Join(w.store.Dir, "odd.jsonl")
	if _, err := List(w.options()); err == nil {
		t.Error("a store that is a file is no error")
	}
}
