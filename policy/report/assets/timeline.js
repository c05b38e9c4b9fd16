// Timeline: drawn from places and states only. Text of the session is set as text, never as markup.
const timeline = (() => {
  const plot = document.getElementById('plot');
  if (!plot) return null;
  const NS = 'http://www.w3.org/2000/svg';
  const raw = JSON.parse(document.getElementById('data').textContent);
  const lanes = raw.lanes;
  const keys = ['lane', 'row', 'from', 'to', 'state', 'ref', 'label', 'kind', 'flags', 'limit'];
  const events = (raw.events || []).map((list, i) => {
    const e = { i };
    keys.forEach((k, n) => { e[k] = list[n]; });
    return e;
  });
  const byRef = new Map(events.map((e) => [e.ref, e]));
  const points = new Set(['stop', 'reply', 'notice', 'mark']);
  const ROW = 17, BAR = 12, AXIS = 30, PAD = 5;
  const rank = { block: 4, fault: 3, defer: 2, allow: 1 };
  let scale = 'packed', a = 0, b = 1, width = 0, gutter = 0;
  let hidden = new Set(), match = null, selected = null, hovered = null, pending = 0;
  let onHover = () => {}, onSelect = () => {};

  // Scales: time in ms to a place from 0 to 1, and back.
  const scales = {};
  const last = raw.pieces ? raw.pieces[raw.pieces.length - 1] : [0, 1, 0, 0];
  const end = Math.max(last[1], 1);
  scales.packed = { t: [], u: [] };
  for (const p of raw.pieces || []) { scales.packed.t.push(p[0]); scales.packed.u.push(p[2]); }
  scales.packed.t.push(end); scales.packed.u.push(1);
  scales.real = { t: [0, end], u: [0, 1] };
  const instants = [...new Set(events.map((e) => e.from))].sort((x, y) => x - y);
  if (instants[instants.length - 1] < end) instants.push(end);
  scales.even = instants.length > 1
    ? { t: instants, u: instants.map((_, i) => i / (instants.length - 1)) } : scales.real;

  function bisect(list, x) { // the last index whose value is not above x
    let lo = 0, hi = list.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (list[mid] <= x) lo = mid; else hi = mid - 1;
    }
    return lo;
  }
  function map(from, to, x) {
    const i = Math.min(bisect(from, x), from.length - 2);
    if (i < 0) return to[0];
    const span = from[i + 1] - from[i];
    const part = span > 0 ? Math.min(Math.max((x - from[i]) / span, 0), 1) : 0;
    return to[i] + (to[i + 1] - to[i]) * part;
  }
  const place = (t) => map(scales[scale].t, scales[scale].u, t);
  const time = (u) => map(scales[scale].u, scales[scale].t, u);
  const x = (t) => gutter + (place(t) - a) / (b - a) * (width - gutter - 8);

  const two = (n) => String(n).padStart(2, '0');
  const date = (t) => new Date(raw.from + t + raw.zone * 1000); // its UTC fields are the page's zone
  const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const day = (t) => date(t).getUTCDate() + ' ' + months[date(t).getUTCMonth()];
  function clock(t, step) {
    const d = date(t);
    let s = two(d.getUTCHours()) + ':' + two(d.getUTCMinutes());
    if (step < 60000) s += ':' + two(d.getUTCSeconds());
    if (step < 1000) s += '.' + String(d.getUTCMilliseconds()).padStart(3, '0');
    return s;
  }
  function lasts(ms) {
    const units = [[86400000, 'd'], [3600000, 'h'], [60000, 'min'], [1000, 's']];
    for (let i = 0; i < units.length; i++) {
      const [n, name] = units[i];
      if (ms >= n) {
        const rest = units[i + 1] ? Math.floor(ms % n / units[i + 1][0]) : 0;
        return Math.floor(ms / n) + ' ' + name + (rest ? ' ' + rest + ' ' + units[i + 1][1] : '');
      }
    }
    return Math.round(ms) + ' ms';
  }

  function node(name, attrs, parent, text) {
    const n = document.createElementNS(NS, name);
    for (const k in attrs) n.setAttribute(k, attrs[k]);
    if (text !== undefined) n.textContent = text;
    if (parent) parent.appendChild(n);
    return n;
  }

  const visible = (e) => !hidden.has(e.kind);
  const dim = (e) => match && !match.has(e.ref);

  // layout gives every lane that has something to show its place.
  function layout() {
    const used = new Set(events.filter(visible).map((e) => e.lane));
    let y = AXIS;
    lanes.forEach((l, i) => {
      l.on = used.has(i);
      l.y = y;
      l.label = gutter ? 0 : 13;
      if (l.on) y += 2 * PAD + l.label + l.rows * ROW;
    });
    return y + 2;
  }
  const top = (e) => lanes[e.lane].y + PAD + lanes[e.lane].label + e.row * ROW;

  function draw() {
    pending = 0;
    width = plot.clientWidth;
    if (!width) return;
    gutter = width > 640 ? 122 : 0; // room for the names of the lanes; without it they stand above
    const height = layout();
    const svg = node('svg', { width, height, 'aria-hidden': 'true' });
    const defs = node('defs', {}, svg);
    const clip = node('clipPath', { id: 'clip' }, defs);
    node('rect', { x: gutter, y: 0, width: Math.max(width - gutter, 1), height }, clip);
    lanes.forEach((l, i) => {
      if (!l.on) return;
      const h = 2 * PAD + l.label + l.rows * ROW;
      node('line', { class: 'lane', x1: 0, x2: width, y1: l.y, y2: l.y }, svg);
      if (selected && selected.lane === i) node('rect', { class: 'lane-on', x: gutter ? -10 : 0, y: l.y + 4, width: 2, height: h - 8 }, svg);
    });
    const g = node('g', { 'clip-path': 'url(#clip)' }, svg);
    ticks(g, height);
    guides(g, height);
    const marks = node('g', {}, g);
    bars(marks);
    selection(g, height);
    for (const l of lanes) {
      if (l.on) node('text', { class: 'lane-name', x: gutter ? 0 : 4, y: gutter ? l.y + PAD + 11 : l.y + 12 }, svg, l.title);
    }
    plot.replaceChildren(svg);
    brush();
  }

  // ticks draws the axis: silence as bands with their length, labels where time runs evenly.
  function ticks(g, height) {
    const sc = scales[scale];
    let free = gutter - 40, lastDay = '';
    const put = (px, t, step, always) => {
      const d = day(t);
      const text = (d !== lastDay ? d + ' ' : '') + clock(t, step);
      const w = text.length * 6.2;
      if (px < gutter - 1 || px + (always ? 0 : w * 0.3) > width || px < free) return false;
      node('line', { class: 'tick', x1: px, x2: px, y1: AXIS - 8, y2: height }, g);
      node('text', { class: 'tick-text', x: px + 3, y: AXIS - 12 }, g, text);
      free = px + w + 14;
      lastDay = d;
      return true;
    };
    if (scale === 'even') {
      const first = Math.floor(a * (sc.t.length - 1)), stop = Math.ceil(b * (sc.t.length - 1));
      for (let i = Math.max(first, 0); i <= stop && i < sc.t.length; i++) put(x(sc.t[i]), sc.t[i], 1000);
      return;
    }
    const parts = scale === 'real' ? [[0, end, 0, 0]] : raw.pieces;
    for (const [t0, t1, , gap] of parts) {
      const x0 = x(t0), x1 = x(t1);
      if (x1 < gutter || x0 > width) continue;
      if (gap) {
        node('rect', { class: 'gap', x: x0, y: AXIS - 8, width: Math.max(x1 - x0, 1), height: height - AXIS + 8 }, g);
        const text = lasts(t1 - t0), w = text.length * 5.6;
        if (x1 - x0 > w + 4) node('text', { class: 'gap-text', x: (x0 + x1) / 2, y: AXIS + 2, 'text-anchor': 'middle' }, g, text);
        continue;
      }
      const step = pick((t1 - t0) / Math.max(x1 - x0, 1) * 84);
      put(x0, t0, Math.min(step, 60000), false);
      const zone = raw.from + raw.zone * 1000;
      const from = Math.max(t0, time(Math.max(a, 0))), to = Math.min(t1, time(Math.min(b, 1)));
      for (let t = Math.ceil((zone + from) / step) * step - zone; t < to; t += step) put(x(t), t, step, false);
    }
  }
  function pick(ms) {
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000,
      900000, 1800000, 3600000, 7200000, 10800000, 21600000, 43200000, 86400000, 172800000, 604800000];
    return steps.find((s) => s >= ms) || 2592000000;
  }

  // guides draws a line down from every stop that held the agent or let it wait.
  function guides(g, height) {
    const held = events.filter((e) => visible(e) && rank[e.kind] && e.kind !== 'allow' && x(e.from) >= gutter && x(e.from) <= width);
    if (held.length > (width - gutter) / 24) return; // a curtain would say nothing
    for (const e of held) {
      const px = x(e.from);
      node('line', { class: 'guide ' + e.kind, x1: px, x2: px, y1: top(e) + 14, y2: height }, g);
    }
  }

  // bars draws what is in view. What would lie on each other is drawn once, with its count.
  function bars(g) {
    const open = new Map(); // lane and row to the cluster being filled
    const dense = columns(g);
    const flush = (c, next) => {
      c.room = next ? next - c.x0 : 1e9; // until the next one of its row
      const n = points.has(lanes[c.e.lane].name) ? point(g, c) : bar(g, c);
      n.dataset.i = c.e.i;
      if (c.n > 1) n.dataset.n = c.n;
    };
    for (const e of events) {
      if (!visible(e) || dense && rank[e.kind]) continue;
      const x0 = x(e.from), x1 = Math.max(x(Math.max(e.to, e.from)), x0);
      const far = e.limit ? Math.max(x1, x(e.limit)) : x1;
      if (far < gutter - 10 || x0 > width + 10) continue;
      const key = e.lane * 100 + e.row;
      const isPoint = points.has(lanes[e.lane].name);
      const reach = lanes[e.lane].name === 'reply' ? 3 : isPoint ? 9 : 1.5;
      const c = open.get(key);
      const small = isPoint || x1 - x0 < 4 && !e.limit;
      if (c && small && c.small && x0 - (isPoint ? c.x0 : c.x1) < reach && (isPoint || c.e.state === e.state)) {
        c.n++; c.x1 = Math.max(c.x1, x1); c.last = e;
        if ((rank[e.kind] || 0) > (rank[c.e.kind] || 0)) c.e = e;
        continue;
      }
      if (c) flush(c, x0);
      open.set(key, { e, first: e, last: e, x0, x1, n: 1, small });
    }
    for (const c of open.values()) flush(c);
  }
  // columns draws stops that stand too close for their marks as stacked columns, blocks at the bottom.
  function columns(g) {
    const step = 6, stack = new Map();
    let n = 0, most = 0, lane = null;
    for (const e of events) {
      if (!rank[e.kind] || !visible(e)) continue;
      const px = x(e.from);
      if (px < gutter || px > width) continue;
      n++; lane = lanes[e.lane];
      const k = Math.floor((px - gutter) / step);
      if (!stack.has(k)) stack.set(k, []);
      stack.get(k).push(e);
      most = Math.max(most, stack.get(k).length);
    }
    if (n < (width - gutter) / 14) return false;
    const foot = lane.y + PAD + lane.label + BAR + 3;
    for (const [k, list] of stack) {
      let y = foot;
      for (const kind of ['block', 'fault', 'defer', 'allow']) {
        const of = list.filter((e) => e.kind === kind);
        if (!of.length) continue;
        const h = of.length / most * 16;
        const c = node('g', { class: 'ev ' + kind + (of.every(dim) ? ' dim' : '') }, g);
        node('rect', { x: gutter + k * step + 0.5, y: y - h, width: step - 1, height: h }, c);
        c.dataset.i = of[0].i;
        c.dataset.n = of.length;
        y -= h;
      }
    }
    return true;
  }
  function point(g, c) {
    const { e } = c;
    const y = top(e) + BAR / 2 + 1;
    const s = lanes[e.lane].name === 'reply' ? 12 : 16;
    const n = node('g', { class: 'ev ' + e.kind + ' ' + e.state + (dim(e) ? ' dim' : '') }, g);
    node('use', { href: '#g-' + e.kind, x: c.x0 - s / 2, y: y - s / 2, width: s, height: s }, n);
    if (c.n > 1 && s === 16 && c.room > 26) node('text', { class: 'many', x: c.x0 + 8, y: y - 3 }, n, c.n > 99 ? '99+' : c.n);
    return n;
  }
  function bar(g, c) {
    const { e } = c;
    const y = top(e), w = Math.max(c.x1 - c.x0, 2.5);
    const n = node('g', { class: 'ev ' + e.kind + ' ' + e.state + (e.flags & 1 ? ' unended' : '') + (dim(e) ? ' dim' : '') }, g);
    const left = Math.max(c.x0, gutter - 4);
    if (e.kind === 'handoff') return handoff(n, e, c, y);
    node('rect', { x: c.x0, y: y + 1, width: w, height: BAR, rx: Math.min(2, w / 2) }, n);
    if (e.flags & 1 && w > 6) node('path', { class: 'on', d: `M${c.x1 - 7} ${y + 1}l7 ${BAR / 2}-7 ${BAR / 2}z` }, n);
    if (e.kind === 'failed') node('rect', { class: 'cross', x: c.x0, y: y + 1, width: w, height: 3 }, n);
    text(n, e.label, left, Math.min(c.x1 - (e.flags & 1 ? 9 : 0), c.x0 + c.room), y);
    return n;
  }
  // handoff draws how long it was open, the window in which it may defer, and the limit.
  function handoff(n, e, c, y) {
    const limit = e.limit ? x(e.limit) : c.x0;
    const until = Math.min(c.x1, limit);
    if (e.limit) node('rect', { class: 'window', x: c.x0, y: y + 1, width: Math.max(limit - c.x0, 2), height: BAR }, n);
    node('rect', { x: c.x0, y: y + 1, width: Math.max(until - c.x0, 2.5), height: BAR }, n);
    if (c.x1 > limit) node('rect', { class: 'late', x: limit, y: y + 5, width: c.x1 - limit, height: 4 }, n);
    if (e.limit) node('path', { class: 'limit', d: `M${limit} ${y - 2}v${BAR + 6}` }, n);
    text(n, e.label, Math.max(c.x0, gutter - 4), Math.min(Math.max(c.x1, limit), c.x0 + c.room), y);
    if (e.limit && width - limit > 50 && c.room > Math.max(c.x1, limit) - c.x0 + 46) node('text', { class: 'limit-text', x: limit + 4, y: y + BAR - 1 }, n, '30 min');
    return n;
  }
  function text(n, label, from, to, y) {
    const room = Math.floor((Math.min(to, width) - from - 8) / 6);
    if (!label || room < 4) return;
    const chars = [...label];
    node('text', { class: 'bar-text', x: from + 4, y: y + BAR - 1.5 }, n, chars.length > room ? chars.slice(0, room - 1).join('') + '…' : label);
  }
  function selection(g, height) {
    for (const [e, cls] of [[hovered, 'hover'], [selected, 'chosen']]) {
      if (!e || !visible(e)) continue;
      const x0 = x(e.from), x1 = Math.max(x(e.to), x0), isPoint = points.has(lanes[e.lane].name);
      if (cls === 'chosen') node('line', { class: 'cursor', x1: x0, x2: x0, y1: AXIS - 8, y2: height }, g);
      node('rect', { class: cls, x: x0 - (isPoint ? 9 : 2), y: top(e) - 1, width: isPoint ? 18 : x1 - x0 + 5, height: BAR + 4, rx: 3 }, g);
    }
  }
  function brush() {
    const box = document.getElementById('brush');
    const p = (t) => map(scales.packed.t, scales.packed.u, t);
    const from = p(time(a)), to = p(time(b));
    box.style.left = from * 100 + '%';
    box.style.width = Math.max(to - from, 0.004) * 100 + '%';
    box.hidden = from <= 0.0005 && to >= 0.9995;
  }
  const redraw = () => { if (!pending) pending = requestAnimationFrame(draw); };

  function view(from, to) {
    const least = 1e-6, span = Math.min(Math.max(to - from, least), 1);
    a = Math.min(Math.max(from, 0), 1 - span);
    b = a + span;
    redraw();
  }
  function zoom(factor, at) {
    const mid = at === undefined ? (selected && x(selected.from) > gutter && x(selected.from) < width ? place(selected.from) : (a + b) / 2) : at;
    view(mid - (mid - a) * factor, mid + (b - mid) * factor);
  }
  function show(e) { // brings an event into view
    const u = place(e.from), span = b - a;
    if (u < a + span * 0.04 || u > b - span * 0.04) view(u - span / 2, u + span / 2);
  }
  const unplace = (px) => a + (px - gutter) / Math.max(width - gutter - 8, 1) * (b - a);

  function choose(e, how) {
    selected = e;
    if (e) show(e);
    onSelect(e, how);
    redraw();
  }
  // hit finds the event that a node of the drawing stands for.
  function hit(target) {
    const n = target.closest ? target.closest('[data-i]') : null;
    return n ? { e: events[n.dataset.i], n: Number(n.dataset.n || 1) } : null;
  }

  // Pointer: hover, drag to move, click to select, double click and Ctrl-wheel to zoom.
  let drag = null;
  plot.addEventListener('pointerdown', (ev) => { if (ev.button === 0) drag = { x: ev.clientX, a, b, moved: false, id: ev.pointerId }; });
  plot.addEventListener('pointermove', (ev) => {
    if (drag) {
      const d = ev.clientX - drag.x;
      if (Math.abs(d) > 4 && !drag.moved) { drag.moved = true; plot.setPointerCapture(drag.id); plot.classList.add('dragging'); }
      if (drag.moved) {
        const shift = d / Math.max(width - gutter - 8, 1) * (drag.b - drag.a);
        view(drag.a - shift, drag.b - shift);
        onHover(null);
        return;
      }
    }
    const h = hit(ev.target);
    if ((h && h.e) !== hovered) { hovered = h && h.e; redraw(); }
    onHover(h, ev.clientX, ev.clientY);
  });
  const release = () => { drag = null; plot.classList.remove('dragging'); };
  plot.addEventListener('pointerup', (ev) => {
    const moved = drag && drag.moved;
    release();
    if (moved) return;
    const h = hit(ev.target);
    if (!h) return;
    choose(h.e, 'pointer');
    if (h.n > 1) zoom(0.3, place(h.e.from));
  });
  plot.addEventListener('pointercancel', release);
  plot.addEventListener('pointerleave', () => { if (hovered) { hovered = null; redraw(); } onHover(null); });
  plot.addEventListener('dblclick', (ev) => zoom(0.4, unplace(ev.clientX - plot.getBoundingClientRect().left)));
  plot.addEventListener('wheel', (ev) => {
    const sideways = Math.abs(ev.deltaX) > Math.abs(ev.deltaY);
    if (!ev.ctrlKey && !ev.metaKey && !sideways && !ev.shiftKey) return; // the page scrolls
    ev.preventDefault();
    if (ev.ctrlKey || ev.metaKey) {
      zoom(Math.exp(Math.max(-1, Math.min(1, ev.deltaY * 0.01))), unplace(ev.clientX - plot.getBoundingClientRect().left));
    } else {
      const d = (sideways ? ev.deltaX : ev.deltaY) / Math.max(width - gutter, 1) * (b - a);
      view(a + d, b + d);
    }
  }, { passive: false });

  // Keyboard.
  function step(dir) {
    const all = events.filter((e) => visible(e) && !dim(e));
    if (!all.length) return null;
    if (!selected || !visible(selected)) return dir > 0 ? all[0] : all[all.length - 1];
    const lane = all.filter((e) => e.lane === selected.lane);
    return lane[lane.indexOf(selected) + dir] || selected;
  }
  function hop(dir) {
    if (!selected) return step(1);
    for (let l = selected.lane + dir; l >= 0 && l < lanes.length; l += dir) {
      let best = null;
      for (const e of events) {
        if (e.lane !== l || !visible(e) || dim(e)) continue;
        if (!best || Math.abs(e.from - selected.from) < Math.abs(best.from - selected.from)) best = e;
      }
      if (best) return best;
    }
    return selected;
  }
  plot.addEventListener('keydown', (ev) => {
    if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
    const go = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => hop(1), ArrowUp: () => hop(-1) }[ev.key];
    if (go) { const e = go(); if (e) choose(e, 'keys'); }
    else if (ev.key === '+' || ev.key === '=') zoom(0.5);
    else if (ev.key === '-' || ev.key === '_') zoom(2);
    else if (ev.key === '0') view(0, 1);
    else if (ev.key === 'Enter') { if (selected) onSelect(selected, 'enter'); }
    else if (ev.key === 'Escape') { choose(null, 'keys'); onHover(null); }
    else return;
    ev.preventDefault();
  });

  // The small picture moves the view.
  const small = document.getElementById('overview');
  let sliding = false;
  const slide = (ev) => {
    const box = small.getBoundingClientRect();
    const t = map(scales.packed.u, scales.packed.t, (ev.clientX - box.left) / box.width);
    const span = b - a, u = place(t);
    view(u - span / 2, u + span / 2);
  };
  small.addEventListener('pointerdown', (ev) => {
    if (b - a > 0.999) view(0.4, 0.6);
    sliding = true; small.setPointerCapture(ev.pointerId); slide(ev);
  });
  small.addEventListener('pointermove', (ev) => { if (sliding) slide(ev); });
  for (const stop of ['pointerup', 'pointercancel']) small.addEventListener(stop, () => { sliding = false; });

  document.getElementById('zoom-in').addEventListener('click', () => zoom(0.5));
  document.getElementById('zoom-out').addEventListener('click', () => zoom(2));
  document.getElementById('zoom-all').addEventListener('click', () => view(0, 1));
  document.getElementById('scale').addEventListener('change', (ev) => {
    const t0 = time(a), t1 = time(b), all = b - a > 0.999;
    scale = ev.target.value;
    if (all) view(0, 1); else view(place(t0), place(t1));
  });
  new ResizeObserver(redraw).observe(plot);
  draw();
  return {
    byRef, choose, redraw, lasts,
    lane: (e) => lanes[e.lane].title,
    hide: (set) => { hidden = set; redraw(); },
    search: (refs) => { match = refs; redraw(); },
    hover: (e) => { hovered = e; redraw(); },
    listen: (hover, select) => { onHover = hover; onSelect = select; },
  };
})();
