package session

import "github.com/tidwall/gjson"

// parsed is one row with the members that this package looks at. Values are
// views of the row's bytes.
type parsed struct {
	typ, subtype, uuid, promptID, timestamp    string
	sidechain, meta, compact, hidden, apiError bool
	forked                                     bool // copied from another session
	result                                     bool // has a toolUseResult
	operation                                  string
	origin, message, attachment, content       gjson.Result
	all                                        gjson.Result
}

// parse walks the members of a row once. Of equal keys the first counts, as it
// does for the package transcript.
//
// Our rows say everything else in front of the message; behind it stands a tool's
// structured result, which can be as long again and is of no use here.
func parse(row []byte) parsed {
	p := parsed{all: gjson.Parse(view(row))}
	var seen uint32
	p.all.ForEach(func(k, v gjson.Result) bool {
		bit := p.take(k.Str, v, seen)
		seen |= bit
		return k.Str != "message" || seen&ours != ours
	})
	return p
}

// ours are the bits of uuid and timestamp, which the client writes behind the
// message and we before it.
const ours = 1<<2 | 1<<4

// take stores one member and gives its bit, unless that is in seen already.
func (p *parsed) take(key string, v gjson.Result, seen uint32) (bit uint32) {
	word := func(n uint, to *string) {
		if bit = 1 << n; seen&bit == 0 {
			*to = str(v)
		}
	}
	flag := func(n uint, to *bool) {
		if bit = 1 << n; seen&bit == 0 {
			*to = isTrue(v)
		}
	}
	result := func(n uint, to *gjson.Result) {
		if bit = 1 << n; seen&bit == 0 {
			*to = v
		}
	}
	switch key {
	case "type":
		word(0, &p.typ)
	case "subtype":
		word(1, &p.subtype)
	case "uuid":
		word(2, &p.uuid)
	case "promptId":
		word(3, &p.promptID)
	case "timestamp":
		word(4, &p.timestamp)
	case "operation":
		word(5, &p.operation)
	case "isSidechain":
		flag(6, &p.sidechain)
	case "isMeta":
		flag(7, &p.meta)
	case "isCompactSummary":
		flag(8, &p.compact)
	case "isVisibleInTranscriptOnly":
		flag(9, &p.hidden)
	case "isApiErrorMessage":
		flag(10, &p.apiError)
	case "forkedFrom":
		p.forked = true
	case "toolUseResult":
		p.result = true
	case "origin":
		result(11, &p.origin)
	case "message":
		result(12, &p.message)
	case "attachment":
		result(13, &p.attachment)
	case "content":
		result(14, &p.content)
	}
	return bit
}

// said is a message's envelope.
type said struct {
	id, model, stopReason string
	content               gjson.Result
	usage                 gjson.Result
}

func (p *parsed) said() (s said) {
	if p.message.Type == gjson.String { // some hosts write the text alone
		s.content = p.message
		return s
	}
	p.message.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "id":
			s.id = str(v)
		case "model":
			s.model = str(v)
		case "stop_reason":
			s.stopReason = str(v)
		case "content":
			if !s.content.Exists() {
				s.content = v
			}
		case "usage":
			s.usage = v
		}
		return true
	})
	return s
}
