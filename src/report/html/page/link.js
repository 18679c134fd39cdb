// A link that keeps the view: all of it stands in the address, after the #.

const listed = (aspect, names, order) => {
  const hidden = order.filter((i) => view.hidden[aspect].has(i));
  if (hidden.length === 0) return [];
  const left = order.filter((i) => !view.hidden[aspect].has(i));
  const [key, which] = left.length < hidden.length ? [aspect, left] : [`no-${aspect}`, hidden];
  return [[key, which.map((i) => encodeURIComponent(names[i])).join(',')]];
};

const linked = () => {
  const parts = [
    ['from', Math.round(view.from)],
    ['until', Math.round(view.until)],
    ...(view.finding >= 0 ? [['violation', view.finding + 1]] : []),
    ...(view.pin ? [[view.pin.kind, view.pin.kind === 'op' ? ops.id[view.pin.i] : view.pin.i + 1]] : []),
    ...(view.query.trim() ? [['q', encodeURIComponent(view.query.trim())]] : []),
    ...filters.flatMap(({ aspect, names, order }) => listed(aspect, names, order)),
  ];
  return `#${parts.map(([key, value]) => `${key}=${value}`).join('&')}`;
};

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

// Restores a view, and says whether the link had one. A link that somebody mangled restores what it can.
const restore = (hash) => {
  const parts = new Map(hash.slice(1).split('&').map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
  const [from, until] = [Number(parts.get('from') || NaN), Number(parts.get('until') || NaN)];
  for (const { aspect, names, order } of filters) {
    const named = (key) => {
      const wanted = new Set((parts.get(key) ?? '').split(',').map(decoded));
      return order.filter((i) => wanted.has(names[i]));
    };
    const shownOnly = parts.has(aspect) ? new Set(named(aspect)) : null;
    view.hidden[aspect] = new Set(shownOnly ? order.filter((i) => !shownOnly.has(i)) : named(`no-${aspect}`));
  }
  view.query = decoded(parts.get('q') ?? '');
  searchBox.value = view.query;
  const violation = Number(parts.get('violation') ?? 0) - 1;
  view.finding = data.findings[violation] ? violation : -1;
  const op = parts.has('op') ? ops.id.indexOf(Number(parts.get('op'))) : -1;
  const fault = Number(parts.get('fault') ?? 0) - 1;
  view.pin = op >= 0 ? { kind: 'op', i: op } : data.faults[fault] ? { kind: 'fault', i: fault } : null;
  const seen = Number.isFinite(from) && Number.isFinite(until) && from < until;
  if (seen) Object.assign(view, clamped(from, until));
  changed('filter', 'pin', 'finding', 'time');
  return seen;
};

let writing = 0;
let written = location.hash;
const writeLink = () => {
  written = linked();
  try {
    history.replaceState(null, '', written);
  } catch {
    // A browser that lets no file change its address has the button still.
  }
};
follow(['time', 'pin', 'finding', 'filter', 'query'], () => {
  clearTimeout(writing);
  writing = setTimeout(writeLink, 250);
});
addEventListener('hashchange', () => {
  if (location.hash !== written) restore(location.hash);
});

const copyLink = async () => {
  writeLink();
  const link = location.href.split('#')[0] + written;
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    // Without a clipboard of its own the page can still ask for a copy of what is selected.
    const field = document.body.appendChild(make('textarea', { value: link }));
    field.select();
    document.execCommand('copy');
    field.remove();
  }
  const copy = document.getElementById('copy');
  copy.textContent = 'Copied';
  say('The link to this view was copied');
  setTimeout(() => (copy.textContent = 'Copy link'), 1200);
};
press('copy', copyLink);
