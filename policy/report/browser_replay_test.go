package report

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/replay"
)

// replayed judges the recorded sessions of the repository.
func replayed(t *testing.T) *replay.Result {
	t.Helper()
	r, err := replay.Run(context.Background(), []string{"../../fixtures/captures"}, replay.Options{Config: policy.DefaultConfig()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func replayPage(t *testing.T, r *replay.Result) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := WriteReplay(&out, r, Options{Now: at0, Policy: "built-in rules"}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBrowser_ReplayPage(t *testing.T) {
	b := openBrowser(t)
	r := replayed(t)
	b.open(replayPage(t, r), "", 1440, 1200)
	b.shot("replay")
	rows := func() []string {
		return eval[[]string](b, `[...document.querySelectorAll('#table tbody tr')].filter(r => !r.hidden).map(r => r.cells[2].dataset.v)`)
	}
	if got := len(rows()); got != len(r.Sessions) {
		t.Errorf("%d sessions in the table, want %d", got, len(r.Sessions))
	}
	said := eval[string](b, `document.getElementById(document.querySelector('svg.columns').getAttribute('aria-describedby')).textContent`)
	for _, want := range []string{"30 Nov 2026, 17:20", "each column is 5 minutes, the highest has ", "30 Nov 2026, 17:50"} {
		if !strings.Contains(said, want) {
			t.Errorf("the picture of all stops is described as %q, want %q in it", said, want)
		}
	}
	b.do(chromedp.Click(chromedp.CSS(`#table th:nth-child(3) button`)))
	sorted := rows()
	if sorted[0] == "0" || sorted[0] < sorted[len(sorted)-1] {
		t.Errorf("sorted by blocks the first has %s and the last %s", sorted[0], sorted[len(sorted)-1])
	}
	if sort := eval[string](b, `document.querySelector('#table th:nth-child(3)').getAttribute('aria-sort')`); sort != "descending" {
		t.Errorf("aria-sort is %q", sort)
	}
	b.do(chromedp.Click(chromedp.ID("only")))
	for _, n := range rows() {
		if n == "0" {
			t.Error("a session without blocks is shown although they are filtered out")
			break
		}
	}
	b.do(chromedp.Click(chromedp.ID("only")), chromedp.SendKeys(chromedp.ID("find"), "e-block"))
	if got := eval[string](b, `document.getElementById('found').textContent`); !strings.Contains(got, " of ") || strings.HasPrefix(got, "0 ") {
		t.Errorf("found %q", got)
	}
	b.js(`document.querySelector('.hard').open = true`)
	if text := eval[string](b, `document.querySelector('.hard').innerText`); !strings.Contains(text, "line ") || !strings.Contains(text, "stop-hook.") {
		t.Errorf("the session hit hardest shows %q, want lines and codes", text)
	}
	b.do(prefers("dark"))
	b.js(`scrollTo(0,0)`)
	b.shot("replay-dark")
	b.do(chromedp.EmulateViewport(400, 1400))
	b.shot("replay-narrow")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 400 {
		t.Errorf("at 400 pixels the page is %d wide", wide)
	}
	b.clean()
}

func TestBrowser_ReplayPage_empty(t *testing.T) {
	b := openBrowser(t)
	b.open(replayPage(t, &replay.Result{}), "", 900, 700)
	b.shot("replay-empty")
	b.clean()
}
