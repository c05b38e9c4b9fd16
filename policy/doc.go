// Package policy turns what a session did into a verdict: it builds the input
// document, evaluates the Rego policies, and carries out the answer.
//
// Start with [Gate]: it decides one hook event. [Gate.Evaluate] gathers the facts
// and asks the policies without changing anything; [Gate.Carry] counts a block
// before it is given and performs the other effects. A program that has its own
// facts can use the parts: [BuildInput] makes the document, [NewEngine] loads the
// policies and [Engine.Decide] asks them. [LoadConfig] reads the configuration.
//
// What the caller decides: which layers of policies are in force and in what
// order, the clock, where state is kept, and how the agent can call stophook.
//
// What is promised:
//
//   - Rego is the one authority for verdicts. Go says what was seen and carries
//     out what was decided; only when the policies cannot answer at all does Go
//     let the turn end by itself ([Fallback]), and says so.
//   - The input document is versioned; fields are only added.
//   - A lower layer can add demands and never take away those of a higher one.
//   - No block is given that was not counted first, and never more than the cap
//     in one cycle (D-38).
//   - Our own failure never holds an agent and never looks like an allow by
//     policy: it has its own code, a message for the person, and a log entry.
//
// The rules are those of docs/requirements.md (PO-, RG-, CL-, D-).
package policy
