// Package anthropic is the adapter to Anthropic's Messages API, on the official
// Go SDK.
//
// # Where to start
//
// [New] makes a [Client], which is a model.Model. Put model.Retry around it: the
// SDK's own retries are off, because they are silent and know nothing of an
// answer that broke half-way.
//
// # What the caller decides
//
// The key, the address, the model and the way of thinking. Nothing is read from
// the environment or from profiles on disk, unlike the SDK by itself does; only
// the default HTTP client honours the usual proxy variables. Bring an own
// HTTPClient to change that.
//
// # What is promised
//
//   - Blocks go back to the API as they came: thinking with its signature,
//     redacted thinking, and blocks and fields that are unknown here. They pass
//     the SDK as bytes, in both directions, so a newer API than the SDK's is no
//     loss.
//   - A tool input that is no JSON is carried as the model sent it, see
//     model.Block.Input, and goes back wrapped in an object, see
//     model.Block.InputObject.
//   - The final message comes with message_stop and not before. Unknown events
//     and pings are passed over.
//   - What the API refuses to take is left out of a request: empty text, messages
//     without content, thinking without a signature (it is another API's) or at
//     the end of a message, and blocks of the openai adapter. Ids of tool calls that other APIs gave are
//     written with the characters that this one allows.
//   - The key is in no error.
package anthropic
