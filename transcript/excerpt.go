package transcript

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

const (
	excerptText = 240
	excerptRow  = 1 << 20 // a longer row is cut: its head says enough
)

// Excerpts reads the rows that begin at the given offsets. Offsets at which no
// row can be read yield an Excerpt that says so, because evidence that cannot be
// shown must not silently disappear.
func Excerpts(path string, offsets []int64) ([]Excerpt, error) {
	f, _, _, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := make([]Excerpt, 0, len(offsets))
	for _, off := range offsets {
		out = append(out, excerptAt(f, off))
	}
	return out, nil
}

func excerptAt(r io.ReaderAt, off int64) Excerpt {
	e := Excerpt{Offset: off, Type: "unreadable"}
	line, err := lineAt(r, off)
	if err != nil {
		e.Text = err.Error()
		return e
	}
	s := alias(trimPadding(line))
	parsed := newRow(s)
	if !parsed.IsObject() {
		e.Text = cut("no JSON object: "+strings.Join(strings.Fields(s), " "), excerptText)
		return e
	}
	e.UUID, e.Type, e.Time = strings.Clone(parsed.str("uuid")), strings.Clone(parsed.str("type")), parseTime(parsed.Get("timestamp"))
	e.Text = cut(strings.Join(strings.Fields(rowWords(parsed)), " "), excerptText)
	return e
}

func lineAt(r io.ReaderAt, off int64) ([]byte, error) {
	var line []byte
	buf := make([]byte, 32<<10)
	for len(line) < excerptRow {
		n, err := r.ReadAt(buf, off+int64(len(line)))
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return append(line, buf[:i]...), nil
		}
		line = append(line, buf[:n]...)
		if err != nil {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				return line, nil
			}
			return nil, err
		}
	}
	return line, nil
}

// rowWords picks what a person would want to see of a row.
func rowWords(r row) string {
	if text := r.text(); text != "" {
		return text
	}
	for _, b := range r.blocks() {
		switch str(b.Get("type")) {
		case "tool_use":
			return str(b.Get("name")) + " " + b.Get("input").Raw
		case "tool_result":
			return resultText(b)
		}
	}
	for _, path := range []string{"content", "attachment.prompt", "attachment.content", "subtype"} {
		if text := r.str(path); text != "" {
			return text
		}
	}
	return r.Raw
}
