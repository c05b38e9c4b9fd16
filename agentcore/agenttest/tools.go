package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/stophook/stophook/agentcore/tool"
)

// jobs is what the tools of a scenario do, and what lets those go that wait.
type jobs struct {
	mu       sync.Mutex
	released map[string]chan struct{}
	ended    map[string]chan struct{}
}

func newJobs() *jobs {
	return &jobs{released: map[string]chan struct{}{}, ended: map[string]chan struct{}{}}
}

// gate gives the channel of a name, made when it is first asked for.
func (j *jobs) gate(set map[string]chan struct{}, name string) chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	if set[name] == nil {
		set[name] = make(chan struct{})
	}
	return set[name]
}

// open closes the channel of a name, once.
func (j *jobs) open(set map[string]chan struct{}, name string) {
	c := j.gate(set, name)
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
}

func (j *jobs) release(name string) { j.open(j.released, name) }

// finish lets everything go at a scenario's end.
func (j *jobs) finish(tools []Tool) {
	for _, t := range tools {
		j.release(t.Name)
	}
}

func (j *jobs) tool(t Tool) (tool.Tool, error) {
	schema := `{"type":"object"}`
	if t.Needs != "" {
		schema = `{"type":"object","properties":{"` + t.Needs + `":{"type":"string"}},"required":["` + t.Needs + `"],"additionalProperties":false}`
	}
	var opts []tool.Option
	if t.ReadOnly {
		opts = append(opts, tool.ReadOnly())
	}
	if t.Parallel {
		opts = append(opts, tool.Parallel())
	}
	return tool.FromSchema(t.Name, "a tool of the scenario", json.RawMessage(schema), func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		defer j.open(j.ended, t.Name)
		return j.work(ctx, t, c)
	}, opts...)
}

// settle lets everything else come to rest. In a bubble of synctest a sleep ends when
// nothing else can go on, so that what happens in the goroutine of a call stands
// behind what the reader was shown before.
func settle() { time.Sleep(time.Nanosecond) }

func (j *jobs) work(ctx context.Context, t Tool, c *tool.Call) (*tool.Result, error) {
	settle()
	if t.After != "" {
		select {
		case <-j.gate(j.ended, t.After):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	switch {
	case t.Block && t.Stubborn:
		<-j.gate(j.released, t.Name)
	case t.Block:
		select {
		case <-j.gate(j.released, t.Name):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	case t.Panic != "":
		panic(t.Panic)
	case t.Error != "":
		return nil, errors.New(t.Error)
	}
	return &tool.Result{Text: strings.ReplaceAll(t.Text, "{{input}}", string(c.Input)), IsError: t.IsError, StopTurn: t.StopTurn}, nil
}
