package replay

import "fmt"

// limits says what no replay can rebuild, and what this one could not.
func (s *sweep) limits() []string {
	list := []string{
		"What the agent would have done after another answer is not known: every stop is judged with the rows that follow from the answers it really got.",
		"The clock of a stop is the time of its final row; the hook itself ran up to a tenth of a second later.",
		"The state of Git at that time is not in a transcript: a rule sees of it only what a status check wrote to the ledger.",
		"The host's registry of background tasks, its crons and the permission mode stand in no row: rules see them as absent.",
		"Policies and settings are those given now, and not those that a project had then.",
		"As in the hook, nothing before the transcript window is seen.",
	}
	none, shown, again := 0, 0, 0
	seen := map[string]bool{}
	for _, p := range s.players {
		for _, id := range p.uuids {
			if seen[id] {
				again++
			}
			seen[id] = true
		}
		if len(p.session.Stops) == 0 {
			continue
		}
		switch p.session.Evidence {
		case EvidenceNone:
			none++
		case EvidenceTranscript:
			shown++
		}
	}
	if none > 0 {
		list = append(list, fmt.Sprintf("%s no ledger and no evidence command in the transcript: every stop with tools is judged as one without evidence.", sessionsHave(none)))
	}
	if shown > 0 {
		list = append(list, fmt.Sprintf("%s no ledger: evidence is what the transcript shows of commands that worked.", sessionsHave(shown)))
	}
	switch {
	case again == 1:
		list = append(list, "One stop stands in a second transcript, a copy that a resume or a fork left: it is counted in both.")
	case again > 1:
		list = append(list, fmt.Sprintf("%d stops are copies of stops in another transcript, which a resume or a fork left: they are counted in both.", again))
	}
	return list
}

func sessionsHave(n int) string {
	if n == 1 {
		return "One session has"
	}
	return fmt.Sprintf("%d sessions have", n)
}
