package agenttest

import (
	"bytes"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/tool"
)

// Setup is agent.yaml.
type Setup struct {
	System    string     `yaml:"system"`
	Tools     []Tool     `yaml:"tools"`
	Gate      *Gate      `yaml:"gate"`
	Ask       string     `yaml:"ask"` // yes or no: how questions are answered; empty: nobody is there
	Bus       []Handler  `yaml:"bus"`
	Subagents []Subagent `yaml:"subagents"`
	Behavior  Behavior   `yaml:"behavior"`
	Retry     bool       `yaml:"retry"` // with waits of no time
	Exec      bool       `yaml:"exec"`  // a mock context, whose calls are shown
	// Background adds the built-in tools on a mock context; its calls are not shown.
	Background *Background `yaml:"background"`

	// Prices in dollars for a million tokens, by the model's name.
	Prices map[string]struct {
		Input  float64 `yaml:"input"`
		Output float64 `yaml:"output"`
	} `yaml:"prices"`
}

// Tool is a tool that does what it says here. Its input is any object.
type Tool struct {
	Name     string `yaml:"name"`
	Text     string `yaml:"text"` // of its result; {{input}} is the call's input
	IsError  bool   `yaml:"is_error"`
	Needs    string `yaml:"needs"` // a property that the schema requires, a string
	Parallel bool   `yaml:"parallel"`
	ReadOnly bool   `yaml:"read_only"`

	Panic    string `yaml:"panic"`
	Error    string `yaml:"error"`    // a Go error, which ends the run
	StopTurn bool   `yaml:"stop"`     // ends the run in order
	Block    bool   `yaml:"block"`    // until it is released or cancelled
	Stubborn bool   `yaml:"stubborn"` // with block: does not end when it is cancelled
	After    string `yaml:"after"`    // waits until another tool has ended
}

// Gate is a permission gate: rules, or one that fails.
type Gate struct {
	Mode  tool.Mode `yaml:"mode"`
	Allow []string  `yaml:"allow"`
	Ask   []string  `yaml:"ask"`
	Deny  []string  `yaml:"deny"`
	Fail  bool      `yaml:"fail"`
}

// Handler is a handler of the bus.
type Handler struct {
	Point  string              `yaml:"point"`  // tool:gate, stop, tool:transform, context:transform, system:before, tool:after, …
	Tool   string              `yaml:"tool"`   // only for calls of this tool
	Refuse string              `yaml:"refuse"` // gates: the reason
	Times  int                 `yaml:"times"`  // how often; 0: always
	Text   string              `yaml:"text"`   // what a transform puts in place
	Fail   string              `yaml:"fail"`   // error or panic
	Show   bool                `yaml:"show"`   // a line among the events
	Child  bool                `yaml:"child"`  // hears the point of subagents
	Abort  agentcore.SafePoint `yaml:"abort"`  // aborts the run there
}

// Subagent is a kind of subagent.
type Subagent struct {
	Name        string   `yaml:"name"`
	System      string   `yaml:"system"`
	Tools       []string `yaml:"tools"`
	MaxTurns    int      `yaml:"max_turns"`
	ShareHandle bool     `yaml:"share_handle"`
}

// Behavior are the limits.
type Behavior struct {
	MaxTurns     int           `yaml:"max_turns"`
	MaxTokens    int64         `yaml:"max_tokens"`
	MaxCostUSD   float64       `yaml:"max_cost"`
	MaxDuration  time.Duration `yaml:"max_duration"`
	MaxParallel  int           `yaml:"max_parallel"`
	MaxContinues int           `yaml:"max_continues"`
	StopBlockCap int           `yaml:"stop_block_cap"`
	MaxDepth     int           `yaml:"max_depth"`
	CancelGrace  time.Duration `yaml:"cancel_grace"`
}

// Step is one entry of play.yaml: a run, or what is done between two.
type Step struct {
	Prompt   string   `yaml:"prompt"`
	Resume   bool     `yaml:"resume"` // a run without a prompt
	Do       []Action `yaml:"do"`
	Steer    string   `yaml:"steer"`     // between runs
	FollowUp string   `yaml:"follow_up"` // between runs
	Reopen   bool     `yaml:"reopen"`    // as after a restart of the program
	Tear     bool     `yaml:"tear"`      // with reopen: the last row is torn off in the middle
	Destroy  bool     `yaml:"destroy"`

	Exit    string        `yaml:"exit"`    // a task ends, as in bash_1 0
	Kill    string        `yaml:"kill"`    // the host ends a task
	Wait    bool          `yaml:"wait"`    // until an end should wake the agent
	Pass    time.Duration `yaml:"pass"`    // time
	Deliver string        `yaml:"deliver"` // a message that cannot wait
}

// Action happens when an event comes; each once.
type Action struct {
	When     string              `yaml:"when"` // the beginning of an event's line, as in want.events
	And      string              `yaml:"and"`  // and when this one has come as well, in any order
	Steer    string              `yaml:"steer"`
	FollowUp string              `yaml:"follow_up"`
	Abort    agentcore.SafePoint `yaml:"abort"`
	Cancel   string              `yaml:"cancel"`  // the call of this tool
	Release  string              `yaml:"release"` // a tool that blocks, or a step of the script that waits
	Leave    bool                `yaml:"leave"`   // the reader leaves
	Crash    bool                `yaml:"crash"`   // the program dies: what is written afterwards is gone
	EndCtx   bool                `yaml:"end_context"`
	Exit     string              `yaml:"exit"`    // as in Step
	Deliver  string              `yaml:"deliver"` // as in Step
}

// decode reads YAML strictly: a key that is unknown is an error.
func decode(name string, data []byte, into any) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (b Behavior) behavior() agentcore.Behavior {
	return agentcore.Behavior{MaxTurns: b.MaxTurns, MaxTotalTokens: b.MaxTokens, MaxCostUSD: b.MaxCostUSD, MaxDuration: b.MaxDuration,
		MaxParallel: b.MaxParallel, MaxContinues: b.MaxContinues, StopBlockCap: b.StopBlockCap, MaxDepth: b.MaxDepth, CancelGrace: b.CancelGrace}
}

func (s *Setup) prices() map[string]model.Price {
	prices := map[string]model.Price{}
	for name, p := range s.Prices {
		prices[name] = model.Price{Input: p.Input, Output: p.Output}
	}
	return prices
}
