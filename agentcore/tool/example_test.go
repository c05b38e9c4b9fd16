package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stophook/stophook/agentcore/tool"
)

// A tool is a function with a typed input. What does not fit it is answered before
// the function is called.
func ExampleNew() {
	type input struct {
		Text  string `json:"text" jsonschema:"what to say"`
		Times int    `json:"times,omitempty" jsonschema:"how often"`
	}
	say, err := tool.New("say", "Says something.", func(_ context.Context, _ *tool.Call, in input) (*tool.Result, error) {
		return &tool.Result{Text: strings.Repeat(in.Text, max(1, in.Times))}, nil
	}, tool.ReadOnly())
	if err != nil {
		panic(err)
	}
	tools, err := tool.NewRegistry(say)
	if err != nil {
		panic(err)
	}
	for _, raw := range []string{`{"text": "ho", "times": 3}`, `{"txt": "ho", "times": "3"}`} {
		res, err := tools.Run(context.Background(), &tool.Call{ID: "call_1", Name: "say", Input: json.RawMessage(raw)})
		if err != nil {
			panic(err) // what the model cannot mend
		}
		fmt.Println(res.Text)
	}
	// Output:
	// hohoho
	// The input of say is not valid, and nothing was done:
	// - "times" must be an integer, got "3": write it without quotes
	// - missing property "text": a string
	// - unknown property "txt", did you mean "text"?
	// Expected: {"text": string, "times"?: integer}
}

// Rules of a settings file as a gate. Nobody is here to be asked, so what needs a
// question is denied.
func ExampleParseRules() {
	rules, err := tool.ParseRules(tool.RuleOptions{Allow: []string{"shell(go test:*)"}, Deny: []string{"shell(git push:*)"}})
	if err != nil {
		panic(err)
	}
	gate := tool.Asking(rules, nil)
	shell := tool.Tool{Name: "shell", SubjectKind: tool.SubjectCommand, Subject: func(input json.RawMessage) string { return string(input) }}
	for _, command := range []string{"go test ./... | go test -v", "go test ./... && rm -rf x", "sh -c 'git push'"} {
		d, _ := gate.Check(context.Background(), tool.Request{Tool: shell, Call: &tool.Call{Input: json.RawMessage(command)}})
		fmt.Println(d.Permission, "-", d.Reason)
	}
	// Output:
	// allow - rule shell(go test:*) allows it
	// deny - this needs a permission that nobody is here to give: no rule allows this call of shell
	// deny - rule shell(git push:*) denies it
}
