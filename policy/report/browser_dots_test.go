package report

import "testing"

// No line begins with the dot that separates two items, at any width.
func TestBrowser_Dots(t *testing.T) {
	b := openBrowser(t)
	for name, html := range map[string][]byte{"session": sessionPage(t, 12), "replay": replayPage(t, replayed(t))} {
		shown := 0
		for _, wide := range []int64{320, 333, 400, 480, 700, 900, 1100, 1440} {
			b.open(html, "", wide, 900)
			b.js(`for (const d of document.querySelectorAll('details')) d.open = true;
				for (const n of document.querySelectorAll('.group')) n.style.contentVisibility = 'visible'`)
			b.drawn()
			shown += eval[int](b, `(`+dots+`)().shown`)
			for _, fault := range eval[[]string](b, `(`+dots+`)().faults`) {
				t.Errorf("%s, %d pixels wide: %s", name, wide, fault)
			}
		}
		if shown < 20 {
			t.Errorf("%s: only %d dots were looked at", name, shown)
		}
	}
	b.clean()
}

// dots looks at the dots in texts, and at those before the items of lists: the dot
// of an item that begins a line must lie outside of what is shown.
const dots = `() => {
	const faults = [];
	let shown = 0;
	const top = (node, i) => { const r = document.createRange(); r.setStart(node, i); r.setEnd(node, i + 1); return r.getClientRects()[0]; };
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; n = walk.nextNode();) {
		if (n.parentElement.closest('script, style')) continue;
		for (let i = n.data.indexOf('·'); i >= 0; i = n.data.indexOf('·', i + 1)) {
			const dot = top(n, i);
			if (!dot) continue;
			shown++;
			const line = n.parentElement.closest('p, h3, td, li, span.when') || n.parentElement;
			const style = getComputedStyle(line);
			if (dot.left <= line.getBoundingClientRect().left + parseFloat(style.paddingLeft) + 3) faults.push('a line begins with the dot of ' + n.data.trim());
		}
	}
	for (const list of document.querySelectorAll('.facts, .m')) {
		const clip = list.getBoundingClientRect().left + parseFloat(getComputedStyle(list).getPropertyValue('--dot'));
		let last = null;
		for (const item of list.children) {
			const r = item.getBoundingClientRect();
			if (!r.width) continue;
			if (getComputedStyle(item, '::before').content !== '"·"') { faults.push('no dot before ' + item.textContent); continue; }
			const dotEnds = r.left + parseFloat(getComputedStyle(item).paddingLeft);
			const begins = !last || r.top >= last.bottom - 1;
			if (begins && dotEnds > clip + 0.5) faults.push('a line begins with the dot of ' + item.textContent);
			if (!begins) { shown++; if (r.left < clip) faults.push('the dot is cut before ' + item.textContent); }
			last = r;
		}
		if (last && !getComputedStyle(list).clipPath.startsWith('inset')) faults.push('nothing is cut off at the left');
	}
	return {faults: [...new Set(faults)].slice(0, 10), shown};
}`
