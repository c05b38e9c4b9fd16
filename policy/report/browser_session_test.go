package report

import (
	"bytes"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stophook/stophook/fixtures"
)

// sessionPage is the page of a sample session.
func sessionPage(t *testing.T, rounds int) []byte {
	t.Helper()
	s := sample(rounds)
	if rounds == 0 {
		s = fixtures.NewScript(sampleID, at0)
	}
	h := history(t, s)
	var out bytes.Buffer
	if err := WriteSession(&out, h, stopsOf(h), Options{Now: at0, Policy: "built-in rules"}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBrowser_SessionPage(t *testing.T) {
	b := openBrowser(t)
	b.open(sessionPage(t, 12), "", 1440, 1000)
	b.shot("light")
	if n := eval[int](b, `document.querySelectorAll('#plot .ev').length`); n < 50 {
		t.Errorf("the timeline shows %d events, want at least 50", n)
	}
	t.Run("filter", func(t *testing.T) { b.t = t; filterKinds(b) })
	t.Run("keys", func(t *testing.T) { b.t = t; keys(b) })
	t.Run("hover", func(t *testing.T) { b.t = t; hover(b) })
	t.Run("decision", func(t *testing.T) { b.t = t; decision(b) })
	t.Run("find", func(t *testing.T) { b.t = t; find(b) })
	t.Run("zoom", func(t *testing.T) { b.t = t; zoom(b) })
	t.Run("theme", func(t *testing.T) { b.t = t; theme(b) })
	b.t = t
	b.clean()
}

// filterKinds switches blocked stops off and on, by keyboard.
func filterKinds(b *browser) {
	shown := func() [2]int {
		b.drawn()
		return eval[[2]int](b, `[document.querySelectorAll('#plot .ev.block').length,
			[...document.querySelectorAll('#list tr.block')].filter(r => getComputedStyle(r).display !== 'none').length]`)
	}
	before := shown()
	if before[0] == 0 || before[1] == 0 {
		b.t.Fatalf("blocked stops on the timeline and in the list: %v, want some", before)
	}
	b.do(chromedp.Focus(chromedp.CSS(`.chip[data-filter="block"]`)))
	b.key(" ")
	if got := shown(); got != [2]int{} {
		b.t.Errorf("with blocked stops off there are %v", got)
	}
	if pressed := eval[string](b, `document.querySelector('.chip[data-filter="block"]').getAttribute('aria-pressed')`); pressed != "false" {
		b.t.Errorf("aria-pressed is %q, want false", pressed)
	}
	b.key(" ")
	if got := shown(); got != before {
		b.t.Errorf("switched on again there are %v, want %v", got, before)
	}
}

// keys walks the timeline and goes to a row.
func keys(b *browser) {
	b.do(chromedp.Focus(chromedp.ID("plot")))
	b.key(kb.ArrowRight)
	first := eval[string](b, `location.hash`)
	b.key(kb.ArrowRight)
	second := eval[string](b, `location.hash`)
	if first == "" || second == first {
		b.t.Errorf("the right arrow goes from %q to %q, want two rows", first, second)
	}
	if said := eval[string](b, `document.getElementById('say').textContent`); said == "" {
		b.t.Error("nothing is announced")
	}
	b.key(kb.ArrowDown)
	if kind := eval[string](b, `document.querySelector('#list tr.chosen').className`); kind == "" || kind[:4] != "turn" {
		b.t.Errorf("below the stops is %q, want a turn", kind)
	}
	b.key(kb.Enter)
	if where := eval[bool](b, `document.activeElement.closest('tr').classList.contains('chosen')`); !where {
		b.t.Error("Enter does not go to the row")
	}
	b.do(chromedp.Focus(chromedp.ID("plot")))
	b.key(kb.Escape)
	if n := eval[int](b, `document.querySelectorAll('#list tr.chosen').length`); n != 0 {
		b.t.Error("Escape leaves a row chosen")
	}
}

// hover points at a call on the timeline and reads the tip.
func hover(b *browser) {
	at := eval[[2]float64](b, `(() => { document.querySelector('#plot').scrollIntoView({block: 'center'});
		const r = document.querySelector('#plot .ev.call').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
	b.drawn()
	if tip := eval[string](b, `document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent`); tip == "" || !bytes.Contains([]byte(tip), []byte("line ")) {
		b.t.Errorf("the tip says %q, want the row's line", tip)
	}
	b.shot("hover")
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 5, 5))
	b.drawn()
	if !eval[bool](b, `document.getElementById('tip').hidden`) {
		b.t.Error("the tip stays")
	}
}

// decision opens a deferred stop by its link and reads why.
func decision(b *browser) {
	b.js(`location.hash = '#' + document.querySelector('#list tr.defer').id`)
	b.drawn()
	text := eval[string](b, `document.getElementById('detail').textContent`)
	for _, want := range []string{"Stop deferred", "put off", "Task h002 (make integration-test) had been moved to the background to deliver a message", "it may defer until", "21 min after this stop", "stophook status --end-turn"} {
		if !bytes.Contains([]byte(text), []byte(want)) {
			b.t.Errorf("the panel lacks %q:\n%s", want, text)
		}
	}
	b.shot("decision")
}

func find(b *browser) {
	b.do(chromedp.SendKeys(chromedp.ID("find"), "LINT"), until(`document.getElementById('found').textContent !== ''`))
	n := eval[[2]int](b, `[document.querySelectorAll('#list tbody tr:not(.no)').length, document.querySelectorAll('#plot .ev.dim').length]`)
	if n[0] == 0 || n[0] > 30 || n[1] == 0 {
		b.t.Errorf("found rows and dimmed events: %v, want some of each", n)
	}
	b.js(`const f = document.getElementById('find'); f.value = ''; f.dispatchEvent(new Event('input'))`)
	b.do(until(`document.getElementById('found').textContent === ''`))
}

func zoom(b *browser) {
	first := `document.querySelector('#plot .ev.turn rect').getBoundingClientRect().width`
	before := eval[float64](b, first)
	for range 3 {
		b.do(chromedp.Click(chromedp.ID("zoom-in")))
		b.drawn()
	}
	if eval[bool](b, `document.getElementById('brush').hidden`) {
		b.t.Error("the small picture does not show the part in view")
	}
	b.shot("zoomed")
	b.do(chromedp.Click(chromedp.ID("zoom-all")))
	b.drawn()
	if after := eval[float64](b, first); after != before {
		b.t.Errorf("a turn is %v wide after All, want %v", after, before)
	}
	for _, scale := range []string{"real", "even"} {
		b.js(`const e = document.getElementById('scale'); e.value = '` + scale + `'; e.dispatchEvent(new Event('change'))`)
		b.drawn()
		b.shot("scale-" + scale)
		if n := eval[int](b, `document.querySelectorAll('#plot .ev').length`); n < 10 {
			b.t.Errorf("scale %s shows %d events", scale, n)
		}
	}
	b.js(`const e = document.getElementById('scale'); e.value = 'packed'; e.dispatchEvent(new Event('change'))`)
}

// theme follows the system until the switch says otherwise.
func theme(b *browser) {
	paper := func() string {
		b.drawn()
		return eval[string](b, `getComputedStyle(document.body).backgroundColor`)
	}
	light := paper()
	b.js(`scrollTo(0, 0)`)
	b.do(prefers("dark"))
	dark := paper()
	b.shot("dark")
	if dark == light {
		b.t.Errorf("the page is %s in both themes of the system", dark)
	}
	b.do(chromedp.Click(chromedp.ID("theme"))) // Light
	if got := paper(); got != light {
		b.t.Errorf("the switch makes the page %s, want the light %s", got, light)
	}
	b.do(prefers("light"), chromedp.Click(chromedp.ID("theme"))) // Dark
	if got := paper(); got != dark {
		b.t.Errorf("the switch makes the page %s, want the dark %s", got, dark)
	}
	b.do(chromedp.Click(chromedp.ID("theme")))
}

// until waits for something to become true in the page.
func until(js string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void](js)
}

// A page must be readable wherever it is opened: with thousands of events, with
// none, on a phone, on paper.
func TestBrowser_SessionPage_sizes(t *testing.T) {
	b := openBrowser(t)
	for _, c := range []struct {
		name   string
		rounds int
		w, h   int64
		most   int // nodes of the drawing
	}{
		{"big", 300, 1440, 1000, 6000},
		{"narrow", 12, 400, 1600, 2000},
		{"empty", 0, 1000, 700, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			b.open(sessionPage(t, c.rounds), "", c.w, c.h)
			b.shot(c.name)
			if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > c.w {
				t.Errorf("the page is %d wide in a window of %d", wide, c.w)
			}
			if n := eval[int](b, `document.querySelectorAll('#plot *').length`); n > c.most {
				t.Errorf("the drawing has %d nodes, want %d at most", n, c.most)
			}
			if c.name == "narrow" && os.Getenv("SHOTS") != "" {
				b.do(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}), chromedp.EmulateViewport(800, 1100))
				b.shot("print")
			}
			b.clean()
		})
	}
	b.t = t
}

// Text must be readable: 4.5 to 1 against what lies behind it, in both themes.
func TestBrowser_Contrast(t *testing.T) {
	b := openBrowser(t)
	for name, html := range map[string][]byte{"session": sessionPage(t, 12), "replay": replayPage(t, replayed(t))} {
		b.open(html, "", 1440, 1000)
		for _, theme := range []string{"light", "dark"} {
			b.do(prefers(theme))
			b.drawn()
			for _, fault := range eval[[]string](b, contrast) {
				t.Errorf("%s, %s: %s", name, theme, fault)
			}
		}
	}
	b.clean()
}

// contrast lists texts that are too faint. Colours are read through a canvas, which
// knows every way to write one.
const contrast = `(() => {
	const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
	const rgba = (c) => { pen.clearRect(0, 0, 1, 1); pen.fillStyle = c; pen.fillRect(0, 0, 1, 1); return pen.getImageData(0, 0, 1, 1).data; };
	const light = (c) => { const [r, g, b] = [...c].slice(0, 3).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = (n) => { for (; n; n = n.parentElement) { const c = rgba(getComputedStyle(n).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
	const out = new Set();
	for (const n of document.querySelectorAll('body *')) {
		if (!n.getClientRects().length || ![...n.childNodes].some(c => c.nodeType === 3 && c.textContent.trim())) continue;
		const svg = n.ownerSVGElement, style = getComputedStyle(n);
		let ground = behind(svg ? svg.parentElement : n);
		if (svg && n.classList.contains('bar-text')) { const bar = n.parentElement.querySelector('rect'); const s = getComputedStyle(bar); if (s.fillOpacity === '1' && s.fill !== 'none' && !n.parentElement.classList.contains('handoff')) ground = rgba(s.fill); }
		const [x, y] = [light(rgba(svg ? style.fill : style.color)), light(ground)].sort((p, q) => q - p);
		const ratio = (x + 0.05) / (y + 0.05);
		if (ratio < 4.5) out.add(n.tagName + '.' + (n.getAttribute('class') || '') + ' in ' + (n.parentElement.getAttribute('class') || '') + ' has ' + ratio.toFixed(2));
	}
	return [...out].slice(0, 20);
})()`
