// SPDX-License-Identifier: Apache-2.0
// Filter, sort, open. The page is whole without it.
'use strict';
(() => {
  const all = [...document.querySelectorAll('.finding')];
  const groups = [...document.querySelectorAll('.group')];
  const by = (id) => document.getElementById(id);

  const openTarget = () => {
    const target = location.hash.length > 1 && by(decodeURIComponent(location.hash.slice(1)));
    if (!target || target.tagName !== 'DETAILS') return;
    for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    target.scrollIntoView();
  };
  addEventListener('hashchange', openTarget);
  openTarget();

  // What is printed is what is shown, opened.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details:not([open])')].filter((d) => !d.hidden);
    closed.forEach((d) => { d.open = true; });
  });
  addEventListener('afterprint', () => closed.forEach((d) => { d.open = false; }));

  if (all.length > 0) {
    document.querySelector('.tools').hidden = false;
    const texts = all.map((d) => (d.closest('.group').querySelector('h3').textContent + ' ' + d.id + ' ' +
      d.querySelector('summary').textContent + ' ' +
      [...d.querySelectorAll('.sentence, .verdict dd')].map((e) => e.textContent).join(' ')).toLowerCase());

    const filter = () => {
      const words = by('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      all.forEach((d, i) => {
        d.hidden = !words.every((w) => texts[i].includes(w));
        shown += d.hidden ? 0 : 1;
      });
      document.querySelectorAll('.witnesses').forEach((w) => {
        w.hidden = !w.querySelector('.finding:not([hidden])');
        if (words.length > 0 && !w.hidden) w.open = true;
      });
      document.querySelectorAll('.cause').forEach((c) => { c.hidden = !c.querySelector('.finding:not([hidden])'); });
      groups.forEach((g) => { g.hidden = !g.querySelector('.finding:not([hidden])'); });
      by('shown').textContent = `${shown} of ${all.length}`;
    };
    by('filter').addEventListener('input', filter);
    document.querySelector('.tools').addEventListener('submit', (e) => e.preventDefault());
    filter();

    const orders = {
      found: (a, b) => a.dataset.found - b.dataset.found,
      hits: (a, b) => b.dataset.hits - a.dataset.hits || a.dataset.found - b.dataset.found,
      input: (a, b) => a.dataset.input.localeCompare(b.dataset.input) || a.dataset.found - b.dataset.found,
    };
    by('sort').addEventListener('change', (e) => groups.forEach((g) => {
      const list = g.querySelector('.list');
      [...list.children].sort(orders[e.target.value]).forEach((d) => list.append(d));
    }));

    const toggle = by('toggle');
    toggle.addEventListener('click', () => {
      const open = toggle.getAttribute('aria-pressed') !== 'true';
      document.querySelectorAll('.finding, .witnesses').forEach((d) => { if (!d.hidden) d.open = open; });
      toggle.setAttribute('aria-pressed', open);
      toggle.textContent = open ? 'Close all' : 'Open all';
    });
  }

  // Columns of figures sort by the number behind what is shown.
  const value = (row, i) => {
    const cell = row.cells[i];
    const number = parseFloat(cell.dataset.value ?? cell.textContent);
    return Number.isNaN(number) ? cell.textContent : number;
  };
  document.querySelectorAll('table.sortable thead th').forEach((th, i) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = th.textContent;
    th.replaceChildren(button);
    button.addEventListener('click', () => {
      const down = th.getAttribute('aria-sort') === 'ascending';
      th.parentElement.querySelectorAll('[aria-sort]').forEach((o) => o.removeAttribute('aria-sort'));
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const body = th.closest('table').tBodies[0];
      [...body.rows].sort((a, b) => {
        const [x, y] = [value(a, i), value(b, i)];
        const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
        return down ? -order : order;
      }).forEach((row) => body.append(row));
    });
  });
})();
