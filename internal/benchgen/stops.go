package benchgen

import (
	"fmt"
)

// maybeStop ends the turn when it is long enough, and begins the next one. Of ten
// stops five have all the evidence, three have none, and two were sent back once.
func (g *generator) maybeStop(round int) {
	if g.opts.StopEvery <= 0 || g.opts.Size-g.info.Size < g.opts.StopEvery/2 {
		return
	}
	if g.nextStop == 0 {
		g.nextStop = g.distance()
	}
	if g.info.Size < g.nextStop {
		return
	}
	g.nextStop = g.info.Size + g.distance()
	if g.info.Stops == 0 {
		g.evidence(round, "task", `task "make the handler faster"`, "task: make the handler faster")
		g.evidence(round, "name", `name "fast handler"`, "name: fast handler")
	}
	switch kind := g.random.IntN(10); {
	case kind < 5:
		g.finalWithBox(round)
	case kind < 8:
		g.final(round, "final", "That is done.")
	default:
		g.final(round, "early", "That is done.")
		g.feedback(round, "Status check: this turn used tools and has none.")
		g.toolCall(fmt.Sprintf("%06d-again", round), "git status", g.texts[0], g.early(round), shell{Stdout: g.texts[0]})
		g.finalWithBox(round)
	}
	row := g.chained(fmt.Sprintf("%06d-prompt", round), "user", g.early(round), message{Role: "user", Content: "and now the next thing, please"})
	row.Origin = &origin{Kind: "human"}
	g.row(row)
	if g.random.IntN(3) == 0 {
		g.background(round)
	}
}

// background is a command that the agent itself put into the background, and whose
// output it reads before it goes on.
func (g *generator) background(round int) {
	id := fmt.Sprintf("b%08d", round)
	output := "/tmp/claude-1000/-home-dev-project/" + SessionID + "/tasks/" + id + ".output"
	g.toolCall(fmt.Sprintf("%06d-launch", round), "go test -race ./...", "Command running in background with ID: "+id+". Output is being written to: "+output,
		g.early(round), shell{BackgroundTaskID: id})
	g.toolCall(fmt.Sprintf("%06d-read", round), "tail -n 50 "+output, g.texts[1], g.early(round), shell{Stdout: g.texts[1]})
}

func (g *generator) distance() int64 {
	return g.opts.StopEvery/2 + g.random.Int64N(g.opts.StopEvery)
}

// evidence is a call of one of stophook's own commands.
func (g *generator) evidence(round int, what, arguments, output string) {
	g.toolCall(fmt.Sprintf("%06d-%s", round, what), "stophook "+arguments, output, g.early(round), shell{Stdout: output})
}

func (g *generator) finalWithBox(round int) {
	box := fmt.Sprintf("┌─ stophook check %08d ─┐\n│ session  %s\n└─┘", round, SessionID)
	g.evidence(round, "status", "status --end-turn", box)
	g.final(round, "final", "That is done.\n\n"+box)
}

func (g *generator) final(round int, name, text string) {
	g.info.Stops++
	id := fmt.Sprintf("%06d-%s", round, name)
	g.row(g.chained(id, "assistant", g.early(round), message{ID: "msg_" + id, Role: "assistant", StopReason: "end_turn", Content: []block{
		{Type: "text", Text: text},
	}}))
}

// feedback is what the host writes when a Stop hook has sent the agent back.
func (g *generator) feedback(round int, reason string) {
	row := g.chained(fmt.Sprintf("%06d-feedback", round), "user", g.early(round), message{Role: "user", Content: "Stop hook feedback:\n" + reason})
	row.IsMeta = true
	g.row(row)
}
