package builtin

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/stophook/stophook/agentcore/tool"
)

//go:embed read_file.md
var readFileText string

// Bounds of one call of read_file.
const (
	readLines     = 2000    // without a limit
	readLineRunes = 2000    // of one line
	readBytes     = 100_000 // of all
)

type readFileInput struct {
	Path   string `json:"path" jsonschema:"the file to read"`
	Offset int64  `json:"offset,omitempty" jsonschema:"the first line to read, from 1"`
	Limit  int64  `json:"limit,omitempty" jsonschema:"how many lines to read"`
}

// ReadOutput is the structured result of read_file.
type ReadOutput struct {
	Type string       `json:"type"` // text
	File ReadFileInfo `json:"file"`
}

// ReadFileInfo says which part of a file was read.
type ReadFileInfo struct {
	FilePath   string `json:"filePath"`
	NumLines   int64  `json:"numLines"`
	StartLine  int64  `json:"startLine"`
	TotalLines int64  `json:"totalLines"`
}

// NewReadFile makes the read_file tool.
func NewReadFile(Options) tool.Tool {
	return tool.MustNew("read_file", readFileText, readFile, tool.ReadOnly(),
		tool.Subject(tool.SubjectPath, "path", ""),
		tool.MaxOutput(readBytes+10_000),
		tool.Constrain(func(s *jsonschema.Schema) { atLeast1(s, 0, "offset", "limit") }))
}

func readFile(ctx context.Context, call *tool.Call, in readFileInput) (*tool.Result, error) {
	fail := func(err error) (*tool.Result, error) { return failed(ctx, call.Env, in.Path, "read", err) }
	t, err := resolve(ctx, call.Env, in.Path, tool.Read)
	if err != nil {
		return fail(err)
	}
	info, err := t.stat(ctx)
	if err != nil {
		return fail(err)
	}
	if info.dir {
		return tool.Errorf("%s is a folder: use list_files or glob.", in.Path), nil
	}
	f, err := t.open(ctx)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = f.Close() }()
	r := bufio.NewReaderSize(f, 64<<10)
	start, err := r.Peek(sniffLen)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return fail(err)
	}
	if kind := binaryKind(start); kind != "" {
		return tool.Errorf("%s is %s of %d bytes, and not text: it cannot be shown here. Use the shell if you need to inspect it.", in.Path, kind, info.size), nil
	}
	p := page{first: max(in.Offset, 1), limit: in.Limit}
	if p.limit == 0 {
		p.limit = readLines
	}
	if err := p.read(ctx, r); err != nil {
		return fail(err)
	}
	if p.total == 0 {
		return &tool.Result{Text: fmt.Sprintf("%s is empty.", in.Path), Structured: p.info(t.place.Path)}, nil
	}
	if p.first > p.total {
		return tool.Errorf("%s has %s, and offset %d is beyond the last.", in.Path, counted(int(p.total), "line"), p.first), nil
	}
	return &tool.Result{Text: p.text.String() + p.notes(), Structured: p.info(t.place.Path)}, nil
}

// page is a part of a file.
type page struct {
	first, limit int64 // wanted
	shown        int64
	total        int64
	full         bool // the bytes ran out
	long         int  // lines that were cut
	broken       bool // something was no UTF-8
	crlf         bool
	text         strings.Builder
}

// read goes through the file once: it keeps the lines of the page and counts all.
func (p *page) read(ctx context.Context, r *bufio.Reader) error {
	var line []byte // what is kept of the line that is being read
	open, size := false, 0
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		chunk, err := r.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if len(chunk) > 0 {
			open = true
			size += len(chunk)
			if room := readLineRunes*utf8.UTFMax + 2 - len(line); room > 0 && p.wants(p.total+1) {
				line = append(line, chunk[:min(room, len(chunk))]...)
			}
		}
		if open && !errors.Is(err, bufio.ErrBufferFull) {
			p.total++
			if p.wants(p.total) {
				p.add(line, size)
			}
			line, open, size = line[:0], false, 0
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
}

func (p *page) wants(n int64) bool { return n >= p.first && n-p.first < p.limit && !p.full }

// add puts a line of size bytes onto the page; line may be only its beginning.
func (p *page) add(line []byte, size int) {
	whole := len(line) == size
	line = bytes.TrimSuffix(line, []byte("\n"))
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line, p.crlf = line[:n-1], true
	}
	text := string(line)
	if !utf8.ValidString(text) && whole {
		p.broken = true
	}
	if !whole || utf8.RuneCountInString(text) > readLineRunes {
		text = firstRunes(text, readLineRunes) + fmt.Sprintf("… [cut: the line has %d bytes]", size)
		p.long++
	}
	numbered := fmt.Sprintf("%6d\t%s\n", p.total, tool.Safe(text))
	if p.shown > 0 && p.text.Len()+len(numbered) > readBytes {
		p.full = true
		return
	}
	p.text.WriteString(numbered)
	p.shown++
}

func (p *page) notes() string {
	var notes []string
	if last := p.first + p.shown - 1; last < p.total {
		notes = append(notes, fmt.Sprintf("lines %d to %d of %d are shown; go on with offset %d", p.first, last, p.total, last+1))
	}
	if p.long > 0 {
		notes = append(notes, fmt.Sprintf("%s cut after %d characters", counted(p.long, "long line"), readLineRunes))
	}
	if p.broken {
		notes = append(notes, "bytes that are no UTF-8 are shown as \uFFFD")
	}
	if p.crlf {
		notes = append(notes, "lines end in CRLF; edit keeps that")
	}
	if len(notes) == 0 {
		return ""
	}
	return "[" + strings.Join(notes, "; ") + "]\n"
}

func (p *page) info(path string) ReadOutput {
	return ReadOutput{Type: "text", File: ReadFileInfo{FilePath: path, NumLines: p.shown, StartLine: p.first, TotalLines: p.total}}
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// sniffLen is how much of a file is looked at to tell text from other things.
const sniffLen = 8 << 10

// binaryKind names what a file is that begins with these bytes, if it is no text.
func binaryKind(start []byte) string {
	for _, k := range []struct{ magic, name string }{
		{"\x89PNG\r\n", "a PNG image"}, {"\xff\xd8\xff", "a JPEG image"}, {"GIF8", "a GIF image"},
		{"%PDF-", "a PDF document"}, {"PK\x03\x04", "a ZIP archive"}, {"\x1f\x8b", "a gzip archive"},
		{"\x7fELF", "an ELF program"}, {"\xff\xfe", "UTF-16 text"}, {"\xfe\xff", "UTF-16 text"},
	} {
		if bytes.HasPrefix(start, []byte(k.magic)) {
			return k.name
		}
	}
	if len(start) > 12 && string(start[:4]) == "RIFF" && string(start[8:12]) == "WEBP" {
		return "a WebP image"
	}
	if bytes.IndexByte(start, 0) >= 0 {
		return "a binary file"
	}
	return ""
}
