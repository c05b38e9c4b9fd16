package agenttest

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stophook/stophook/agentcore/model/scripted"
)

// Names of the parts of a scenario that are not files for the working directory.
const (
	partScript   = "script.yaml"
	partSetup    = "agent.yaml"
	partSettings = "settings.json"
	partPlay     = "play.yaml"
	partEvents   = "want.events"
	partMessages = "want.messages"
)

// scenario is one file, read.
type scenario struct {
	path     string
	archive  *txtar.Archive
	setup    Setup
	play     []Step
	script   *scripted.Model
	settings []byte
	files    []txtar.File
}

func load(path string) (*scenario, error) {
	ar, err := txtar.ParseFile(path)
	if err != nil {
		return nil, err
	}
	s := &scenario{path: path, archive: ar}
	if !strings.Contains(string(ar.Comment), ": ") {
		return nil, errors.New("the comment says no reason: begin it with requirement numbers and a colon")
	}
	for _, f := range ar.Files {
		if err := s.part(f); err != nil {
			return nil, err
		}
	}
	if s.script == nil {
		return nil, fmt.Errorf("there is no %s", partScript)
	}
	if len(s.play) == 0 {
		s.play = []Step{{Prompt: "go"}}
	}
	return s, nil
}

func (s *scenario) part(f txtar.File) (err error) {
	switch f.Name {
	case partScript:
		s.script, err = scripted.Parse(filepath.Base(s.path)+"/"+f.Name, f.Data)
	case partSetup:
		err = decode(f.Name, f.Data, &s.setup)
	case partPlay:
		err = decode(f.Name, f.Data, &s.play)
	case partSettings:
		s.settings = f.Data
	case partEvents, partMessages:
	default:
		if strings.HasPrefix(f.Name, "want.") {
			return fmt.Errorf("unknown part %s", f.Name)
		}
		s.files = append(s.files, f)
	}
	return err
}

// want gives a wanted part, and whether it is there.
func (s *scenario) want(name string) (string, bool) {
	i := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return "", false
	}
	return string(s.archive.Files[i].Data), true
}

// put sets a wanted part, at the end if it is new.
func (s *scenario) put(name, text string) {
	for i, f := range s.archive.Files {
		if f.Name == name {
			s.archive.Files[i].Data = []byte(text)
			return
		}
	}
	s.archive.Files = append(s.archive.Files, txtar.File{Name: name, Data: []byte(text)})
}
