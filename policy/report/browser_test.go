package report

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// findBrowser gives Chromium's path, or why there is none.
func findBrowser() (path, reason string) {
	if path := os.Getenv("CHROMIUM"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", "$CHROMIUM: " + err.Error()
		}
		return path, ""
	}
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, ""
		}
	}
	return "", "no " + strings.Join(names, ", ") + " on PATH, and $CHROMIUM is not set; on Debian: apt-get install -y chromium"
}

// browser is one Chromium for a test, with one tab.
type browser struct {
	t   *testing.T
	ctx context.Context

	dialogs  sync.WaitGroup
	mu       sync.Mutex
	problems []string // console errors, content policy violations, exceptions, dialogs
	requests []string // everything that the page asked for, its own file excepted
	self     string
}

// openBrowser starts Chromium, or skips the test by name where there is none.
func openBrowser(t *testing.T, options ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds: not with -short")
	}
	path, reason := findBrowser()
	if path == "" {
		t.Skipf("%s needs Chromium: %s", t.Name(), reason)
	}
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(time.Minute), chromedp.Flag("hide-scrollbars", true))
	if os.Geteuid() == 0 {
		all = append(all, chromedp.NoSandbox)
	}
	// A browser that hangs must not hang the suite.
	limited, expire := context.WithTimeout(context.Background(), 3*time.Minute)
	alloc, stop := chromedp.NewExecAllocator(limited, append(all, options...)...)
	b := &browser{t: t}
	ctx, cancel := chromedp.NewContext(alloc, chromedp.WithListener(b.watch))
	b.ctx = ctx
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		b.dialogs.Wait()
		stop()
		expire()
	})
	b.do(call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}), call(cdppage.Enable, cdppage.EnableParams{}))
	return b
}

// call makes an action of a protocol command.
func call[P, R any](cmd cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, cmd, params)
		return err
	})
}

func (b *browser) watch(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, "console: "+string(ev.Type)) // the page itself writes nothing there
	case *runtime.EventExceptionThrown:
		text := ev.ExceptionDetails.Text
		if ev.ExceptionDetails.Exception != nil {
			text += ": " + ev.ExceptionDetails.Exception.Description
		}
		b.problems = append(b.problems, "exception: "+text)
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprintf("log: %s: %s", ev.Entry.Source, ev.Entry.Text))
	case *cdppage.EventJavascriptDialogOpening:
		b.problems = append(b.problems, "dialog: "+ev.Message)
		b.dialogs.Go(func() { // closed from elsewhere: this function must not call the browser
			_, _ = chromedp.Call(b.ctx, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{})
		})
	case *network.EventRequestWillBeSent:
		if ev.Request.URL != b.self {
			b.requests = append(b.requests, ev.Request.URL)
		}
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open shows a page that was written to a file, at a width and a height.
func (b *browser) open(html []byte, fragment string, w, h int64) {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(path, html, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.self = (&url.URL{Scheme: "file", Path: path}).String()
	b.do(chromedp.EmulateViewport(w, h), prefers("light"), chromedp.Navigate(b.self+fragment))
}

// eval runs an expression of the test in the page. It waits for promises, which
// is how a test waits for the next drawing.
func eval[T any](b *browser, js string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// js runs statements of the test in the page.
func (b *browser) js(statements string) {
	b.t.Helper()
	eval[bool](b, "(() => { "+statements+"; return true; })()")
}

// drawn waits until the page has drawn what was asked for before.
func (b *browser) drawn() {
	b.t.Helper()
	eval[bool](b, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`)
}

// key presses a key at what has the focus.
func (b *browser) key(key string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key))
	b.drawn()
}

// clean fails the test when the page complained or asked for anything.
func (b *browser) clean() {
	b.t.Helper()
	b.drawn()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("the page complained: %s", p)
	}
	for _, r := range b.requests {
		b.t.Errorf("the page asked for %s", r)
	}
}

// shot writes a picture into $SHOTS, for people who work on the look.
func (b *browser) shot(name string) {
	if os.Getenv("SHOTS") != "" {
		b.drawn()
		b.shotNow(name)
	}
}

func (b *browser) shotNow(name string) {
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// prefers makes the system's theme light or dark.
func prefers(theme string) chromedp.Action[chromedp.Void] {
	return call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}}) // so that nothing moves while a test measures
}
