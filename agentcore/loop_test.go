package agentcore_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool"
)

func TestRun_toolsAndAnswer(t *testing.T) {
	s := setup(t, func(c *agentcore.Config) { c.Tools = []tool.Tool{echo()} },
		scripted.Step{Expect: &scripted.Match{Text: "say hi"}, Text: "Let me.", Tools: []scripted.Tool{use("echo", obj{"text": "hi"})}},
		scripted.Step{Expect: &scripted.Match{ToolResult: "hi"}, Text: "It said hi."})
	res := s.run("say hi", nil)
	s.done()
	if res.End != agentcore.EndCompleted || res.Text != "It said hi." || res.Turns != 2 || res.Calls != 1 {
		t.Errorf("result %+v", res)
	}
	if want := (model.Usage{InputTokens: 200, OutputTokens: 40}); res.Usage != want {
		t.Errorf("usage %+v, want %+v", res.Usage, want)
	}
	want := []agentcore.EventKind{"run_start", "prompt", "turn_start", "message", "tool_start", "tool_result", "turn_start", "message", "result"}
	if diff := cmp.Diff(want, s.kinds()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	var roles []string
	for _, m := range s.sess.Messages() {
		roles = append(roles, string(m.Role))
	}
	if got := strings.Join(roles, " "); got != "user assistant user assistant" {
		t.Errorf("roles %s", got)
	}
}
