package continuation

// Reader is whom an instruction is for. The zero value is a main agent of our own
// runtime that runs headless, with background tasks.
type Reader struct {
	Mode     Mode
	Dialect  Dialect
	Subagent bool
	// NoBackground: it cannot start tasks, so it is told of none (AC-2).
	NoBackground bool
	Tools        *Tools // of the native dialect; nil: [NativeTools]
}

// Instruction is the part of a system prompt about work that goes on after the call
// that started it has returned (AC-165). It speaks of anything that does, because no
// fold of calls sees what shell syntax puts into the background (AC-164): this text
// is all there is for that case.
//
// It says one thing of how a turn may end, that of its mode (D-04): collect first,
// or end and be woken.
func Instruction(r Reader) string {
	text := "# Work that keeps running\n\nThis is about anything that keeps running after the call that started it has returned: "
	if !r.NoBackground {
		text += "a command with run_in_background, and just as much "
	}
	text += "a trailing &, nohup, setsid or disown, a screen or tmux session, a detached container, " +
		"a service that you started, or a job on another machine.\n\n"
	switch {
	case r.NoBackground:
		return text + foregroundOnly
	case r.Subagent && r.Dialect == Claude:
		return text + r.claudeSubagent()
	case r.Subagent:
		return text + r.nativeSubagent()
	case r.Mode == Interactive:
		return text + r.interactive()
	}
	return text + r.headless()
}

const foregroundOnly = "Nobody watches it, and nothing tells you when it has ended. " +
	"So never end a turn by saying that you will wait or look later.\n\n" +
	"- Run commands in the foreground where you can.\n" +
	"- Where you cannot, wait before you end your turn, with a limit: for the process to end, or for the result that it makes.\n" +
	"- " + lastWords

const lastWords = "If something has to go on after your turn, say in your last message what runs, where its output is, and how to stop it."

// untracked is about work without an id. How it goes on depends on the reader.
const untracked = "Work without a task id is watched by nobody: start it as a task with run_in_background instead. " +
	"Where that cannot be, "

func (r Reader) headless() string {
	return "Nothing resumes your turn. When you end it, nobody comes back: no notification wakes you, and what still runs may end with you. " +
		"So never end a turn by saying that you will wait or look later.\n\n" +
		"- Before you end your turn, collect everything that you started." + r.collect() + "\n" +
		"- Do other work first. Do not start a command again only to see its output.\n" +
		"- " + untracked + "wait for it in the foreground, with a limit: for the process to end, or for the result that it makes.\n" +
		"- " + lastWords
}

func (r Reader) interactive() string {
	s := "When a task ends, a <task-notification> wakes you.\n\n" +
		"- After you started a task, go on with other work, or end your turn. Do not poll its output, and do not sleep.\n"
	if wait := r.waitTool(); wait != "" {
		s += "- Use " + wait + " only when your very next step needs the result.\n"
	}
	return s + "- " + untracked + "no notification will come: look after it yourself before you end your turn.\n" +
		"- When you end your turn while something runs, say what it is and what you will do when it has ended."
}

// claudeSubagent collects: what it leaves may end with it.
func (r Reader) claudeSubagent() string {
	return "You answer to another agent with your last message, and nothing wakes you after it. What still runs may end with you.\n\n" +
		"- Before you end, collect everything that you started." + r.collect() + "\n" +
		"- " + untracked + "wait for it in the foreground, with a limit.\n" +
		"- If something has to go on after you, give in your summary its task id, its output file, and how to stop it."
}

// nativeSubagent hands its tasks to its caller (AC-16).
func (r Reader) nativeSubagent() string {
	return "You answer to another agent with your last message, and nothing wakes you after it. " +
		"Tasks that still run go over to that agent then, and it learns how they end.\n\n" +
		"- Collect only what your own answer needs." + r.collect() + "\n" +
		"- Do not wait for the rest: give in your summary the task_id of each task that still runs, its output path and what it is for, and end your turn.\n" +
		"- " + untracked + "wait for it or stop it before you end: it does not go over."
}

// collect says how, in the dialect's words, with a space in front.
func (r Reader) collect() string {
	if r.Dialect == Claude {
		return " Read the .output file that the launch reported, or call BashOutput (TaskOutput where that is its name) with the id, " +
			"and wait until it has finished. Do not wait for what never ends, such as a server: stop it with KillShell (or TaskStop), " +
			"or say that it is meant to go on."
	}
	return r.Tools.orNative().collect()
}

// waitTool is the tool that can wait for the end of a task.
func (r Reader) waitTool() string {
	if r.Dialect == Claude {
		return "TaskOutput (BashOutput in older versions)"
	}
	return r.Tools.orNative().Wait
}
