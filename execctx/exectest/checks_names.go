package exectest

import (
	"path/filepath"
	"time"

	"github.com/stophook/stophook/execctx"
)

func nameChecks() []check {
	return []check{
		{"EX-33: ids are bash_1, bash_2, … over all handles", []need{needLaunch}, checkIDs},
		{"EX-34: an id of another form is nobody's", []need{needLaunch, needKill}, checkForeignIDs},
		{"EX-35, EX-37: a log's name is made of id and stamp", []need{needLaunch}, checkLogNames},
		{"EX-36: a later context has no earlier stamp and no file of an earlier one", []need{needLaunch, needReopen}, checkStampOrder},
	}
}

func checkIDs(e *env) {
	a, b := e.spawn(), e.spawn()
	var got []string
	for i := range 4 {
		h := a
		if i%2 == 1 {
			h = b
		}
		t := e.launch(h, succeed)
		got = append(got, t.TaskID)
		e.ended(t)
	}
	e.same("ids", got, []string{"bash_1", "bash_2", "bash_3", "bash_4"})
}

func checkForeignIDs(e *env) {
	h := e.spawn()
	t := e.launch(h, sleepLong)
	for _, id := range []string{"", "bash_", "bash_0", "bash_01", "bash_1 ", "../bash_1", "bash_1/../bash_1", t.TaskID + "\x00", "exec_1"} {
		if info, err := execctx.Kill(e.ctx, e.Context, h, id); err != nil || info != nil {
			e.Errorf("kill of %q: %v, %v, want nothing", id, info, err)
		}
	}
	if e.lacks(needList) == "" {
		if entry, _ := e.entry(h, t.TaskID); entry.Status != execctx.StatusRunning {
			e.Errorf("the task is %s", entry.Status)
		}
	}
}

func checkLogNames(e *env) {
	h := e.spawn()
	stamps := map[string]bool{}
	for range 3 {
		t := e.launch(h, succeed)
		e.ended(t)
		name := filepath.Base(t.OutputPath)
		id, created, ok := execctx.ParseLogName(name)
		if !ok || id != t.TaskID {
			e.Fatalf("the log of %s is named %s", t.TaskID, name)
		}
		if d := time.Since(created); d < -time.Second || d > time.Hour {
			e.Errorf("the stamp of %s is %v away from now", name, d)
		}
		stamps[execctx.FormatStamp(created)] = true
	}
	if len(stamps) != 1 {
		e.Errorf("the tasks of one context have the stamps %v, want one", stamps)
	}
}

func checkStampOrder(e *env) {
	h := e.spawn()
	first := e.launch(h, succeed)
	e.ended(first)
	later := e.reopened()
	second := later.launch(later.bind(h), succeed)
	later.ended(second)
	_, created, _ := execctx.ParseLogName(filepath.Base(first.OutputPath))
	_, createdLater, _ := execctx.ParseLogName(filepath.Base(second.OutputPath))
	if createdLater.Before(created) {
		e.Errorf("stamps: %v, then %v", created, createdLater)
	}
	if first.OutputPath == second.OutputPath {
		e.Errorf("two contexts share the file %s", first.OutputPath)
	}
}
