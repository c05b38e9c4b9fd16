// Package e2e runs the real Claude Code against a Messages API that is played on
// the loopback interface, so that tests can assert what the client did with an
// answer of ours, and not only what we printed.
//
// Start with [Locate], which finds or installs the pinned client, then [NewStage]
// for one scenario: an [API] that follows a script, a home, a configuration folder
// and a project of its own, and the decision log. [Stage.Print] runs the client for
// one prompt, [Stage.Stream] talks with it.
//
// What the caller decides: the script of the model, what stands in the settings, and
// how long a scenario may take.
//
// What is promised:
//
//   - Nothing of the person's own set-up is read or written, and nothing leaves this
//     machine: own HOME and CLAUDE_CONFIG_DIR, a made-up key, a server on 127.0.0.1.
//     What an administrator put into /etc is in force all the same.
//   - A request that no reply of the script fits, and a reply that was never asked
//     for, fail the scenario: a client that behaves in a new way is noticed.
//   - No process and no port outlives a stage; a process that would is killed, named,
//     and fails the scenario.
//   - Nothing waits without a deadline, and no wait is a guess of how long something
//     takes, but for the two seconds that the client's own rule asks for.
//   - Where the client cannot be had, that is said with its reason ([ErrUnavailable]).
//
// The client is not free software. It is fetched by npm into a cache folder of the
// person who runs the tests; nothing of it is in this repository.
package e2e
