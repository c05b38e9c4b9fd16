package decisionlog

import (
	"maps"
	"slices"
	"time"
)

// encode builds the line of an event, with its newline. An event over
// [MaxLineBytes] loses the parts that can be large, one after the other, until
// it fits.
func (w *Writer) encode(e Event) ([]byte, error) {
	if e.DecisionID == "" {
		e.DecisionID = w.newID()
	}
	if e.Timestamp.IsZero() {
		e.Timestamp = w.now()
	}
	if e.Path == "" {
		e.Path = Path
	}
	// The lists grow below; they must not grow into the caller's arrays.
	e.Erased, e.Masked = slices.Clone(e.Erased), slices.Clone(e.Masked)
	for _, m := range w.Masks {
		e.Prepared = nil // it was encoded without them
		if err := m.apply(&e); err != nil {
			return nil, err
		}
	}
	if line, ok := encodeLine(&e); ok {
		return line, nil
	}
	e.Prepared = nil // what follows takes parts of the input away
	custom := maps.Clone(e.Custom)
	if custom == nil {
		custom = map[string]any{}
	}
	custom[CustomTruncated] = true
	e.Custom = custom
	for _, path := range [...]string{"/input/tool/input", "/input/hook", "/input/turn/tools", "/input/tasks", "/input/handoffs", "/input", "/result"} {
		if err := (Mask{Op: OpRemove, Path: path}).apply(&e); err != nil {
			return nil, err
		}
		if line, ok := encodeLine(&e); ok {
			return line, nil
		}
	}
	return nil, ErrTooLarge
}

func (w *Writer) newID() string {
	if w.NewID != nil {
		return w.NewID()
	}
	return newUUID()
}

func (w *Writer) now() time.Time {
	if w.Now != nil {
		return w.Now()
	}
	return time.Now()
}

// encodeLine writes the event in OPA's order of fields; ok is false when the line
// would be too long.
func encodeLine(e *Event) (line []byte, ok bool) {
	// What stands behind the list of masked paths in the line can add to it, and
	// is therefore encoded first.
	tail := encoder{max: MaxLineBytes}
	if e.Error != nil {
		tail.buf = append(tail.buf, `,"error":`...)
		tail.root("error", e.Error)
	}
	tail.buf = append(tail.buf, `,"timestamp":`...)
	tail.buf = appendString(tail.buf, e.Timestamp.UTC().Format(time.RFC3339Nano))
	if len(e.Metrics) > 0 {
		tail.buf = append(tail.buf, `,"metrics":`...)
		tail.root("metrics", e.Metrics)
	}
	if len(e.Custom) > 0 {
		tail.buf = append(tail.buf, `,"custom":`...)
		tail.root("custom", e.Custom)
	}

	room := 64 << 10
	if e.Prepared != nil {
		room = len(e.Prepared.buf) + 8<<10
	}
	enc := encoder{max: MaxLineBytes, buf: make([]byte, 0, room)}
	enc.head(e)
	if e.Input != nil {
		enc.buf = append(enc.buf, `,"input":`...)
		enc.input(e)
	}
	if e.Result != nil {
		enc.buf = append(enc.buf, `,"result":`...)
		enc.root("result", e.Result)
	}
	enc.paths("erased", e.Erased)
	enc.paths("masked", slices.Concat(e.Masked, enc.masked, tail.masked))
	enc.buf = append(enc.buf, tail.buf...)
	enc.buf = append(enc.buf, '}', '\n')
	return enc.buf, !enc.overflow && !tail.overflow && len(enc.buf) <= MaxLineBytes
}

// Prepared is an encoded input, see [Writer.Prepare].
type Prepared struct {
	buf      []byte
	masked   []string
	overflow bool
}

// Prepare encodes an input for a later [Writer.Append], for callers that have
// time while the decision is made. The input must not be changed in between. It
// returns nil, which Append understands, when masks have to be applied first.
func (w *Writer) Prepare(input any) *Prepared {
	if len(w.Masks) > 0 {
		return nil
	}
	enc := encoder{max: MaxLineBytes, buf: make([]byte, 0, 48<<10)}
	enc.root("input", input)
	return &Prepared{buf: enc.buf, masked: enc.masked, overflow: enc.overflow}
}

// input writes the event's input.
func (e *encoder) input(ev *Event) {
	if p := ev.Prepared; p != nil {
		e.buf = append(e.buf, p.buf...)
		e.masked = append(e.masked, p.masked...)
		e.overflow = e.overflow || p.overflow
		return
	}
	e.root("input", ev.Input)
}

// head writes what stands before the input.
func (e *encoder) head(ev *Event) {
	e.buf = append(e.buf, `{"labels":`...)
	e.root("labels", ev.Labels)
	e.buf = append(e.buf, `,"decision_id":`...)
	e.buf = appendString(e.buf, ev.DecisionID)
	if len(ev.Bundles) > 0 {
		bundles := make(map[string]any, len(ev.Bundles))
		for name, b := range ev.Bundles {
			info := map[string]any{}
			if b.Revision != "" {
				info["revision"] = b.Revision
			}
			bundles[name] = info
		}
		e.buf = append(e.buf, `,"bundles":`...)
		e.root("bundles", bundles)
	}
	e.buf = append(e.buf, `,"path":`...)
	e.buf = appendString(e.buf, ev.Path)
}

// paths writes a list of paths, sorted and each once; nothing when it is empty.
func (e *encoder) paths(name string, list []string) {
	if len(list) == 0 {
		return
	}
	slices.Sort(list)
	e.buf = append(e.buf, `,"`+name+`":[`...)
	for i, p := range slices.Compact(list) {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.buf = appendString(e.buf, p)
	}
	e.buf = append(e.buf, ']')
}
