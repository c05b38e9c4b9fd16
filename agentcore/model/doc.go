// Package model is the seam to language models: what is asked, what is streamed
// back, and how it fails.
//
// # Where to start
//
// A [Model] has one method, Stream. Adapters are agentcore/model/anthropic (the
// Messages API), agentcore/model/openai (Responses and Chat) and
// agentcore/model/scripted, which plays a list and is what tests and
// demonstrations use. [Retry] puts backoff around any of them, [Collect] reads a
// stream to its end.
//
// # What the caller decides
//
// Model names, token limits, the thinking budget, which parts of a request are
// worth caching, how often a failure is tried again, and prices: none are built
// in, because they change.
//
// # What is promised
//
//   - A stream yields deltas and then exactly one final message, as its last
//     event. A stream that ends without one has failed with [KindIncomplete],
//     never with an empty answer.
//   - Deltas are for showing. The final message is whole by itself; nothing else
//     has to be kept.
//   - Every failure is an [*Error] that says what kind it is, whether trying
//     again can help, and what had come of the answer.
//   - Thinking blocks, with their signatures, and unknown blocks come back to the
//     model as they came.
//   - The types marshal to the wire form of the Messages API, which is also what
//     transcripts hold.
package model
