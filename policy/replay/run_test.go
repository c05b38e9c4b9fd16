package replay

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy"
)

var start = time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)

const sessionID = "5e551013-0000-4000-8000-000000000001"

// turnOf is a session of one turn of words.
func turnOf(words ...string) []byte {
	s := fixtures.NewScript(sessionID, start)
	for i, w := range words {
		s.At(time.Duration(i) * time.Minute)
		s.Prompt("go on")
		s.At(time.Duration(i)*time.Minute + time.Second)
		s.Say(w)
	}
	return s.Bytes()
}

// broken is a layer that does not load.
func broken() policy.Layer {
	return policy.Layer{Name: "project", FS: fstest.MapFS{"x.rego": {Data: []byte("package stophook.rules.x\n\nthis is no rego")}}}
}

func run(t *testing.T, o Options, paths ...string) *Result {
	t.Helper()
	r, err := Run(context.Background(), paths, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRun_folders(t *testing.T) {
	x := newTree(t)
	a := x.write(t, "p1/a.jsonl", turnOf("one"))
	b := x.write(t, "p2/b.jsonl", turnOf("one", "two"))
	x.write(t, "p2/b/subagents/agent-1.jsonl", turnOf("sub"))
	x.write(t, "p2/b/subagents/deeper/agent-2.jsonl", turnOf("sub"))
	x.write(t, "p2/side.jsonl", []byte(strings.ReplaceAll(string(turnOf("sub")), `"isSidechain":false`, `"isSidechain":true`)))
	x.write(t, "p2/notes.txt", []byte("no transcript"))
	x.write(t, "p3/empty.jsonl", nil)
	x.write(t, "p3/rows.jsonl", []byte(`{"type":"mode"}`+"\n"))
	r := run(t, x.opts(), x.dir)
	var paths []string
	for _, s := range r.Sessions {
		paths = append(paths, s.Path)
	}
	if !slices.Equal(paths, []string{a, b}) {
		t.Errorf("sessions %q", paths)
	}
	if g := r.Totals; g.Stops != 3 || g.Subagents != 3 || g.NoStop != 2 || g.Sessions != 2 || g.Unreadable != 0 || g.Files != 4 {
		t.Errorf("%+v", g)
	}
	if r.Sessions[0].ID != sessionID || r.Sessions[0].Evidence != EvidenceNone {
		t.Errorf("%+v", r.Sessions[0])
	}
}

func TestRun_linksInACircle(t *testing.T) {
	x := newTree(t)
	x.write(t, "p1/a.jsonl", turnOf("one"))
	for from, to := range map[string]string{"p1/up": x.dir, "p1/self": "self", "p1/again.jsonl": "a.jsonl", "p1/gone.jsonl": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(x.dir, from)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	r := run(t, x.opts(), x.dir, filepath.Join(x.dir, "p1", "a.jsonl"))
	if r.Totals.Stops != 1 || r.Totals.Unreadable != 1 {
		t.Errorf("%d stops and %d unreadable, want the one file once, and the link that leads nowhere", r.Totals.Stops, r.Totals.Unreadable)
	}
}

func TestRun_unreadable(t *testing.T) {
	x := newTree(t)
	good := x.write(t, "a.jsonl", turnOf("one"))
	if err := os.Mkdir(filepath.Join(x.dir, "b.jsonl"), 0o700); err != nil { // a folder of that name holds nothing
		t.Fatal(err)
	}
	bad := filepath.Join(x.dir, "c.jsonl")
	if err := os.Symlink("nowhere", bad); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	r := run(t, x.opts(), x.dir)
	if len(r.Sessions) != 2 || r.Sessions[0].Path != good || r.Sessions[1].Path != bad || !strings.Contains(r.Sessions[1].Error, "c.jsonl") {
		t.Errorf("%+v", r.Sessions)
	}
	if r.Totals.Unreadable != 1 || r.Totals.Stops != 1 || r.Totals.Files != 1 {
		t.Errorf("%+v", r.Totals)
	}
	c, err := Diff(t.Context(), []string{x.dir}, x.opts(), x.opts())
	if err != nil || len(c.Errors) != 1 || c.Errors[0].Path != bad {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestRun_errors(t *testing.T) {
	x := newTree(t)
	path := x.write(t, "a.jsonl", turnOf("one"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	bad := x.opts()
	bad.Layers = []policy.Layer{broken()}
	if err := os.Mkdir(filepath.Join(x.dir, "none"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		reason string
		ctx    context.Context
		opts   Options
		path   string
		is     func(error) bool
	}{
		{"no such path", t.Context(), x.opts(), filepath.Join(x.dir, "nowhere"), func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		{"a folder without transcripts", t.Context(), x.opts(), filepath.Join(x.dir, "none"), func(err error) bool { return errors.Is(err, ErrNoTranscripts) }},
		{"policies that do not load", t.Context(), bad, path, func(err error) bool {
			_, ok := errors.AsType[policy.PolicyErrors](err)
			return ok
		}},
		{"a context that has ended", ctx, x.opts(), path, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		if r, err := Run(tt.ctx, []string{tt.path}, tt.opts); !tt.is(err) || r != nil {
			t.Errorf("%s: got %v, %v", tt.reason, r, err)
		}
	}
}

func TestRun_since(t *testing.T) {
	x := newTree(t)
	s := fixtures.NewScript(sessionID, start)
	s.Prompt("go")
	for i := range 4 { // blocks in one cycle
		s.At(time.Duration(i) * time.Minute)
		s.Shell("make", "ok")
		s.Say("done")
		if i < 3 {
			s.Feedback("no")
		}
	}
	x.write(t, "a.jsonl", s.Bytes())
	all := run(t, x.opts(), x.dir)
	if all.Totals.Stops != 4 {
		t.Fatalf("%d stops, want 4", all.Totals.Stops)
	}
	o := x.opts()
	o.Since = start.Add(2 * time.Minute)
	late := run(t, o, x.dir)
	if diff := cmp.Diff(all.Sessions[0].Stops[2:], late.Sessions[0].Stops); diff != "" {
		t.Errorf("the stops since then (-) and the replay since then (+), which must know of the blocks before:\n%s", diff)
	}
	if late.Sessions[0].Stops[0].Blocks != 2 {
		t.Errorf("%d blocks before, want 2", late.Sessions[0].Stops[0].Blocks)
	}
	o.Since = start.Add(time.Hour)
	if g := run(t, o, x.dir).Totals; g.Stops != 0 || g.BeforeSince != 1 || g.NoStop != 0 {
		t.Errorf("%+v", g)
	}
}

// What a fork copied without a mark is counted, and said.
func TestRun_copies(t *testing.T) {
	x := newTree(t)
	x.write(t, "a.jsonl", turnOf("one", "two"))
	if r := run(t, x.opts(), x.dir); strings.Contains(strings.Join(r.Limits, "\n"), "counted in both") {
		t.Errorf("one transcript has copies: %q", r.Limits)
	}
	x.write(t, "b.jsonl", turnOf("one", "two", "three"))
	if r := run(t, x.opts(), x.dir); !strings.Contains(strings.Join(r.Limits, "\n"), "2 stops are copies") || r.Totals.Stops != 5 {
		t.Errorf("%d stops, %q", r.Totals.Stops, r.Limits)
	}
}

// TestRun_sameForAnyNumberOfWorkers, and every byte is told to the progress.
func TestRun_sameForAnyNumberOfWorkers(t *testing.T) {
	x := newTree(t)
	stopCases(t, x)
	var first []byte
	for _, n := range []int{1, 2, 7} {
		var last, total atomic.Int64
		o := x.opts()
		o.Workers = n
		o.Progress = func(done, all int64) {
			for old := last.Load(); done > old && !last.CompareAndSwap(old, done); old = last.Load() {
			}
			total.Store(all)
		}
		r := run(t, o, x.dir)
		if last.Load() != total.Load() || total.Load() != r.Totals.Bytes {
			t.Errorf("%d workers: progress ended at %d of %d bytes, the files have %d", n, last.Load(), total.Load(), r.Totals.Bytes)
		}
		out, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out
		}
		if string(out) != string(first) {
			t.Errorf("%d workers give another result than one", n)
		}
	}
}

func TestDefaultPath(t *testing.T) {
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	if got := DefaultPath(getenv, "/home/dev"); got != filepath.FromSlash("/home/dev/.claude/projects") {
		t.Error(got)
	}
	env["CLAUDE_CONFIG_DIR"] = "/etc/claude"
	if got := DefaultPath(getenv, "/home/dev"); got != filepath.FromSlash("/etc/claude/projects") {
		t.Error(got)
	}
}
