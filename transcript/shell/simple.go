package shell

// Simple are the simple commands whose names stand literally in the script, in
// the order of the text. A command behind a wrapper is there twice, as written
// and without it: `sudo git push` gives sudo and git. Branches that may not run
// are in it; functions that are never called are not.
func (s *Script) Simple() []Command {
	return guard(s.simple)
}

func (s *Script) simple() []Command {
	var out []Command
	for i := range s.plan {
		e := &s.plan[i]
		switch e.kind {
		case evDecl:
			out = append(out, command(e.words, e.src.lineOf(e.node.Pos())))
		case evCall:
			for _, l := range e.call.layers {
				if name := l.words[0]; name.lit && name.text != "" {
					out = append(out, command(l.words, e.src.lineOf(e.node.Pos())))
				}
			}
		}
	}
	return out
}

func command(ws []word, line int) Command {
	if l := ws[0].line(); l > 0 {
		line = l
	}
	c := Command{Name: ws[0].text, Args: make([]string, 0, len(ws)-1), Line: line, Exact: true}
	for _, w := range ws[1:] {
		if w.lit && !w.glob {
			c.Args = append(c.Args, w.text)
			continue
		}
		c.Args = append(c.Args, w.raw())
		c.Exact = false
	}
	return c
}
