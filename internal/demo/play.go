package main

import (
	"fmt"
	"time"
)

// play is the story. Every step that says "stophook" runs the real binary, and a
// verdict other than the one told here is an error: the demo cannot lie.
func play(s *stage) error {
	steps := []func(*stage) error{opening, commitHandedOver, firstStop, notification, secondStop, repair, lastStop}
	for _, step := range steps {
		if err := step(s); err != nil {
			return err
		}
	}
	s.say("")
	s.say("In the incident that this replays, a hook without the deferral sent the agent back five")
	s.say("times in forty seconds, with nothing it could have done.")
	return nil
}

func opening(s *stage) error {
	s.title("A commit that the host moves to the background")
	out, err := s.hook("SessionStart", nil, `"source":"startup"`)
	if err != nil {
		return err
	}
	s.event("host", "SessionStart; the agent is told the ritual first:")
	s.quote(contextOf(out))
	s.prompt("fix the typo, commit and push")
	s.event("person", "fix the typo, commit and push")
	if err := s.evidence("task", "task", "fix the typo in the README and push it"); err != nil {
		return err
	}
	return s.evidence("name", "name", "readme typo")
}

func commitHandedOver(s *stage) error {
	const command = "git commit -am 'Fix typo' && git push"
	s.later(20 * time.Second)
	if err := s.edit("README.md", "the typo is fixed\n"); err != nil {
		return err
	}
	s.call("toolu_push", "Bash", command)
	s.event("agent", "$ "+command+"   (the pre-commit hooks take 95 s)")
	s.later(8 * time.Second)
	s.event("person", "and please also tell me what changed")
	s.handoff("toolu_push", "bpush001", "and please also tell me what changed")
	s.event("host", "moves the running command to the background (task bpush001) to deliver the message")
	s.later(4 * time.Second)
	if _, code, err := s.run("", "status", "--end-turn"); err != nil || code != 1 {
		return fmt.Errorf("status --end-turn must refuse while the work is not pushed, got exit %d: %v", code, err)
	}
	s.event("agent", "$ stophook status --end-turn   refuses: the push has not landed")
	s.assistant("One word in the README changed. The push still runs; I report when it is done.")
	return nil
}

func firstStop(s *stage) error {
	s.later(3 * time.Second)
	const final = "One word in the README changed. The push still runs; I report when it is done."
	if err := s.stop(final, "defer", "stop-hook.background_handoff_deferred"); err != nil {
		return err
	}
	return s.without(final, "block", "stop-hook.status_check_missing")
}

func notification(s *stage) error {
	s.later(80 * time.Second)
	if err := s.land("Fix typo"); err != nil {
		return err
	}
	s.notify("toolu_push", "bpush001", "Commit and push", 0)
	s.event("host", "notification: task bpush001 completed (exit code 0); the agent wakes")
	s.later(2 * time.Second)
	s.call("toolu_read", "Read", s.outputFile("bpush001"))
	s.result("toolu_read", "main -> main")
	s.assistant("The push is through.")
	return nil
}

func secondStop(s *stage) error {
	s.later(2 * time.Second)
	return s.stop("The push is through.", "block", "stop-hook.status_check_missing")
}

func repair(s *stage) error {
	s.feedback()
	s.later(3 * time.Second)
	box, err := s.check()
	if err != nil {
		return err
	}
	s.event("agent", "$ stophook status --end-turn")
	s.quote(box)
	s.assistant("Pushed.\n\n" + box)
	s.final = "Pushed.\n\n" + box
	return nil
}

func lastStop(s *stage) error {
	s.later(2 * time.Second)
	return s.stop(s.final, "allow", "stop-hook.pass")
}
