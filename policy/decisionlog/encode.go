package decisionlog

import (
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// MaxStringBytes bounds every logged string; a longer one is cut, with a
	// marker, and listed in masked.
	MaxStringBytes = 8 << 10
	// MaxLineBytes bounds a log line. Beyond it the large parts of the input are
	// erased, one after the other.
	MaxLineBytes = 1 << 20

	// cutLookahead is how far behind the cut the redaction still looks, so that a
	// secret across the cut is seen whole.
	cutLookahead = 4 << 10
	// maxDepth bounds recursion; it is the depth that encoding/json reads.
	maxDepth = 10000
)

// encoder writes JSON in one walk that also redacts and cuts, so that the
// caller's values need no copy. It remembers what it changed.
type encoder struct {
	buf      []byte
	keys     []string // scratch for sorting, used as a stack
	path     []step
	masked   []string
	max      int  // of buf
	overflow bool // buf is over max and incomplete
}

// step is one part of the path: a key, or an index when key is unused.
type step struct {
	key   string
	index int // -1 for a key
}

// mark lists the present path as changed.
func (e *encoder) mark() {
	var b strings.Builder
	for _, s := range e.path {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(url.PathEscape(s.key))
		}
	}
	e.masked = append(e.masked, b.String())
}

// root encodes v as the top-level field called name.
func (e *encoder) root(name string, v any) {
	e.path = append(e.path[:0], step{key: name, index: -1})
	e.value(v, false)
}

// value encodes v; secret is set below a key whose name tells that strings are
// to be hidden.
func (e *encoder) value(v any, secret bool) {
	if e.overflow = e.overflow || len(e.buf) > e.max; e.overflow {
		return
	}
	if len(e.path) > maxDepth {
		e.mark()
		e.buf = append(e.buf, "null"...)
		return
	}
	switch v := v.(type) {
	case nil:
		e.buf = append(e.buf, "null"...)
	case string:
		e.text(v, secret)
	case bool:
		e.buf = strconv.AppendBool(e.buf, v)
	case int:
		e.buf = strconv.AppendInt(e.buf, int64(v), 10)
	case int64:
		e.buf = strconv.AppendInt(e.buf, v, 10)
	case float64:
		e.float(v)
	case json.Number:
		e.number(v)
	case time.Time:
		e.buf = appendString(e.buf, v.Format(time.RFC3339Nano))
	case map[string]any:
		encodeMap(e, v)
	case map[string]string:
		encodeMap(e, v)
	case []any:
		encodeList(e, v, secret)
	case []string:
		encodeList(e, v, secret)
	case []map[string]any:
		encodeList(e, v, secret)
	default:
		e.value(generic(v), secret)
	}
}

func encodeMap[V any](e *encoder, m map[string]V) {
	base := len(e.keys)
	for k := range m {
		e.keys = append(e.keys, k)
	}
	slices.Sort(e.keys[base:])
	e.buf = append(e.buf, '{')
	for i := base; i < base+len(m); i++ {
		if i > base {
			e.buf = append(e.buf, ',')
		}
		k := e.keys[i]
		e.path = append(e.path, step{key: k, index: -1})
		e.text(k, false)
		e.buf = append(e.buf, ':')
		e.value(m[k], isSecretName(k))
		e.path = e.path[:len(e.path)-1]
	}
	e.keys = e.keys[:base]
	e.buf = append(e.buf, '}')
}

func encodeList[V any](e *encoder, list []V, secret bool) {
	e.buf = append(e.buf, '[')
	for i, v := range list {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.path = append(e.path, step{index: i})
		e.value(v, secret)
		e.path = e.path[:len(e.path)-1]
	}
	e.buf = append(e.buf, ']')
}

// text encodes a string, redacted and cut.
func (e *encoder) text(s string, secret bool) {
	if secret && s != "" && s != Redacted {
		e.mark()
		e.buf = appendString(e.buf, Redacted)
		return
	}
	head := s
	if len(s) > MaxStringBytes+cutLookahead {
		head = s[:MaxStringBytes+cutLookahead]
	}
	out := Redact(head)
	if out != head || len(s) > MaxStringBytes {
		e.mark()
	}
	if len(s) > MaxStringBytes {
		out = cutText(out, len(s))
	}
	e.buf = appendString(e.buf, out)
}

// cutText shortens s to the limit, on a rune's edge, and tells the length that
// the original had.
func cutText(s string, total int) string {
	end := min(len(s), MaxStringBytes)
	for back := 0; back < utf8.UTFMax && end < len(s) && end > 0 && !utf8.RuneStart(s[end]); back++ {
		end--
	}
	return s[:end] + "…[cut, " + strconv.Itoa(total) + " bytes in all]"
}

func (e *encoder) float(f float64) {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		e.mark()
		e.buf = append(e.buf, "null"...)
	case abs != 0 && (abs < 1e-6 || abs >= 1e21):
		e.buf = strconv.AppendFloat(e.buf, f, 'e', -1, 64)
	default:
		e.buf = strconv.AppendFloat(e.buf, f, 'f', -1, 64)
	}
}

// number writes a json.Number as it is, or as a string when it is none.
func (e *encoder) number(n json.Number) {
	if isNumber(string(n)) {
		e.buf = append(e.buf, n...)
		return
	}
	e.text(string(n), false)
}

func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return (isDigit(s[i]) || s[0] == '-' || i > 0) && json.Valid([]byte(s))
		}
	}
	return s == "0" || s != "" && s[0] != '0'
}
