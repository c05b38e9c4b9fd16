package hook

import (
	"slices"
	"strings"

	"github.com/stophook/stophook/policy/hookio"
)

// aggregate says what all hooks say together. Results stand in the order of the
// settings, so the outcome does not depend on who was faster.
func aggregate(event hookio.EventName, hooks []configured, results []Result) Outcome {
	out := Outcome{Results: results}
	var reasons, stops []string
	permits := map[hookio.Permission][]string{}
	printed, suppressed, feedback := 0, 0, true
	for i := range results {
		r := reply(event, &hooks[i], &results[i], &out)
		if r.End {
			stop := false
			out.Continue = &stop
			stops = append(stops, r.StopReason)
		}
		if r.Block {
			out.Block = true
			reasons = append(reasons, r.Reason)
			feedback = feedback && r.Feedback
		}
		if r.Permission != "" {
			permits[r.Permission] = append(permits[r.Permission], r.PermissionReason)
		}
		if r.UpdatedInput != nil {
			out.UpdatedInput = r.UpdatedInput
		}
		out.Context = appendText(out.Context, r.Context)
		out.SystemMessages = appendText(out.SystemMessages, r.SystemMessage)
		if results[i].Stdout != "" {
			printed++
			if r.SuppressOutput {
				suppressed++
			}
		}
	}
	out.Feedback = out.Block && feedback
	out.Reason, out.StopReason = joined(reasons), joined(stops)
	out.SuppressOutput = printed > 0 && suppressed == printed
	for _, p := range []hookio.Permission{hookio.PermitDeny, hookio.PermitAsk, hookio.PermitAllow} {
		if why, said := permits[p]; said {
			out.Permission, out.PermissionReason = p, joined(why)
			break
		}
	}
	if out.Permission == hookio.PermitDeny {
		out.Block, out.Reason, out.UpdatedInput = true, out.PermissionReason, nil
	}
	return out
}

// reply is what counts of a hook: nothing of one that failed, but the block that its
// settings ask for then.
func reply(event hookio.EventName, h *configured, result *Result, out *Outcome) hookio.Reply {
	if result.Failure == nil {
		return result.Reply
	}
	out.Failures = append(out.Failures, *result.Failure)
	if !h.block {
		return hookio.Reply{}
	}
	reason := h.prefixed(result.Failure.Problem)
	switch event {
	case hookio.PreToolUse:
		return hookio.Reply{Permission: hookio.PermitDeny, PermissionReason: reason}
	case hookio.UserPromptSubmit, hookio.PostToolUse, hookio.PreCompact:
		return hookio.Reply{Block: true, Reason: reason}
	}
	return hookio.Reply{}
}

func appendText(list []string, text string) []string {
	if text == "" {
		return list
	}
	return append(list, text)
}

// joined puts texts below each other, each once: two hooks that say the same have
// said it once.
func joined(texts []string) string {
	var once []string
	for _, t := range texts {
		if t != "" && !slices.Contains(once, t) {
			once = append(once, t)
		}
	}
	return strings.Join(once, "\n\n")
}
