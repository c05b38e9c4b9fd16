package hook

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/hookio"
)

// Whatever hooks say, and however they fail: the strictest permission counts, one
// block blocks, a failure adds nothing but itself, and words keep the settings' order.
func TestAggregate_RT50_RT52_property(t *testing.T) {
	ranks := []hookio.Permission{"", hookio.PermitAllow, hookio.PermitAsk, hookio.PermitDeny}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "hooks")
		event := rapid.SampledFrom([]hookio.EventName{hookio.Stop, hookio.PreToolUse}).Draw(t, "event")
		hooks, results := make([]configured, n), make([]Result, n)
		strictest, failures, end := 0, 0, false
		var blocks, context []string
		for i := range n {
			word := string(rune('a' + i))
			hooks[i].command = word
			if rapid.Bool().Draw(t, "fails") {
				failures++
				results[i].Failure = &Failure{Problem: "p"}
				// What a failed hook might have said must not count.
				results[i].Reply = hookio.Reply{Fault: "p"}
				if hooks[i].block = rapid.Bool().Draw(t, "onFailure"); hooks[i].block && event == hookio.PreToolUse {
					strictest = 3
				}
				continue
			}
			r := &results[i].Reply
			if r.Context = rapid.SampledFrom([]string{"", "c" + word}).Draw(t, "context"); r.Context != "" {
				context = append(context, r.Context)
			}
			if r.End = rapid.Bool().Draw(t, "end"); r.End {
				end = true
			}
			if event == hookio.PreToolUse {
				rank := rapid.IntRange(0, 3).Draw(t, "rank")
				r.Permission, strictest = ranks[rank], max(strictest, rank)
				r.PermissionReason = "r" + word
				if rank < 3 {
					r.UpdatedInput = []byte(`{}`)
				}
			} else if r.Block = rapid.Bool().Draw(t, "block"); r.Block {
				r.Reason = "r" + word
				blocks = append(blocks, r.Reason)
			}
		}
		out := aggregate(event, hooks, results)
		if out.Permission != ranks[strictest] || out.Stopped() != end || len(out.Failures) != failures || !slices.Equal(out.Context, context) {
			t.Fatalf("%+v; want permission %q, end %v, %d failures, context %q", out, ranks[strictest], end, failures, context)
		}
		if deny := strictest == 3; out.Block != (deny || len(blocks) > 0) || out.Block && out.Reason == "" || deny && out.UpdatedInput != nil {
			t.Fatalf("%+v", out)
		}
		if event == hookio.Stop && out.Reason != strings.Join(blocks, "\n\n") {
			t.Fatalf("reason %q of %q", out.Reason, blocks)
		}
		for i := 1; i < n; i++ {
			a, b := strings.Index(out.PermissionReason, "r"+hooks[i-1].command), strings.Index(out.PermissionReason, "r"+hooks[i].command)
			if a >= 0 && b >= 0 && a > b {
				t.Fatalf("%q is out of order", out.PermissionReason)
			}
		}
	})
}
