// Package tool is what a model can do: tools, their input schemas, and the
// registry that a session offers.
//
// # Where to start
//
// New makes a [Tool] from a function with a typed input; NewRegistry collects
// them. agentcore/tool/builtin has the tools that a coding agent needs.
//
// # What the caller decides
//
// Which tools a session has, where they run ([Env]), which paths they may touch
// (Paths), and whether a call is allowed at all (Gate).
//
// # What is promised
//
//   - Input is validated before the function sees it. Bad input, an unknown tool
//     and a panic become error results that tell the model what to do; they are
//     never Go errors, and never end a session.
//   - A Go error of a tool's function ends the run: it is for what the model
//     cannot mend.
//   - Output is bounded; what is cut is said, head and tail are kept.
//   - A gate can only be made tighter by adding another.
package tool
