package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/session"
)

// AC-34, D-28: what was delivered is known again after a restart, by the mark of its
// row; a prompt that says the same is none, and a fork has told nobody anything.
func TestThread_Notifications_AC34_D28(t *testing.T) {
	store, err := session.NewStore(session.Options{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Create(session.Meta{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	const block = "<task-notification>\n<task-id>bash_1</task-id>\n</task-notification>"
	if _, err := s.UserRow(session.UserRow{Text: block, Origin: session.Origin{Kind: session.OriginNotification}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UserPrompt(session.Prompt{Text: block + " typed by somebody"}); err != nil {
		t.Fatal(err)
	}
	check := func(s *session.Session, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, s.Notifications()); diff != "" {
			t.Errorf("notifications (-want +got):\n%s", diff)
		}
	}
	check(s, block)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := store.Open(s.ID())
	if err != nil {
		t.Fatal(err)
	}
	check(again, block)
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	fork, err := store.Fork(s.ID(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	check(fork)
}
