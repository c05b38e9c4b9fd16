// The list, the panel beside it, the filter and the links between list and timeline.
(() => {
  const list = document.getElementById('list');
  const detail = document.getElementById('detail-body');
  const panel = document.getElementById('detail');
  const tip = document.getElementById('tip');
  const say = document.getElementById('say');
  const rowOf = (ref) => document.getElementById(ref);
  const hint = detail.firstElementChild;
  let current = null;

  function element(name, cls, text) {
    const n = document.createElement(name);
    if (cls) n.className = cls;
    if (text !== undefined) n.textContent = text;
    return n;
  }
  const cell = (row, cls) => row.querySelector('td.' + cls);
  const words = (row, cls) => cell(row, cls).textContent.trim();
  const cut = (s, n) => { const c = [...s]; return c.length > n ? c.slice(0, n).join('') + '…' : s; };

  // fill shows a row in the panel: copies of what the list says, so nothing new can come in.
  function fill(row) {
    if (!row) { detail.replaceChildren(hint); return; }
    const head = element('h2', 'd-title');
    head.append(cell(row, 'k').querySelector('svg').cloneNode(true), element('bdi', '', words(row, 'k')));
    const where = element('p', 'd-where');
    const link = element('a', '', 'line ' + words(row, 'l'));
    link.href = '#' + row.id;
    where.append(link, '\u00a0· ', words(row, 't'));
    const body = element('div', 'd-body');
    for (const n of cell(row, 'w').children) body.append(n.cloneNode(true));
    for (const d of body.querySelectorAll('details')) d.open = true;
    const close = element('button', 'd-close', '×');
    close.type = 'button';
    close.setAttribute('aria-label', 'Close');
    close.addEventListener('click', () => pick(null, 'list'));
    detail.replaceChildren(close, head, where, body);
    panel.scrollTop = 0;
  }

  function pick(row, how) {
    if (current) current.classList.remove('chosen');
    current = row;
    panel.classList.toggle('filled', !!row);
    if (row) row.classList.add('chosen');
    fill(row);
    if (row && how === 'keys') {
      say.textContent = words(row, 'k') + ', line ' + words(row, 'l') + ', ' + words(row, 't') + '. ' + cut(cell(row, 'w').querySelector('.x').textContent, 160);
    }
    if (how !== 'hash') {
      try { history.replaceState(null, '', row ? '#' + row.id : location.pathname + location.search); } catch { /* a file may not */ }
    }
  }

  function place(px, py) {
    const w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = Math.max(4, Math.min(px + 14, innerWidth - w - 8)) + 'px';
    tip.style.top = (py + 18 + h > innerHeight ? Math.max(4, py - h - 12) : py + 18) + 'px';
  }
  function hover(h, px, py) {
    const row = h && rowOf(h.e.ref);
    if (!row) { tip.hidden = true; return; }
    if (tip.dataset.ref !== row.id || tip.dataset.n !== String(h.n)) {
      const head = element('p', 'tip-head');
      head.append(cell(row, 'k').querySelector('svg').cloneNode(true), element('bdi', '', words(row, 'k')),
        element('span', 'when', words(row, 't') + '\u00a0· line ' + words(row, 'l')));
      const what = cell(row, 'w');
      const first = what.querySelector('.decision p') || what.querySelector('.x');
      tip.replaceChildren(head, element('p', 'tip-text', cut(first.textContent.trim(), 280)));
      const more = [...what.querySelectorAll('.m > span')].map((n) => n.textContent.trim()).join('\u00a0· ');
      if (more) tip.append(element('p', 'tip-more', cut(more, 240)));
      if (h.n > 1) tip.append(element('p', 'tip-more', 'and ' + (h.n - 1) + ' more here; click to zoom in'));
      tip.dataset.ref = row.id; tip.dataset.n = h.n;
    }
    tip.hidden = false;
    place(px, py);
  }

  // Filters: a switch hides its kind on the timeline and in the list.
  const off = new Set();
  for (const chip of document.querySelectorAll('.chip')) {
    chip.addEventListener('click', () => {
      const kind = chip.dataset.filter;
      if (!off.delete(kind)) off.add(kind);
      chip.setAttribute('aria-pressed', String(!off.has(kind)));
      list.dataset.off = [...off].join(' ');
      if (timeline) timeline.hide(off);
    });
    chip.addEventListener('dblclick', () => { // this kind alone, or all again
      const others = [...document.querySelectorAll('.chip')].filter((c) => c !== chip);
      const alone = others.every((c) => c.getAttribute('aria-pressed') === 'false');
      off.clear();
      if (!alone) for (const c of others) off.add(c.dataset.filter);
      for (const c of document.querySelectorAll('.chip')) c.setAttribute('aria-pressed', String(!off.has(c.dataset.filter)));
      list.dataset.off = [...off].join(' ');
      if (timeline) timeline.hide(off);
    });
  }

  // Find: rows that do not hold the words are hidden, their events dimmed.
  const find = document.getElementById('find');
  const rows = [...list.querySelectorAll('tbody tr')];
  let timer = 0;
  function search() {
    const want = find.value.trim().toLowerCase();
    const hits = new Set();
    for (const r of rows) {
      const yes = !want || r.textContent.toLowerCase().includes(want);
      r.classList.toggle('no', !yes);
      if (yes) hits.add(r.id);
    }
    for (const g of list.querySelectorAll('.group')) g.classList.toggle('none', !!want && !g.querySelector('tbody tr:not(.no)'));
    document.getElementById('found').textContent = want ? hits.size + ' of ' + rows.length : '';
    if (timeline) timeline.search(want ? hits : null);
  }
  find.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(search, 120); });

  function reveal(row) {
    row.scrollIntoView({ block: 'center', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
  }
  const choose = (row, how) => {
    pick(row, how);
    const e = timeline && timeline.byRef.get(row.id);
    if (e) { timeline.listen(hover, () => {}); timeline.choose(e, how); timeline.listen(hover, chosen); }
  };
  function chosen(e, how) {
    const row = e && rowOf(e.ref);
    pick(row, how);
    if (row && how === 'enter') { reveal(row); cell(row, 'l').querySelector('a').focus({ preventScroll: true }); }
  }
  if (timeline) timeline.listen(hover, chosen);
  list.addEventListener('click', (ev) => {
    const row = ev.target.closest('tbody tr');
    if (row && !ev.target.closest('a, summary, button') && !String(getSelection())) choose(row, 'list');
  });
  list.addEventListener('focusin', (ev) => {
    const row = ev.target.closest('tbody tr');
    if (row && ev.target.matches('td.l a') && row !== current) choose(row, 'list');
  });
  for (const [kind, on] of [['mouseover', true], ['mouseout', false]]) {
    list.addEventListener(kind, (ev) => {
      const row = ev.target.closest('tbody tr');
      if (timeline) timeline.hover(on && row ? timeline.byRef.get(row.id) || null : null);
    });
  }
  function follow() {
    const row = location.hash.length > 1 && rowOf(location.hash.slice(1));
    if (row && row.matches('tbody tr')) { choose(row, 'hash'); row.scrollIntoView({ block: 'center' }); }
  }
  addEventListener('hashchange', follow);
  follow();
})();
