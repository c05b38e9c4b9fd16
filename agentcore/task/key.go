package task

// Key names one task for good. Ids begin at bash_1 in every new context, so an id
// alone would take a new task for an old one (D-22): a key is the id and the
// output file, whose name carries the time of its context, and for a task
// without a file the owner, the id and the start. Keys are comparable.
type Key struct {
	id      string
	output  string
	handle  string
	startMS int64
}

// Key is the key of the task that ended. It is the same before and after the
// exit was written and read.
func (e Exit) Key() Key {
	if e.OutputPath != "" {
		return Key{id: clean(e.TaskID), output: clean(e.OutputPath)}
	}
	k := Key{id: clean(e.TaskID), handle: clean(e.HandleID)}
	if !e.StartedAt.IsZero() {
		k.startMS = e.StartedAt.UnixMilli()
	}
	return k
}

// TaskID is the id in the key.
func (k Key) TaskID() string { return k.id }

// OutputPath is the output file in the key; empty: the task has none.
func (k Key) OutputPath() string { return k.output }

// unique tells whether the key says more than an id that others can have too,
// as it is with old blocks that name no file.
func (k Key) unique() bool { return k.output != "" || k.handle != "" || k.startMS != 0 }
