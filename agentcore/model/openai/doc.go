// Package openai is the adapter to OpenAI's Responses API and to Chat
// Completions, which many other servers speak, on the official Go SDK.
//
// # Where to start
//
// [New] makes a [Client], which is a model.Model. Options.API says which of the
// two it speaks; Responses is the default. Put model.Retry around it: the SDK's
// own retries are off.
//
// # What the caller decides
//
// The key, the address, the model and how much it reasons. Nothing is read from
// the environment; only the default HTTP client honours the usual proxy
// variables.
//
// # How messages map
//
//   - The system prompt is instructions (Responses) or the first message (Chat).
//   - A tool_use is a function call. A tool input that is no JSON object goes back
//     as model.Block.InputObject has it.
//   - A tool_result is the call's output. There is no field for IsError, so such
//     an output begins with the line "The tool call failed." Chat takes no images
//     there: they follow in a message of the user's.
//   - A reasoning item of Responses is a thinking block with the summary as its
//     text. The item is in its Raw and goes back as it came when it has encrypted
//     content: nothing is stored at OpenAI. Chat's reasoning_content is a thinking
//     block without a signature; it goes back only where
//     Options.ReturnReasoning says so.
//   - The phase of a Responses message (commentary, final_answer) is kept in Raw
//     of its text.
//   - Other items of a response become blocks of the type openai_item and go back
//     as they came.
//   - Left out of a request: thinking of other APIs and unknown blocks of theirs,
//     and empty texts.
//   - A refusal is text, with model.StopRefusal. So is an answer that a content
//     filter ended.
//   - Tools are functions with their schema as it is; strict mode is off, because
//     it takes only some schemas.
//   - Usage counts cached tokens apart, as model.Usage does; InputTokens are those
//     that were not cached. Reasoning is in OutputTokens.
//
// # What is promised
//
//   - The final message comes with response.completed or response.incomplete, or
//     with [DONE], and not before. Unknown events are passed over.
//   - The key is in no error.
package openai
