// The table of sessions: sorting by its heads, and finding rows.
(() => {
  const table = document.getElementById('table');
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const find = document.getElementById('find');
  const only = document.getElementById('only');

  heads.forEach((head, i) => {
    if (!head.dataset.sort) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const numbers = head.dataset.sort === 'num';
      const was = head.getAttribute('aria-sort');
      const down = numbers ? was !== 'descending' : was === 'ascending';
      for (const h of heads) h.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const value = (r) => (numbers ? Number(r.cells[i].dataset.v) : r.cells[i].textContent);
      const order = (x, y) => (numbers ? value(x) - value(y) : value(x).localeCompare(value(y)));
      rows.sort((x, y) => (down ? order(y, x) : order(x, y)));
      body.append(...rows);
    });
  });

  function filter() {
    const want = find.value.trim().toLowerCase();
    let shown = 0;
    for (const r of rows) {
      const yes = (!want || r.textContent.toLowerCase().includes(want) || r.querySelector('bdi').title.toLowerCase().includes(want))
        && (!only.checked || r.dataset.blocked !== '0');
      r.hidden = !yes;
      if (yes) shown++;
    }
    document.getElementById('found').textContent = shown < rows.length ? shown + ' of ' + rows.length : '';
  }
  find.addEventListener('input', filter);
  only.addEventListener('change', filter);
  filter();
})();
