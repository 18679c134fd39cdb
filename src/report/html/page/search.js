// Search: every word must stand somewhere in what is known of an operation.

const searchBox = document.getElementById('search');
const matchesOut = document.getElementById('matches');
let texts = null;
let matches = [];

const textOf = (i) => {
  const part = (map, name) => (map.has(i) ? ` ${name} ${map.get(i)}` : '');
  const known = `${part(ops.token, 'token')}${part(ops.fence, 'fence')}${part(ops.value, 'value')}${part(ops.base, 'from')}${part(ops.why, '')}`;
  return `#${ops.id[i]} ${headOf(i)} ${data.names[ops.lock[i]]} ${becameOf(i)}${known}`.toLowerCase();
};

const search = () => {
  const words = view.query.toLowerCase().split(/\s+/).filter(Boolean);
  for (const lane of lanes) lane.matches = [];
  matches = [];
  if (words.length > 0) {
    texts ??= Array.from({ length: ops.count }, (_, i) => textOf(i));
    for (const lane of lanes) {
      lane.matches = sortBy(lane.ops.filter((i) => words.every((word) => texts[i].includes(word))), standsAt);
    }
    matches = lanes.flatMap((lane) => lane.matches).sort((a, b) => a - b);
  }
  tellMatches();
};

const tellMatches = () => {
  const place = view.pin?.kind === 'op' ? matches.indexOf(view.pin.i) : -1;
  const count = matches.length.toLocaleString('en');
  matchesOut.textContent = !view.query.trim() ? '' : matches.length === 0 ? 'no match' : place < 0 ? `${count} found` : `${(place + 1).toLocaleString('en')} of ${count}`;
};

// The next match after what is pinned, or after the left edge of the view; or the one before.
const nextMatch = (back) => {
  if (matches.length === 0) return;
  const place = view.pin?.kind === 'op' ? matches.indexOf(view.pin.i) : -1;
  const after = place >= 0 ? place + 1 : firstAt(matches, (i) => ops.from[i], view.from);
  const to = back ? (place >= 0 ? place : after) - 1 : after;
  pinAndReveal(matches[(to + matches.length) % matches.length]);
};

let waiting = 0;
searchBox.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    view.query = searchBox.value;
    changed('query');
  }, 120);
});
searchBox.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') {
    if (view.query !== searchBox.value) {
      view.query = searchBox.value;
      search();
      changed('search');
    }
    nextMatch(event.shiftKey);
  }
  if (event.key === 'Escape') scroller.focus();
});

// After the lanes are built, before they are drawn.
follow(['filter', 'query'], () => {
  search();
  changed('search');
});
follow(['pin'], tellMatches);
