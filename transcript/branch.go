package transcript

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// ownership tells this session's rows from rows that a fork copied. Copies are
// marked with forkedFrom, or keep the session id of the file they came from.
type ownership struct {
	ids map[string]bool // empty: the ids prove nothing here, every row is our own
}

// newOwnership knows the session by what was asked for and by the file's name.
// One file can hold two ids that are both this session (after a resume), so both
// count; and when even the latest row carries neither, ids are not compared.
func newOwnership(asked, path, latest string) ownership {
	ids := map[string]bool{}
	if asked != "" {
		ids[asked] = true
	}
	if id := fileSession(path); id != "" {
		ids[id] = true
	}
	if len(ids) == 0 && latest != "" {
		ids[latest] = true
	}
	if latest == "" || !ids[latest] {
		ids = nil
	}
	return ownership{ids: ids}
}

// fileSession takes a session id from a file name of the host's form, a UUID.
func fileSession(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if len(name) == 36 && name[8] == '-' && name[13] == '-' && name[18] == '-' && name[23] == '-' {
		return name
	}
	return ""
}

func (o ownership) owns(r row) bool {
	if r.Get("forkedFrom").Exists() {
		return false
	}
	id := r.str("sessionId")
	return id == "" || len(o.ids) == 0 || o.ids[id]
}

// link is how a row hangs in the conversation tree.
type link struct {
	uuid, parent string
	root         bool // the parent is null, and written so
}

// link is how a row hangs, from the memo when windows share one.
func (w *window) link(e entry) link {
	if w.memo != nil {
		return w.memo.linkOf(e)
	}
	return w.readLink(e)
}

// readLink reads uuid and parent, from the head of the row when they stand there.
func (w *window) readLink(e entry) link {
	b := w.peek(e)
	l := linkOf(string(b))
	if (l.uuid == "" || l.parent == "" && !l.root) && int(e.n) > len(b) {
		if s, ok := w.load(e); ok {
			l = linkOf(s)
		}
	}
	return l
}

func linkOf(s string) link {
	l := link{uuid: str(gjson.Get(s, "uuid"))}
	switch p := gjson.Get(s, "parentUuid"); p.Type {
	case gjson.String:
		l.parent = p.Str
	case gjson.Null:
		if p.Raw != "" {
			// A compaction boundary has no parent but names the logical one.
			if l.parent = str(gjson.Get(s, "logicalParentUuid")); l.parent == "" {
				l.root = true
			}
		}
	}
	return l
}

// dropRewound removes tasks whose receipt stands on a branch that the user
// rewound away from: a later human prompt hangs above the receipt. Parallel tool
// results also fork the tree, but no prompt hangs above them. Where a link is
// missing (the window's edge, rows that were cut out) nothing is dropped.
func (f *fold) dropRewound() {
	if len(f.tasks) == 0 {
		return
	}
	for i := f.tasks[0].at + 1; i < len(f.entries); i++ {
		e := f.entries[i]
		if e.side || e.shape == shapeResult || (e.class != classUser && e.class != classUnknown) {
			continue
		}
		r, ok := f.decode(e)
		if !ok || f.startOf(r) != startHuman {
			continue
		}
		prompt := f.promptLink(e, r)
		if prompt.parent == "" && !prompt.root {
			continue
		}
		f.tasks = slices.DeleteFunc(f.tasks, func(t *task) bool {
			return t.at < i && f.below(prompt, i, t.at)
		})
	}
}

// promptLink is the link of a prompt that is decoded already.
func (f *fold) promptLink(e entry, r row) link {
	if f.memo != nil {
		return f.memo.linkOf(e)
	}
	return linkOf(r.Raw)
}

// below tells whether the row at index at hangs below the parent of the prompt
// at index i. Children stand behind their parents in the file, so a parent found
// between the two settles it without a walk.
func (f *fold) below(prompt link, i, at int) bool {
	if !prompt.root {
		for j := i - 1; j >= at; j-- {
			if f.link(f.entries[j]).uuid == prompt.parent {
				return false
			}
		}
	}
	l := f.link(f.entries[at])
	for j := at - 1; ; {
		if l.root {
			return prompt.root
		}
		if l.parent == "" {
			return false
		}
		if !prompt.root && l.parent == prompt.parent {
			return true
		}
		found := false
		for ; j >= 0 && !found; j-- { // never the same row again: broken links may form a circle
			up := f.link(f.entries[j])
			if found = up.uuid == l.parent; found {
				l = up
			}
		}
		if !found {
			return false // the chain leaves the window
		}
	}
}
