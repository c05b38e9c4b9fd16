package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"
)

//go:embed assets
var assets embed.FS

// Generator is what the pages say that wrote them. It stands within the first
// 1,024 bytes of a page, so that a caller can tell one from any other file.
const Generator = `<meta name="generator" content="stophook report">`

// page is what every template needs beside its own data.
type page struct {
	CSP       string
	Generator template.HTML
	Style     template.CSS
	Script    template.JS
	Written   string
	Zone      string
}

// newPage reads the assets and pins them by hash: nothing else may style or run,
// and nothing at all may be loaded or sent.
func newPage(now time.Time, zone *time.Location, scripts ...string) (page, error) {
	style, err := assets.ReadFile("assets/page.css")
	if err != nil {
		return page{}, err
	}
	var script []byte
	for _, name := range scripts {
		part, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return page{}, err
		}
		script = append(script, part...)
	}
	p := page{Generator: Generator, Style: template.CSS(style), Script: template.JS(script), Zone: zoneName(now, zone), //nolint:gosec // our own files
		CSP: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(style), hash(script))}
	if !now.IsZero() {
		p.Written = now.In(zone).Format("2 Jan 2006, 15:04:05")
	}
	return p, nil
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// zoneName says which time the page shows.
func zoneName(at time.Time, zone *time.Location) string {
	if zone == time.UTC {
		return "UTC"
	}
	return "UTC" + at.In(zone).Format("-07:00")
}

// templates are parsed once; they never change.
var templates = sync.OnceValues(func() (*template.Template, error) {
	return template.ParseFS(assets, "assets/*.tmpl")
})

// render writes a page only when all of it could be made.
func render(w io.Writer, name string, data any) error {
	t, err := templates()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}
