// Package supervised is an execution context whose background tasks outlive the
// program that launched them, on one machine.
//
// # Where to start
//
// Call [RunIfSupervisor] first in main: this program is also the supervisor of its
// tasks. [New] gives a context on a folder, the store; any program that opens the
// same store finds its tasks. [Context.Spawn] with a known HandleID binds to the
// tasks of an earlier process, or of another one that runs now.
//
// # How it works
//
// Each task has a folder in the store and a supervisor, a small process in a
// session of its own. The supervisor starts the command, takes its output into
// one log file, and writes how it ended. It holds a lock for life: a task runs as
// long as its lock is held, and for no other reason. That a process with some
// number exists is never taken for a sign of life.
//
// Records are replaced as a whole and are on disk before a launch returns, and
// before a wait does. The environment of a command is in none of them: it goes
// through a pipe.
//
// # What the caller decides
//
// Where the store lies, one for each session; when tasks are ended:
// [Context.Destroy] ends every task of a handle and forgets it, always.
// [Context.Close] lets go of the tasks and ends none, as does a program that just
// ends or is killed. When old records go: [Context.Prune].
//
// # What is promised
//
//   - Tasks survive the death of the program, at any moment of its life (EX-81).
//     A program that is killed during a launch leaves a task or no task, never
//     half a one, and no process that nobody can find.
//   - Nothing is pushed: callbacks of requests are never called (EX-80). List and
//     wait find exits. A wait is woken by the system on Linux; elsewhere it looks
//     again every now and then. OnStall is never called either; the time of a
//     log's last change is when output came last.
//   - An exit code is never invented. When a supervisor was killed, or the machine
//     restarted, its task is lost: no code, no time of its end, and warnings that
//     say what is known, the supervisor's last heartbeat among it. What then
//     still runs of the command can be ended with Kill on Linux, where it is
//     recognised by a mark in its environment and by
//     the start time of the process, not by a number alone.
//   - Ids are never given twice in a store. Two programs on one handle see the
//     same tasks; one of several that reassign a task at once gets it.
//
// A command is told to end with SIGTERM when its supervisor dies (Linux). Only the
// leader of the group is told: what it started may go on. Stores need a local file
// system with flock and named pipes. Where there is none of that, on Windows, New
// fails.
package supervised
