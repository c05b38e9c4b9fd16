package agenttest

import "github.com/stophook/stophook/agentcore/model"

// sums is what the runs of a scenario came to.
type sums struct {
	witness Witness
	done    int              // ends on the bus
	before  model.Usage      // of agents before the latest reopening
	left    int              // runs whose reader left: what came after is not known
	crashed bool             // the program died, or a row was torn
	sizes   map[string]int64 // of transcripts when the program died
}

// check holds events, the bus, the model and the transcript against each other.
func (st *stage) check() {
	st.t.Helper()
	s := &st.sums
	CheckAnswered(st.t, st.sess)
	if s.crashed {
		return // the events of the dead run were more than what was kept of it
	}
	if s.done != s.witness.Runs+s.left {
		st.t.Errorf("%d runs, %d ends on the bus (RT-9)", s.witness.Runs+s.left, s.done)
	}
	total, _ := st.meter.Total()
	if got := s.before.Add(st.agent.Stats().Usage); got != total {
		st.t.Errorf("the agent counts %+v, the model reported %+v (RT-8)", got, total)
	}
	if got := st.sess.Totals().Usage; got != total {
		st.t.Errorf("the session counts %+v, the model reported %+v (RT-8)", got, total)
	}
	if s.left > 0 {
		return
	}
	if s.witness.Usage != total {
		st.t.Errorf("results count %+v, the model reported %+v (RT-8)", s.witness.Usage, total)
	}
	if st.s.setup.Background == nil { // else tasks and their notices are held by oracle
		s.witness.Check(st.t, st.sess)
	}
}
