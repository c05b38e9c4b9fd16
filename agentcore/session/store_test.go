package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
)

func TestNewUUID(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	a, b := NewUUID(), NewUUID()
	if !form.MatchString(a) || a == b {
		t.Errorf("%s, %s", a, b)
	}
}

func TestNewStore_needsRoot(t *testing.T) {
	if _, err := NewStore(Options{}); err == nil || !strings.Contains(err.Error(), "Options.Root") {
		t.Errorf("error %v", err)
	}
}

func TestIDs_areFileNames(t *testing.T) {
	store := newStore(t)
	s := create(t, store)
	for _, id := range []string{"", "..", "a/b", `a\b`, "a b", "a.b", "\x00", "é", strings.Repeat("a", 129)} {
		_, openErr := store.Open(id)
		_, forkErr := store.Fork(id, "")
		deleteErr := store.Delete(id)
		_, subErr := s.Subagent(id, Meta{})
		for _, err := range []error{openErr, forkErr, deleteErr, subErr} {
			if err == nil || !strings.Contains(err.Error(), "letters, digits") {
				t.Errorf("%q: error %v", id, err)
			}
		}
		if id == "" {
			continue
		}
		if _, err := store.Create(Meta{ID: id}); err == nil {
			t.Errorf("%q was created", id)
		}
	}
}

func TestUnknownSession(t *testing.T) {
	store := newStore(t)
	_, openErr := store.Open("nobody")
	_, forkErr := store.Fork("nobody", "")
	for _, err := range []error{openErr, forkErr, store.Delete("nobody")} {
		missing, ok := errors.AsType[*NotFoundError](err)
		if !ok || missing.ID != "nobody" || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	}
	if list := got[[]Info](t)(store.List()); len(list) != 0 {
		t.Errorf("list: %v", list)
	}
}

func TestCreate_idIsTaken(t *testing.T) {
	store := newStore(t)
	s := create(t, store)
	if _, err := store.Create(Meta{ID: s.ID()}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	prompt(t, s.Thread, "still here")
}

func TestTasksDir_AC5(t *testing.T) {
	store := newStore(t)
	s := create(t, store)
	want := filepath.Join(store.Root(), "sessions", s.ID(), "tasks")
	if s.TasksDir() != want {
		t.Errorf("tasks are in %s, want %s", s.TasksDir(), want)
	}
	must(t, os.WriteFile(filepath.Join(want, "b1.output"), []byte("x"), 0o600))
	must(t, s.Close())
	must(t, store.Delete(s.ID()))
	if _, err := os.Stat(store.Dir(s.ID())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := store.Open(s.ID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestDelete_inUse_RT41(t *testing.T) {
	store := newStore(t)
	s := record(t, store)
	if _, ok := errors.AsType[*LockedError](store.Delete(s.ID())); !ok {
		t.Fatal("a session in use was deleted")
	}
	prompt(t, s.Thread, "still here")
	must(t, s.Close())
	must(t, os.Remove(s.Path())) // as if an earlier attempt had been cut off
	must(t, store.Delete(s.ID()))
	if list := got[[]Info](t)(store.List()); len(list) != 0 {
		t.Errorf("list: %v", list)
	}
}

func TestDelete_followsNoLink(t *testing.T) {
	store := newStore(t)
	s := create(t, store)
	must(t, s.Close())
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "precious"), nil, 0o600))
	if err := os.Symlink(outside, filepath.Join(s.TasksDir(), "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	must(t, os.Symlink(outside, store.Dir("linked")))
	must(t, store.Delete(s.ID()))
	if err := store.Delete("linked"); err == nil {
		t.Error("a link was deleted as a session")
	}
	if _, err := store.Open("linked"); err == nil {
		t.Error("a link was opened as a session")
	}
	if _, err := os.Stat(filepath.Join(outside, "precious")); err != nil {
		t.Error(err)
	}
}

func TestFork_RT42(t *testing.T) {
	store := newStore(t)
	s := record(t, store)
	must(t, s.Enqueue("later"))
	fork := got[*Session](t)(store.Fork(s.ID(), "")) // the original is in use
	defer fork.Close()
	if diff := cmp.Diff(show(s.Messages()), show(fork.Messages())); diff != "" {
		t.Errorf("messages (-original +fork):\n%s", diff)
	}
	if fork.ID() == s.ID() || fork.Meta().ForkOf != s.ID() || fork.Meta().Title != "A title" || fork.CWD() != "/work" || fork.Leaf() != s.Leaf() {
		t.Errorf("meta: %+v", fork.Meta())
	}
	if got := fork.Totals(); got != (Totals{Turns: 1}) || len(fork.Queued()) != 0 {
		t.Errorf("totals %+v, queued %v", got, fork.Queued())
	}
	for i, row := range strings.Split(strings.TrimSpace(readFile(t, fork.Path())), "\n") {
		if i > 0 && strings.Count(row, `"forkedFrom":{"sessionId":"`+s.ID()+`","messageUuid":"`) != 1 {
			t.Errorf("row %d: %s", i, row)
		}
		if strings.Count(row, `"sessionId":"`+fork.ID()) != 1 {
			t.Errorf("row %d has another session: %s", i, row)
		}
	}
	// A fork of a fork, which has rows of its own.
	own := prompt(t, fork.Thread, "go another way")
	answer(t, fork.Thread, "msg_9", model.StopEndTurn, model.Text("yes"))
	again := got[*Session](t)(store.Fork(fork.ID(), own))
	defer again.Close()
	messages := again.Messages()
	if last := messages[len(messages)-1]; last.Role != model.RoleUser || last.Content[len(last.Content)-1].Text != "go another way" {
		t.Errorf("the fork ends in %+v", last)
	}
	if got := fork.Totals(); got.ModelCalls != 1 || got.Turns != 2 {
		t.Errorf("totals of the fork: %+v", got)
	}
}

func TestFork_atNoRow(t *testing.T) {
	store := newStore(t)
	s := record(t, store)
	_, err := store.Fork(s.ID(), "nowhere")
	if missing, ok := errors.AsType[*NoRowError](err); !ok || missing.UUID != "nowhere" {
		t.Errorf("error %v", err)
	}
	if list := got[[]Info](t)(store.List()); len(list) != 1 {
		t.Errorf("a fork was left behind: %+v", list)
	}
}

// A fork in the middle of an answer has the calls that it copied, without
// results.
func TestFork_inAnAnswer_RT42(t *testing.T) {
	store := newStore(t)
	s := create(t, store)
	prompt(t, s.Thread, "go")
	at := answer(t, s.Thread, "msg_1", model.StopToolUse, use("call_1", "Bash", `{}`))
	must(t, s.ToolResults(ToolResult{CallID: "call_1", Text: "done"}))
	fork := got[*Session](t)(store.Fork(s.ID(), at))
	defer fork.Close()
	if open := fork.Damage().Unanswered; len(open) != 1 || !strings.Contains(show(fork.Messages()), "broken off") {
		t.Errorf("open calls %v, messages\n%s", open, show(fork.Messages()))
	}
	must(t, fork.ToolResults(ToolResult{CallID: "call_1", Text: "done here"}))
	if !strings.Contains(show(fork.Messages()), "done here") {
		t.Errorf("messages\n%s", show(fork.Messages()))
	}
}
