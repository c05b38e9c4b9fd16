//go:build unix

package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func mustStatus(t *testing.T, s *Session, req StatusRequest) StatusResult {
	t.Helper()
	res, err := s.Status(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestStatus_PO1WritesTheCheckAndShowsIt(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	s.store.Rand = bytes.NewReader(make([]byte, 100))
	if _, err := s.DeclareTask(context.Background(), "old task"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeclareTask(context.Background(), "the task"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.NameSession(context.Background(), "the name"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	res := mustStatus(t, s, StatusRequest{Dir: dir, EndTurn: true, EndSession: true, PromptID: "p1", RequireFinal: true,
		Git: GitOptions{Git: "git-that-is-not-installed"}})
	if !res.Refused {
		t.Fatal("no git with finalization required cannot be verified")
	}
	res = mustStatus(t, s, StatusRequest{Dir: dir, EndTurn: true, EndSession: true, PromptID: "p1"})
	log := mustEvents(t, s)
	want := []Event{
		{V: 1, ID: "e4", Kind: EndTurnChecked, CheckID: "00000000", PromptID: "p1", Cwd: dir, Git: res.Git.EventJSON()},
		{V: 1, ID: "e5", Kind: SessionEndRequested, CheckID: "00000000", PromptID: "p1", Cwd: dir},
	}
	if diff := cmp.Diff(want, log.Events[3:], cmpopts.IgnoreFields(Event{}, "TS")); diff != "" {
		t.Error(diff)
	}
	if !res.At.Equal(log.Events[3].TS) || res.Kind != EndTurnChecked || res.CheckID != "00000000" || res.Refused {
		t.Errorf("%+v", res)
	}
	for _, part := range []string{BoxPrefix + "00000000 ", "│ session  s ", "│ name     the name ", "│ task     the task "} {
		if !strings.Contains(res.Text, part) {
			t.Errorf("the box lacks %q:\n%s", part, res.Text)
		}
	}
	var sum GitSummary
	if err := json.Unmarshal(log.Events[3].Git, &sum); err != nil || len(sum.Findings) != 1 || sum.Findings[0] != GitNotARepository && sum.Findings[0] != GitMissing {
		t.Errorf("%s: %+v, %v", log.Events[3].Git, sum, err)
	}
}

func TestStatus_PO2GuardedCheckRefusesUntilFinal(t *testing.T) {
	gitWorld(t)
	d, _ := clone(t)
	mustWrite(t, filepath.Join(d, "a.txt"), "changed")
	s := testSession(t, t.TempDir(), "s")
	req := StatusRequest{Dir: d, EndTurn: true, RequireFinal: true}

	res := mustStatus(t, s, req)
	if !res.Refused || res.CheckID != "" || !strings.Contains(res.Text, "git add -u && git commit") || strings.Contains(res.Text, BoxPrefix) {
		t.Errorf("%+v", res)
	}
	if _, err := os.Lstat(s.Path()); !os.IsNotExist(err) {
		t.Error("a refused check left something behind")
	}
	git(t, d, "commit", "-q", "-a", "-m", "done")
	if res = mustStatus(t, s, req); !res.Refused || !strings.Contains(res.Text, "git push") {
		t.Errorf("not pushed: %+v", res)
	}
	git(t, d, "push", "-q", "origin", "HEAD:main")
	if res = mustStatus(t, s, req); res.Refused || res.Kind != EndTurnChecked || !strings.Contains(res.Text, "main: clean, pushed") {
		t.Errorf("final: %+v", res)
	}
}

func TestStatus_WithoutTheGuard(t *testing.T) {
	gitWorld(t)
	d, _ := clone(t)
	mustWrite(t, filepath.Join(d, "a.txt"), "changed")
	for _, c := range []struct {
		reason string
		req    StatusRequest
		kind   Kind
	}{
		{"finalization is not required", StatusRequest{Dir: d, EndTurn: true}, EndTurnChecked},
		{"looking proves nothing, so it need not refuse", StatusRequest{Dir: d, RequireFinal: true}, StatusObserved},
		{"outside a repository nothing is owned", StatusRequest{Dir: t.TempDir(), EndTurn: true, RequireFinal: true}, EndTurnChecked},
	} {
		s := testSession(t, t.TempDir(), "s")
		res := mustStatus(t, s, c.req)
		log := mustEvents(t, s)
		if res.Refused || res.Kind != c.kind || len(log.Events) != 1 || log.Events[0].Kind != c.kind || log.Events[0].CheckID != res.CheckID {
			t.Errorf("%s: %+v", c.reason, res)
		}
	}
}

func TestStatus_Errors(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	if _, err := s.Status(context.Background(), StatusRequest{Dir: t.TempDir(), EndSession: true}); !errors.Is(err, ErrEndSessionWithoutEnd) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Status(context.Background(), StatusRequest{Dir: "/nonexistent", EndTurn: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := os.MkdirAll(filepath.Join(s.Path(), ledgerName), 0o700); err != nil {
		t.Fatal(err)
	}
	var unsafe *UnsafePathError
	if _, err := s.Status(context.Background(), StatusRequest{Dir: t.TempDir(), EndTurn: true}); !errors.As(err, &unsafe) {
		t.Errorf("a check that cannot be recorded must not look like one: %v", err)
	}
}

func TestDeclareAndName_Text(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"trimmed", "  fix it \n", "fix it"},
		{"one line", "a\n\tb\u2028c   d", "a b c d"},
		{"control characters and direction overrides go", "a\x1b[31mb\u202e\x00", "a[31mb"},
		{"joiners stay, words are spelled with them", "می\u200cخواهم", "می\u200cخواهم"},
		{"invalid UTF-8", "a\xffb", "a\uFFFDb"},
		{"200 characters", strings.Repeat("ü", 200), strings.Repeat("ü", 200)},
		{"201 are cut", strings.Repeat("ü", 201), strings.Repeat("ü", 199) + "…"},
		{"empty", " \n\t", ""},
		{"nothing to see", "\u200d\u200b\x00", ""},
	} {
		s := testSession(t, t.TempDir(), "s")
		e, err := s.DeclareTask(context.Background(), c.text)
		_, err2 := s.NameSession(context.Background(), c.text)
		if e.Text != c.want || errors.Is(err, ErrEmptyText) != (c.want == "") || (err2 != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v, %v", c.reason, e.Text, err, err2)
		}
		if c.want != "" {
			if diff := cmp.Diff([]string{c.want, c.want}, texts(mustEvents(t, s))); diff != "" {
				t.Errorf("%s: %s", c.reason, diff)
			}
		}
	}
}
