package policytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Want is want.json: what must come out of a case. The package's documentation
// says what each key means.
type Want struct {
	Reason               string
	Now                  time.Time
	Verdict              string
	Code                 string
	ReasonMustMention    []string
	ReasonMustNotMention []string
	Demands              []string
	NoDemands            []string
	Env                  map[string]string
	Only                 bool

	lines map[string]int // where each key stands
}

// A CaseError is one thing that is wrong with the files of a case.
type CaseError struct {
	File    string
	Line    int // from 1; 0 when the whole file is meant
	Message string
}

// Error gives `file:line: message`.
func (e *CaseError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
	}
	return e.File + ": " + e.Message
}

// wantKeys are the keys of want.json, in the order of the documentation.
func wantKeys() []string {
	return []string{"reason", "now", "verdict", "code", "reason_must_mention", "reason_must_not_mention", "demands",
		"no_demands", "env", "only"}
}

// ParseWant reads want.json. file is what errors name; an error is one or several
// joined [CaseError] values, all that is wrong with the file.
func ParseWant(file string, data []byte) (Want, error) {
	p := wantParser{file: file, data: data}
	p.want.lines = map[string]int{}
	p.parse()
	if len(p.errs) == 0 {
		p.check()
	}
	return p.want, errors.Join(p.errs...)
}

type wantParser struct {
	file string
	data []byte
	want Want
	errs []error
}

func (p *wantParser) fail(line int, format string, args ...any) {
	p.errs = append(p.errs, &CaseError{File: p.file, Line: line, Message: fmt.Sprintf(format, args...)})
}

// line is the line in which the byte at offset stands.
func (p *wantParser) line(offset int64) int {
	offset = min(max(offset, 0), int64(len(p.data)))
	return 1 + bytes.Count(p.data[:offset], []byte("\n"))
}

// syntax tells where the file stops being JSON.
func (p *wantParser) syntax(dec *json.Decoder, err error) {
	offset := dec.InputOffset()
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = s.Offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		p.fail(p.line(int64(len(p.data))), "the JSON ends too early: a bracket or a quote is not closed")
		return
	}
	p.fail(p.line(offset), "this is no JSON: %v", err)
}

func (p *wantParser) parse() {
	dec := json.NewDecoder(bytes.NewReader(p.data))
	tok, err := dec.Token()
	if err != nil {
		p.syntax(dec, err)
		return
	}
	if tok != json.Delim('{') {
		p.fail(1, `one JSON object is expected, such as {"reason": "...", "now": "2026-10-05T09:00:00Z", "verdict": "block"}`)
		return
	}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			p.syntax(dec, err)
			return
		}
		key, _ := tok.(string) // the decoder lets nothing else stand here
		line := p.line(dec.InputOffset())
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			p.syntax(dec, err)
			return
		}
		p.key(key, line, raw)
	}
	if _, err := dec.Token(); err != nil {
		p.syntax(dec, err)
		return
	}
	if _, err := dec.Token(); err != io.EOF {
		p.fail(p.line(dec.InputOffset()), "something follows the JSON object; remove it")
	}
}

// key reads one member.
func (p *wantParser) key(key string, line int, raw json.RawMessage) {
	w := &p.want
	target, known := map[string]any{
		"reason": &w.Reason, "now": &w.Now, "verdict": &w.Verdict, "code": &w.Code, "reason_must_mention": &w.ReasonMustMention,
		"reason_must_not_mention": &w.ReasonMustNotMention, "demands": &w.Demands, "no_demands": &w.NoDemands,
		"env": &w.Env, "only": &w.Only,
	}[key]
	switch {
	case !known:
		p.fail(line, "there is no key %q; the keys are %s", key, strings.Join(wantKeys(), ", "))
		return
	case w.lines[key] != 0:
		p.fail(line, "key %q is there twice, first in line %d", key, w.lines[key])
		return
	}
	w.lines[key] = line
	if bytes.Equal(raw, []byte("null")) || json.Unmarshal(raw, target) != nil {
		p.fail(line, "%s: %s is expected", key, wantType(target))
	}
}

func wantType(target any) string {
	switch target.(type) {
	case *time.Time:
		return "a time in RFC 3339, such as \"2026-10-05T09:00:00Z\","
	case *[]string:
		return `a list of texts, such as ["a", "b"],`
	case *map[string]string:
		return `an object of texts, such as {"NAME": "value"},`
	case *bool:
		return "true or false"
	}
	return "a text"
}

// check looks at the whole once every key could be read.
func (p *wantParser) check() {
	w := &p.want
	if w.lines["reason"] == 0 || strings.TrimSpace(w.Reason) == "" {
		p.fail(max(1, w.lines["reason"]), `"reason" is missing or blank: say why the answer is what it is`)
	}
	if w.lines["now"] == 0 {
		p.fail(1, `"now" is missing: give the clock to decide with, such as "now": "2026-10-05T09:00:00Z", a moment after the last row of the transcript`)
	}
	if w.lines["verdict"] != 0 && !slices.Contains([]string{"allow", "block", "defer"}, w.Verdict) {
		p.fail(w.lines["verdict"], "verdict %q is none of allow, block, defer", w.Verdict)
	}
	lists := map[string][]string{"reason_must_mention": w.ReasonMustMention, "reason_must_not_mention": w.ReasonMustNotMention,
		"demands": w.Demands, "no_demands": w.NoDemands}
	asks := w.Verdict != "" || w.Code != ""
	for _, key := range wantKeys() {
		asks = asks || len(lists[key]) > 0
		if slices.Contains(lists[key], "") {
			p.fail(w.lines[key], "%s: an empty text asks for nothing; remove it", key)
		}
	}
	for _, code := range w.Demands {
		if slices.Contains(w.NoDemands, code) {
			p.fail(w.lines["no_demands"], "%s is in demands and in no_demands: no decision can satisfy both", code)
		}
	}
	if !asks {
		p.fail(1, "this case asks for nothing: give verdict, code, reason_must_mention, reason_must_not_mention, demands or no_demands")
	}
}
