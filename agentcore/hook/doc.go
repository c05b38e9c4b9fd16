// Package hook lets others look into a running agent and change what it does: Go
// code through a [Bus], and programs of the person through [Commands], the command
// hooks of a Claude-style settings file.
//
// Start with [NewBus] and [On]: a point is a constant, its payload a struct, so a
// handler is checked by the compiler. [Emit] runs the handlers of a point in the
// order of their registration. For command hooks, read the settings files with
// [LoadSettings], make a [Commands] of them, and call [Commands.Run] where the
// agent is at such a point.
//
// What a failing handler means follows from the payload (D-20). An observer's
// error or panic goes to the bus's reporter, and the others run. A gate (a payload
// with [Gated]) that cannot be asked refuses: it fails closed, with a reason that
// says so. A handler that changes a payload (with [Mutable]) works on a copy; when it
// fails, its copy is dropped and the value is what it was before that handler.
//
// A program's failure is another matter. Claude Code, whose contract [Commands]
// keeps, lets the action happen when a hook crashes, runs out of time or prints
// what it must not print. So does this package, but it never looks like an allow:
// it is a [Failure] of the [Outcome], for the person to see.
//
// The caller decides which points are emitted with what, what a block leads to,
// which variables hooks must not see, and who is shown the failures.
//
// Promised: an emit that nobody listens to allocates nothing; a hook's
// process group is gone when Run returns after a timeout or a cancel; no package
// state; the order of results is the order of the settings files.
//
// # More points
//
// A point is a constant of [Point] with a payload type of its own, in any package:
//
//	const BackgroundStart hook.Point[BackgroundStartPayload] = "background:start"
//
// Its payload embeds [IDs], and has the methods of [Gated] or [Mutable] when it is
// one of them. Nothing in this package has a list of points.
package hook
