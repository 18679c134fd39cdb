// The filters: by client, by lock, by kind; each a list of what is shown.

const countBy = (column, length) => {
  const counts = new Float64Array(length);
  for (let i = 0; i < ops.count; i++) counts[column[i]]++;
  return counts;
};

const filters = [
  { aspect: 'client', names: data.clients, counts: countBy(ops.client, data.clients.length), order: clientOrder },
  { aspect: 'lock', names: data.names, counts: countBy(ops.lock, data.names.length), order: byName(data.names) },
  { aspect: 'mark', names: data.marks, counts: countBy(ops.mark, data.marks.length), picture: markSwatch },
].map((filter) => ({
  ...filter,
  root: document.getElementById(`filter-${filter.aspect}`),
  order: (filter.order ?? [...filter.names.keys()]).filter((i) => filter.counts[i] > 0 || filter.aspect === 'client'),
}));

const setHidden = (aspect, hidden) => {
  view.hidden[aspect] = new Set(hidden);
  changed('filter');
};

const fillMenu = ({ aspect, names, counts, order, picture, root }) => {
  const hidden = view.hidden[aspect];
  const line = (i) => {
    const box = make('input', { type: 'checkbox', checked: !hidden.has(i) });
    box.addEventListener('change', () => setHidden(aspect, box.checked ? [...hidden].filter((other) => other !== i) : [...hidden, i]));
    const only = button('only', () => setHidden(aspect, order.filter((other) => other !== i)));
    only.className = 'only';
    only.setAttribute('aria-label', `only ${names[i]}`);
    return make('label', {}, box, picture ? picture(i) : null, make('span', {}, names[i]), make('small', {}, counts[i].toLocaleString('en')), only);
  };
  const all = make('div', { className: 'all' }, button('All', () => setHidden(aspect, [])), button('None', () => setHidden(aspect, order)));
  const menu = root.querySelector('.menu');
  const focused = [...menu.querySelectorAll('input, button')].indexOf(document.activeElement);
  const scrolled = menu.scrollTop;
  menu.replaceChildren(all, ...order.slice(0, 1000).map(line));
  menu.scrollTop = scrolled;
  if (focused >= 0) menu.querySelectorAll('input, button')[focused]?.focus();
};

const NAMED = { client: 'Clients', lock: 'Locks', mark: 'Kinds' };

const tellFilters = () => {
  for (const filter of filters) {
    const hidden = filter.order.filter((i) => view.hidden[filter.aspect].has(i)).length;
    filter.root.classList.toggle('on', hidden > 0);
    const part = hidden > 0 ? ` ${filter.order.length - hidden}/${filter.order.length}` : '';
    filter.root.querySelector('summary').textContent = NAMED[filter.aspect] + part;
    if (filter.root.open) fillMenu(filter);
  }
};

for (const filter of filters) {
  filter.root.addEventListener('toggle', () => {
    if (filter.root.open) fillMenu(filter);
  });
}

// One menu at a time, and none once something else is meant.
addEventListener('pointerdown', (event) => {
  for (const { root } of filters) if (!root.contains(event.target)) root.open = false;
});
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  for (const { root } of filters) {
    if (root.open) {
      root.open = false;
      root.querySelector('summary').focus();
    }
  }
});

follow(['filter', 'theme'], tellFilters);

const legend = document.getElementById('legend');
const fillLegend = () => {
  const [some] = leases.op;
  const lock = some === undefined ? 0 : ops.lock[some];
  const shapes = [
    ['lease', (ctx, width) => { ctx.fillStyle = lockColour(lock); ctx.fillRect(0, 3, width, 10); }, leases.count > 0],
    ['end of its TTL', (ctx, width) => { ctx.fillStyle = lockColour(lock); ctx.fillRect(0, 3, width / 2, 10); ctx.fillStyle = lockEdge(lock); ctx.fillRect(width / 2 - 1, 0, 3, 16); }, leases.expiry.some((at, i) => at <= leases.believed[i])],
    ['over, but its holder does not know', (ctx, width) => { ctx.fillStyle = lockColour(lock, 0.18); ctx.fillRect(0, 3, width, 10); ctx.strokeStyle = lockEdge(lock); ctx.setLineDash([4, 3]); ctx.strokeRect(0.5, 3.5, width - 1, 9); }, leases.believed.some((at, i) => at > leases.until[i])],
    ['paused', (ctx, width) => hatch(ctx, 0, 0, width, 16), pauses.size > 0],
  ];
  const marks = filters[2].order.map((mark) => [data.marks[mark], markSwatch(mark)]);
  const drawn = shapes.filter(([, , used]) => used).map(([name, paint]) => [name, swatch(paint, 26)]);
  legend.replaceChildren(...[...drawn, ...marks].map(([name, picture]) => make('li', {}, picture, name)));
};
follow(['theme'], fillLegend);
