package modeltest

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stophook/stophook/agentcore/model"
)

//go:embed testdata/anthropic testdata/chat testdata/responses
var files embed.FS

// caseFile is one recorded conversation: what is asked, what the API answers,
// what the adapter must make of it. Its first text says why it is there.
type caseFile struct {
	setup setup
	turns []turn
}

// setup is the part of the request that all turns share (section setup.json).
type setup struct {
	Model          string
	System         string
	Tools          []model.ToolSpec
	MaxTokens      int `json:"max_tokens"`
	ThinkingTokens int `json:"thinking_tokens"`
	Cache          bool
	User           string
}

// turn is one call: the sections N.send.json (the messages that are added; a
// plain greeting when it is missing), N.request.json (what the request's body
// must hold), N.response, and N.want.json.
type turn struct {
	send     []model.Message
	request  any // nil: not looked at
	response string
	want     want
}

// want is what must come of a response: a message, or an error.
type want struct {
	Message *model.Message
	Error   *wantError
}

// wantError names the fields of an error that count. A kind of * is any. Message
// is a part of its text. Partial is compared when it is there; NoPartial says
// that there is none.
type wantError struct {
	Kind       model.Kind
	Status     int
	Type       string
	Message    string
	RequestID  string         `json:"request_id"`
	RetryAfter string         `json:"retry_after"`
	ResetAt    time.Time      `json:"reset_at"`
	Partial    *model.Message `json:"partial"`
	NoPartial  bool           `json:"no_partial"`
}

// caseNames gives the names of an API's cases, in order.
func caseNames(api API) ([]string, error) {
	entries, err := fs.ReadDir(files, path.Join("testdata", string(api)))
	if err != nil {
		return nil, fmt.Errorf("modeltest: the API %q has no cases: %w", api, err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".txtar"))
	}
	return names, nil
}

func loadCase(api API, name string) (caseFile, error) {
	file := path.Join("testdata", string(api), name+".txtar")
	data, err := files.ReadFile(file)
	if err != nil {
		return caseFile{}, err
	}
	c, err := parseCase(data)
	if err != nil {
		return c, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

func parseCase(data []byte) (caseFile, error) {
	var c caseFile
	archive := txtar.Parse(data)
	if len(bytes.TrimSpace(archive.Comment)) == 0 {
		return c, errors.New("say at the top what the case is for")
	}
	for _, section := range archive.Files {
		text := expand(string(section.Data))
		if section.Name == "setup.json" {
			if err := decode(text, &c.setup); err != nil {
				return c, fmt.Errorf("%s: %w", section.Name, err)
			}
			continue
		}
		digits, part, _ := strings.Cut(section.Name, ".")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > len(c.turns)+1 {
			return c, fmt.Errorf("section %q: sections are setup.json and N.send.json, N.request.json, N.response, N.want.json", section.Name)
		}
		if n > len(c.turns) {
			c.turns = append(c.turns, turn{})
		}
		if err := c.turns[n-1].read(part, text, string(section.Data)); err != nil {
			return c, fmt.Errorf("%s: %w", section.Name, err)
		}
	}
	for i := range c.turns {
		t := &c.turns[i]
		if t.response == "" || (t.want.Message == nil) == (t.want.Error == nil) {
			return c, fmt.Errorf("turn %d needs a response, and a message or an error that is wanted", i+1)
		}
		if t.send == nil {
			t.send = []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("Hello")}}}
		}
	}
	if len(c.turns) == 0 {
		return c, errors.New("no turn")
	}
	return c, nil
}

func (t *turn) read(part, text, asWritten string) error {
	switch part {
	case "send.json":
		return decode(text, &t.send)
	case "request.json":
		return decode(text, &t.request)
	case "response":
		t.response = asWritten
		return nil
	case "want.json":
		return decode(text, &t.want)
	}
	return errors.New("no such section")
}

// decode reads strictly: a misspelt key would check nothing.
func decode(text string, v any) error {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}
