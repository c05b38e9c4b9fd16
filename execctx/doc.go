// Package execctx says where an agent's shell work runs, and keeps track of it.
//
// An [ExecutionContext] runs commands for the agents that hold one of its
// handles. A command runs in the foreground, and the caller waits, or in the
// background as a task: the call returns as soon as the process was started, the
// output goes to one log file, and the end is told by a callback (push), found
// by listing (pull), or waited for.
//
// # Where to start
//
// [NewProcess] runs commands as child processes of this program; its tasks end
// with it. Package execctx/supervised runs each task under a small supervisor of
// its own, so that tasks outlive the program. [NewMock] runs nothing and does
// what a test tells it to.
//
// Background work is optional: a context implements some of [BackgroundExecutor],
// [BackgroundKiller], [BackgroundLister], [BackgroundWaiter],
// [BackgroundReassigner] and [ForegroundStarter], and [As] finds which. [Launch],
// [Kill], [List], [Wait] and [Reassign] do the finding and answer with an error
// that says what the context cannot do; none of them falls back to something
// else in silence (EX-1).
//
// # What the caller decides
//
// Where output files lie ([LaunchRequest.OutputDir]), how much of them is kept,
// after how much silence a task counts as stalled, how many tasks may run at
// once, the environment that commands see, and when [ExecutionContext.Destroy]
// is called: it ends every task of the handle, always.
//
// # What is promised
//
//   - A task has one exit. Its callback is called once, after the last byte of
//     output is in the file and the file is closed, and before a wait or a kill
//     of that task returns (EX-41, EX-43, D-24).
//   - A kill reaches the whole process group, first SIGTERM, after a grace SIGKILL
//     (EX-5, D-15). A command that makes itself a daemon escapes the group; that
//     is noticed and said in [ExitInfo.Warnings], and not prevented (EX-51).
//   - Terminated tasks stay listed until the handle is destroyed (EX-6), files
//     stay on disk after it (EX-49).
//   - An exit code is never invented. A task whose end nobody saw is [StatusLost].
//   - A handle sees its own tasks only. Nothing moves from one context to
//     another; a new one starts empty (EX-50).
//
// Every context of this module passes the suite in execctx/exectest, which
// implementations elsewhere can run as well.
package execctx
