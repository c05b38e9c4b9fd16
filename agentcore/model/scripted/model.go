package scripted

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/stophook/stophook/agentcore/model"
)

// ErrOver is in the chain of the error of a request that no step was left for.
var ErrOver = errors.New("the script is over")

// ExpectError is in the chain of the error of a request that was not as its step
// expects.
type ExpectError struct {
	Step      string // number, name, file and line
	What      string // of the request
	Want, Got string
}

func (e *ExpectError) Error() string {
	return fmt.Sprintf("%s expects %s %s, got %s", e.Step, e.What, e.Want, e.Got)
}

// Model plays a script. It is a [model.Model].
type Model struct {
	script Script
	file   string
	steps  []compiled

	mu       sync.Mutex
	played   []bool // by step; begins anew with Repeat
	times    []int  // played at all
	found    map[string]string
	requests []Call
	failures []error
	gates    map[string]*gate
}

type compiled struct {
	when, expect *matcher
}

// Call is one request that was made.
type Call struct {
	Request *model.Request // a copy
	Step    int            // that answered, from 1; 0: none did
	Name    string         // of the step
}

// gate is one name that steps wait for.
type gate struct {
	reached, open chan struct{}
	isReached     bool
	isOpen        bool
}

// Play makes a model of steps. It panics when a pattern is none: scripts in Go
// are constants.
func Play(steps ...Step) *Model {
	m, err := New(Script{Steps: steps})
	if err != nil {
		panic(err)
	}
	return m
}

// New makes a model of a script.
func New(s Script) (*Model, error) { return newModel("", s) }

func newModel(file string, s Script) (*Model, error) {
	m := &Model{script: s, file: file, played: make([]bool, len(s.Steps)), times: make([]int, len(s.Steps)), found: map[string]string{}, gates: map[string]*gate{}}
	for i, step := range s.Steps {
		if err := step.validate(); err != nil {
			return nil, fmt.Errorf("scripted: %s: %w", m.label(i), err)
		}
		when, err := compile(step.When)
		if err != nil {
			return nil, fmt.Errorf("scripted: %s: when: %w", m.label(i), err)
		}
		expect, err := compile(step.Expect)
		if err != nil {
			return nil, fmt.Errorf("scripted: %s: expect: %w", m.label(i), err)
		}
		m.steps = append(m.steps, compiled{when, expect})
	}
	return m, nil
}

// Stream answers with the next step that fits.
func (m *Model) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		if ctx.Err() != nil {
			yield(model.Event{}, model.Aborted(ctx, nil))
			return
		}
		p, err := m.begin(req)
		if err != nil {
			yield(model.Event{}, err)
			return
		}
		p.yield = yield
		p.play(ctx)
	}
}

// begin chooses the step, notes the request, holds it to what is expected, and
// makes the answer.
func (m *Model) begin(req *model.Request) (*player, *model.Error) {
	i, failed := m.take(req)
	if failed != nil {
		return nil, failed
	}
	step := m.script.Steps[i]
	if step.Answer != nil { // without the lock: it may ask for Requests
		step = step.Answer(req)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := step.validate(); err != nil {
		return nil, m.fail(fmt.Errorf("%s: %w", m.label(i), err))
	}
	return &player{model: m, step: step, message: m.message(i, step, req)}, nil
}

func (m *Model) take(req *model.Request) (int, *model.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.choose(req)
	if i < 0 && m.script.Repeat {
		clear(m.played)
		i = m.choose(req)
	}
	m.note(req, i)
	if i < 0 {
		return -1, m.fail(fmt.Errorf("%w: no step is left for request %s: add a step, or `repeat: true`", ErrOver, describe(req)))
	}
	m.played[i] = true
	m.times[i]++
	m.steps[i].when.match(req, m.found)
	if bad := m.steps[i].expect.match(req, m.found); bad != nil {
		return -1, m.fail(&ExpectError{m.label(i), bad.what, bad.want, bad.got})
	}
	return i, nil
}

// choose gives the first step for requests like this one, else the first for
// any, else -1.
func (m *Model) choose(req *model.Request) int {
	general := -1
	for i := range m.steps {
		switch {
		case m.played[i] && !m.script.Steps[i].Always:
		case m.steps[i].when == nil:
			if general < 0 {
				general = i
			}
		case m.steps[i].when.match(req, nil) == nil:
			return i
		}
	}
	return general
}

func (m *Model) note(req *model.Request, i int) {
	if m.script.Forget {
		return
	}
	call := Call{Request: clone(req), Step: i + 1}
	if i >= 0 {
		call.Name = m.script.Steps[i].Name
	}
	m.requests = append(m.requests, call)
}

// fail keeps the failure for Err, and makes it one that is not tried again.
func (m *Model) fail(err error) *model.Error {
	m.failures = append(m.failures, err)
	return &model.Error{Kind: model.KindInvalid, Type: "scripted", Message: err.Error(), Err: err}
}

// label names a step for people.
func (m *Model) label(i int) string {
	text := fmt.Sprintf("step %d", i+1)
	step := m.script.Steps[i]
	if step.Name != "" {
		text += fmt.Sprintf(" (%s)", step.Name)
	}
	if m.file != "" {
		text = fmt.Sprintf("%s:%d: %s", m.file, step.line, text)
	}
	return text
}

// describe names a request for people.
func describe(req *model.Request) string {
	last := model.Message{}
	if n := len(req.Messages); n > 0 {
		last = req.Messages[n-1]
	}
	text := fmt.Sprintf("with %d messages, of which the last says %s", len(req.Messages), quote(joined(last, func(model.Block) bool { return true })))
	if req.System != "" {
		first, _, _ := strings.Cut(req.System, "\n")
		text += ", system prompt " + quote(first)
	}
	return text
}

// Requests gives the calls so far, in the order in which they came.
func (m *Model) Requests() []Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Call(nil), m.requests...)
}

// Err joins the failures of the script itself: requests that were not as
// expected or that no step was left for. Failures that steps play are none.
func (m *Model) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return errors.Join(m.failures...)
}

// Done gives Err, or an error that names the steps that were never played.
func (m *Model) Done() error {
	if err := m.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var left []string
	for i, n := range m.times {
		if n == 0 && !m.script.Steps[i].Always && !m.script.Repeat {
			left = append(left, m.label(i))
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("scripted: never played: %s", strings.Join(left, ", "))
}

// Release lets steps go that wait for name, those that wait now and those that
// come later.
func (m *Model) Release(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if g := m.gate(name); !g.isOpen {
		g.isOpen = true
		close(g.open)
	}
}

// Reached gives a channel that is closed once a step waits for name.
func (m *Model) Reached(name string) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.gate(name).reached
}

// arrive is a step's own side of Reached and Release.
func (m *Model) arrive(name string) (open <-chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g := m.gate(name)
	if !g.isReached {
		g.isReached = true
		close(g.reached)
	}
	return g.open
}

// gate makes channels where they are used first, so that they belong to the
// test's bubble when there is one.
func (m *Model) gate(name string) *gate {
	g := m.gates[name]
	if g == nil {
		g = &gate{reached: make(chan struct{}), open: make(chan struct{})}
		m.gates[name] = g
	}
	return g
}
