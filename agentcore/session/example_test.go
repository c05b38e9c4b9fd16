package session_test

import (
	"fmt"
	"os"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
)

// A process records half a turn and dies; the next one takes it up.
func Example() {
	root, err := os.MkdirTemp("", "sessions")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	store, err := session.NewStore(session.Options{Root: root})
	if err != nil {
		panic(err)
	}
	s, err := store.Create(session.Meta{ID: "demo", CWD: "/work", Model: "some-model"})
	if err != nil {
		panic(err)
	}
	s.UserPrompt(session.Prompt{Text: "How many files are there?"})
	s.Assistant(&model.Message{StopReason: model.StopToolUse, Content: []model.Block{
		{Type: model.BlockToolUse, ID: "call_1", Name: "Bash", Input: []byte(`{"command":"ls | wc -l"}`)},
	}}, "")
	s.Close() // or a crash

	s, err = store.Open("demo")
	if err != nil {
		panic(err)
	}
	defer s.Close()
	fmt.Println("unanswered:", s.Damage().Unanswered)
	for _, m := range s.Messages() {
		for _, b := range m.Content {
			fmt.Println(m.Role, b.Type, b.IsError)
		}
	}
	// Output:
	// unanswered: [call_1]
	// user text false
	// assistant tool_use false
	// user tool_result true
}
