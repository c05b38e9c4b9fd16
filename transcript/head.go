package transcript

import "bytes"

// class is what the head of a row says about it. The index keeps it so that most
// rows are never decoded.
type class uint8

const (
	classOther     class = iota // a type that carries nothing for us, or none we know
	classUnknown                // the head did not tell: decode to know
	classUser                   // a user row: see shape
	classAssistant              // an assistant row
	classAttach                 // an attachment row
	classQueue                  // a queue-operation row
	classSystem                 // a system row
	classCopy                   // the host's own request copies (api-request*): never a carrier
)

// shape is what a user row's content looks like from its head.
type shape uint8

const (
	shapeUnknown shape = iota
	shapeText          // a string, or blocks that are no tool results: perhaps a prompt
	shapeResult        // tool results
)

// headLimit bounds how far into a row its head is read. The host writes all
// scalar fields before the message, in far less than this.
const headLimit = 2048

// head is what could be read from the first bytes of a row.
type head struct {
	class     class
	shape     shape
	sidechain bool
	meta      bool
	linked    bool
	guessed   bool // the class is the role's, no type was seen yet
}

// readHead walks the top-level keys of a row until type and content shape are
// known or the head ends. It never fails: what it could not see stays unknown,
// and the row is then decoded in full.
func readHead(b []byte) head {
	h := head{class: classUnknown}
	if len(b) > headLimit {
		b = b[:headLimit]
	}
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return h
	}
	i++
	result := false // a toolUseResult stood before the message
	for {
		key, next, ok := scanKey(b, i)
		if !ok {
			break
		}
		i = next
		switch string(key) {
		case "type":
			val, end, ok := scanString(b, i)
			if !ok {
				return h
			}
			h.class = classOf(val)
			i = end
		case "isSidechain":
			h.sidechain = i < len(b) && b[i] == 't'
			i = skipValue(b, i)
		case "isMeta":
			h.meta = i < len(b) && b[i] == 't'
			i = skipValue(b, i)
		case "parentUuid":
			h.linked = true
			i = skipValue(b, i)
		case "toolUseResult":
			result = true
			i = skipValue(b, i)
		case "message":
			h.shape = messageShape(b, i)
			if h.class == classUnknown && string(messageRole(b, i)) == "assistant" {
				// The host writes the type of these rows behind the message. The
				// role is the same answer for less; decode checks it.
				h.class, h.guessed = classAssistant, true
			}
			// Everything behind the message is of no use to the head.
			return h.settle(result)
		default:
			i = skipValue(b, i)
		}
		if i < 0 || h.class == classCopy || h.class == classQueue {
			break
		}
		i = skipSpace(b, i)
		if i >= len(b) || b[i] != ',' {
			break
		}
		i++
	}
	return h.settle(result)
}

// settle uses a toolUseResult seen before the message when the message itself
// was out of reach.
func (h head) settle(result bool) head {
	if h.shape == shapeUnknown && result {
		h.shape = shapeResult
	}
	return h
}

// classOf maps the host's row types. A new type is classOther: it can still
// close a handoff by text, so the index looks at its bytes.
func classOf(typ []byte) class {
	switch string(typ) {
	case "user":
		return classUser
	case "assistant":
		return classAssistant
	case "attachment":
		return classAttach
	case "queue-operation":
		return classQueue
	case "system":
		return classSystem
	}
	if isRequestCopy(typ) {
		return classCopy
	}
	return classOther
}

// isRequestCopy tells api-request, api-request-blob, api-request-shape and
// whatever the host may add to that family (claude-code section 2).
func isRequestCopy[T string | []byte](typ T) bool {
	const prefix = "api-request"
	return len(typ) >= len(prefix) && string(typ[:len(prefix)]) == prefix
}

// member walks the object that opens at i to the first member with one of the
// keys, and returns that key and where its value begins; "" when there is none
// or the bytes end before it.
func member(b []byte, i int, keys ...string) (key string, at int) {
	if i >= len(b) || b[i] != '{' {
		return "", 0
	}
	for i++; ; i++ {
		found, next, ok := scanKey(b, i)
		if !ok {
			return "", 0
		}
		for _, k := range keys {
			if string(found) == k {
				return k, next
			}
		}
		if i = skipValue(b, next); i < 0 {
			return "", 0
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ',' {
			return "", 0
		}
	}
}

// firstBlock is where the first block of the list that opens at i begins.
func firstBlock(b []byte, i int) int {
	if i < len(b) && b[i] == '[' {
		return skipSpace(b, i+1)
	}
	return len(b)
}

// messageRole peeks at message.role when it stands before the content.
func messageRole(b []byte, i int) []byte {
	key, at := member(b, i, "role", "content")
	if key != "role" {
		return nil
	}
	val, _, _ := scanString(b, at)
	return val
}

// messageShape peeks at message.content without leaving the head. It looks at the
// first block only: the host never mixes tool results with a prompt, and a row
// that does is decoded where it matters.
func messageShape(b []byte, i int) shape {
	if i < len(b) && b[i] == '"' {
		return shapeText
	}
	key, at := member(b, i, "content")
	if key == "" {
		return shapeUnknown
	}
	if at < len(b) && b[at] == '"' {
		return shapeText
	}
	switch key, at := member(b, firstBlock(b, at), "tool_use_id", "type"); key {
	case "tool_use_id":
		return shapeResult
	case "type":
		val, _, ok := scanString(b, at)
		if !ok {
			return shapeUnknown
		}
		if string(val) == "tool_result" {
			return shapeResult
		}
		return shapeText
	}
	return shapeUnknown
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// scanKey reads `"key":` and stops before the value. Keys with escapes are not
// read: the host writes none, and ok=false only costs a full decode.
func scanKey(b []byte, i int) (key []byte, next int, ok bool) {
	i = skipSpace(b, i)
	key, i, ok = scanString(b, i)
	if !ok {
		return nil, 0, false
	}
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != ':' {
		return nil, 0, false
	}
	return key, skipSpace(b, i+1), true
}

// scanString reads a string without escapes.
func scanString(b []byte, i int) (val []byte, next int, ok bool) {
	if i >= len(b) || b[i] != '"' {
		return nil, 0, false
	}
	for j := i + 1; j < len(b); j++ {
		switch b[j] {
		case '\\':
			return nil, 0, false
		case '"':
			return b[i+1 : j], j + 1, true
		}
	}
	return nil, 0, false
}

// skipValue returns the index behind the value at i, or -1 when the head ends
// inside it.
func skipValue(b []byte, i int) int {
	if i < 0 || i >= len(b) {
		return -1
	}
	depth := 0
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			if i = closingQuote(b, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of the enclosing object behind a scalar
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
			i++
			continue
		}
		i++
		if depth == 0 && (b[i-1] == '"' || b[i-1] == '}' || b[i-1] == ']') {
			return i
		}
	}
	return -1
}

// closingQuote returns the index of the closing quote of the string that opens at
// i, or -1. It hops from quote to quote: the long strings of a transcript hold
// few of them.
func closingQuote(b []byte, i int) int {
	for at := i + 1; ; {
		j := bytes.IndexByte(b[at:], '"')
		if j < 0 {
			return -1
		}
		at += j
		escapes := at
		for b[escapes-1] == '\\' { // the opening quote ends this at the latest
			escapes--
		}
		if (at-escapes)%2 == 0 {
			return at
		}
		at++
	}
}
