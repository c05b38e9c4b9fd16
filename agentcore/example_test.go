package agentcore_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
)

// An agent with one tool, over a scripted model. A real one is made by
// agentcore/model/anthropic or agentcore/model/openai, with model.Retry around it.
func Example() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := session.NewStore(session.Options{Root: dir})
	if err != nil {
		log.Fatal(err)
	}
	s, err := store.Create(session.Meta{CWD: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	type weather struct {
		City string `json:"city" jsonschema:"the city's name"`
	}
	forecast, err := tool.New("forecast", "tells the weather of tomorrow", func(_ context.Context, _ *tool.Call, in weather) (*tool.Result, error) {
		return &tool.Result{Text: "Sun in " + in.City}, nil
	}, tool.ReadOnly())
	if err != nil {
		log.Fatal(err)
	}
	script := scripted.Play(
		scripted.Step{Tools: []scripted.Tool{{Name: "forecast", Input: scripted.Object(weather{City: "Lima"})}}},
		scripted.Step{Expect: &scripted.Match{ToolResult: "Sun"}, Text: "Take a hat."})
	agent, err := agentcore.New(agentcore.Config{Model: script, Session: s, Tools: []tool.Tool{forecast}})
	if err != nil {
		log.Fatal(err)
	}
	defer agent.Destroy(context.Background())

	for e, err := range agent.Run(context.Background(), agentcore.RunOptions{Prompt: "what do I wear in Lima?"}) {
		if err != nil {
			log.Fatal(err) // the run could not begin
		}
		switch e.Kind {
		case agentcore.EventToolResult:
			fmt.Println(e.Tool+":", e.Text)
		case agentcore.EventMessage:
			fmt.Println(e.Message.FinalText())
		case agentcore.EventResult:
			fmt.Println(e.Result.End, e.Result.Turns, "turns")
		}
	}
	// Output:
	// forecast: Sun in Lima
	// Take a hat.
	// completed 2 turns
}

// A handler of the bus that refuses calls, in subagents too.
func ExampleConfig_bus() {
	bus := hook.NewBus(func(e *hook.HandlerError) { log.Print(e) })
	hook.On(bus, hook.ToolGate, func(_ context.Context, p *hook.ToolGatePayload) error {
		if p.Name == "shell" && p.Depth > 0 {
			p.Refuse("subagents run no commands")
		}
		return nil
	})
	_ = agentcore.Config{Bus: bus}
	// Output:
}
