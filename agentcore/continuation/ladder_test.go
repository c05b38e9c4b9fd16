package continuation_test

import (
	"testing"

	"github.com/stophook/stophook/agentcore/continuation"
)

func TestLadder_AC167(t *testing.T) {
	t.Parallel()
	for ending, want := range map[continuation.Ending]continuation.Rung{
		continuation.Success:              continuation.RungNudge,
		continuation.ErrorMaxTurns:        continuation.RungContinue,
		continuation.ErrorDuringExecution: continuation.RungRetry,
		continuation.ErrorMaxBudget:       continuation.RungStop,
		continuation.ErrorMaxOutput:       continuation.RungStop,
		"error_of_tomorrow":               continuation.RungStop,
		"":                                continuation.RungStop,
	} {
		if got := continuation.Ladder(ending); got != want {
			t.Errorf("Ladder(%q) = %s, want %s", ending, got, want)
		}
	}
}

func TestFromNative_AC167(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]continuation.Rung{
		"completed": continuation.RungNudge, "max_turns": continuation.RungContinue, "model_error": continuation.RungRetry,
		// Chosen by somebody, or nothing that more runs can help.
		"aborted": continuation.RungStop, "refusal": continuation.RungStop, "max_tokens": continuation.RungStop, "max_cost": continuation.RungStop,
		"max_duration": continuation.RungStop, "output_limit": continuation.RungStop, "context_full": continuation.RungStop,
		"hook_stopped": continuation.RungStop, "prompt_blocked": continuation.RungStop, "tool_stopped": continuation.RungStop,
		"failed": continuation.RungStop, "": continuation.RungStop,
	} {
		if got := continuation.Ladder(continuation.FromNative(end)); got != want {
			t.Errorf("the rung of %q is %s, want %s", end, got, want)
		}
	}
}

func TestContinuePrompt_AC167_saysNothingOfTasks(t *testing.T) {
	t.Parallel()
	for _, rung := range []continuation.Rung{continuation.RungContinue, continuation.RungRetry} {
		text := continuation.ContinuePrompt(rung)
		golden(t, "prompt_"+string(rung), text)
		saysNot(t, text, "background", "task", ".output")
	}
	for _, rung := range []continuation.Rung{continuation.RungNudge, continuation.RungStop, ""} {
		if text := continuation.ContinuePrompt(rung); text != "" {
			t.Errorf("%q has the prompt %q", rung, text)
		}
	}
}

func TestParseMode_D04(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]continuation.Mode{"": continuation.Headless, "headless": continuation.Headless, "interactive": continuation.Interactive} {
		if got, err := continuation.ParseMode(in); err != nil || got != want {
			t.Errorf("ParseMode(%q) = %q, %v", in, got, err)
		}
	}
	_, err := continuation.ParseMode("both")
	if err == nil {
		t.Fatal("both is a mode")
	}
	says(t, err.Error(), `"both"`, "headless", "interactive")
}
