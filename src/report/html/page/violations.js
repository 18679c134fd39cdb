// From violation to violation.

const which = document.getElementById('which');
const steps = { previous: document.getElementById('previous'), first: document.getElementById('first'), next: document.getElementById('next') };

// The operations that prove it, its harm and its cause, as long as the cause does not dwarf the rest. Of a stale holder the lease is the story;
// of what else was done to the data, only what was done to it.
const stretchOf = ({ kind, from, until, ops: all, cause }) => {
  const acts = all.filter((i) => data.verbs[ops.verb[i]] !== 'acquire');
  const proof = kind === 'stale-holder' || acts.length === 0 ? all : acts;
  [from, until] = [Math.min(from, data.end), Math.min(until, data.end)];
  for (const i of proof) {
    from = Math.min(from, ops.from[i]);
    until = Math.max(until, ops.until[i]);
  }
  if (cause !== null && from - cause < 8 * Math.max(until - from, 1e6)) from = Math.min(from, cause);
  const margin = Math.max((until - from) * 0.14, 2000);
  return [from - margin, until + margin];
};

const goTo = (i, go = fly) => {
  view.finding = i;
  changed('finding');
  go(...stretchOf(data.findings[i]));
  arrange();
  revealLane(data.findings[i].clients[0]);
  say(`${data.findings[i].kind}: ${data.findings[i].sentence}`);
};

const goStep = (by) => {
  if (stops.length === 0) return say('No violation');
  const place = stops.indexOf(view.finding);
  goTo(stops[place < 0 ? (by > 0 ? 0 : stops.length - 1) : (place + by + stops.length) % stops.length]);
};

const goFirst = () => stops.length && goTo(stops[0]);

steps.previous.addEventListener('click', () => goStep(-1));
steps.next.addEventListener('click', () => goStep(1));
steps.first.addEventListener('click', goFirst);

for (const element of document.querySelectorAll('[data-finding]')) {
  element.addEventListener('click', () => goTo(Number(element.dataset.finding)));
}
for (const element of document.querySelectorAll('[data-fault]')) {
  element.addEventListener('click', () => {
    pin({ kind: 'fault', i: Number(element.dataset.fault) });
    zoomToPin();
  });
}

// The list scrolls to it; the page stays where it is.
const scrollWithin = (list, element) => {
  const [box, inner] = [list.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < box.top) list.scrollTop += inner.top - box.top;
  else if (inner.bottom > box.bottom) list.scrollTop += inner.bottom - box.bottom;
};

const tellViolations = () => {
  for (const step of Object.values(steps)) step.disabled = stops.length === 0;
  const place = stops.indexOf(view.finding);
  const count = stops.length.toLocaleString('en');
  which.textContent = stops.length === 0 ? 'no violation' : place < 0 ? `${count} in all` : `${(place + 1).toLocaleString('en')} of ${count}`;
  for (const element of document.querySelectorAll('[data-finding]')) {
    const here = Number(element.dataset.finding) === view.finding;
    element.setAttribute('aria-current', String(here));
    if (here) scrollWithin(element.closest('.list'), element);
  }
};

follow(['filter', 'finding'], tellViolations);
