package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
)

func Example() {
	m, err := scripted.Parse("session.yaml", []byte(`
- expect: {text: list the files}
  text: Let me look.
  tools:
    - {name: shell, input: {command: ls}}
- expect: {tool_result: main.go}
  text: There is one file.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	conversation := []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("Please list the files.")}}}
	for range 2 {
		answer, err := model.Collect(m.Stream(context.Background(), &model.Request{Messages: conversation}))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.FinalText())
		conversation = append(conversation, *answer)
		for _, call := range answer.ToolUses() {
			fmt.Println(call.Name, string(call.Input))
			conversation = append(conversation, model.Message{Role: model.RoleUser, Content: []model.Block{model.ToolResult(call.ID, "main.go", false)}})
		}
	}
	fmt.Println(m.Done())
	// Output:
	// Let me look.
	// shell {"command":"ls"}
	// There is one file.
	// <nil>
}

// A request that is not as the script expects says where and why.
func Example_unexpected() {
	m, err := scripted.Parse("session.yaml", []byte("- {name: greeting, expect: {text: Hello}, text: Hi!}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	request := &model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("Good morning")}}}}
	_, err = model.Collect(m.Stream(context.Background(), request))
	var expected *scripted.ExpectError
	fmt.Println(errors.As(err, &expected))
	fmt.Println(expected)
	// Output:
	// true
	// session.yaml:1: step 1 (greeting) expects the text of the last message with "Hello", got "Good morning"
}

// A test lets a step go when everything else stands where it wants it.
func ExampleModel_Release() {
	m := scripted.Play(scripted.Step{Text: "Done.", Wait: &scripted.Wait{Name: "tests ran"}})
	answer := make(chan string)
	go func() {
		msg, err := model.Collect(m.Stream(context.Background(), &model.Request{}))
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- msg.FinalText()
	}()
	<-m.Reached("tests ran")
	fmt.Println("the request has come, the answer has not")
	m.Release("tests ran")
	fmt.Println(<-answer)
	// Output:
	// the request has come, the answer has not
	// Done.
}

// A usage limit ends a call at once; what passes by itself is tried again.
func ExamplePlay_retry() {
	m := model.Retry(scripted.Play(
		scripted.Step{Error: &scripted.Failure{Kind: model.KindOverloaded, Message: "Overloaded"}},
		scripted.Step{Tools: []scripted.Tool{{Name: "shell", Input: scripted.Object(json.RawMessage(`{"command":"ls"}`))}}},
	), model.RetryOptions{Jitter: func() float64 { return 0 }})
	for event, err := range m.Stream(context.Background(), &model.Request{}) {
		switch {
		case err != nil:
			fmt.Println(err)
		case event.Restart != nil:
			fmt.Printf("attempt %d: %v\n", event.Restart.Attempt, event.Restart.Err)
		case event.Message != nil:
			fmt.Println(event.Message.StopReason, len(event.Message.ToolUses()))
		}
	}
	// Output:
	// attempt 2: model: overloaded: Overloaded
	// tool_use 1
}
