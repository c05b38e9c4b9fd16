package replay_test

import (
	"context"
	"fmt"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/replay"
)

// What would the shipped policy have done to a recorded session, and what with a
// lower cap?
func Example() {
	paths := []string{"../../fixtures/captures/e-block-with-tools-stop13"}
	opts := replay.Options{Config: policy.DefaultConfig()}
	result, err := replay.Run(context.Background(), paths, opts)
	if err != nil {
		panic(err)
	}
	t := result.Totals
	fmt.Printf("%d stops: %d allowed, %d blocked; longest chain %d, from line %d\n",
		t.Stops, t.Allow, t.Block, t.LongestChain.Length, t.LongestChain.Lines[0])

	strict := opts
	strict.Config.RemediationCap = 2
	comparison, err := replay.Diff(context.Background(), paths, opts, strict)
	if err != nil {
		panic(err)
	}
	for _, c := range comparison.Changes[:2] {
		fmt.Printf("line %d: %s, %s instead of %s\n", c.Line, c.Kind, c.Head.Code, c.Base.Code)
	}
	// Output:
	// 13 stops: 3 allowed, 10 blocked; longest chain 5, from line 11
	// line 25: lifted_block, stop-hook.remediation_cap instead of stop-hook.status_check_missing
	// line 67: lifted_block, stop-hook.remediation_cap instead of stop-hook.status_check_missing
}
