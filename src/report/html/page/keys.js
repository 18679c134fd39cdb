// Keys.

const help = document.getElementById('help');
press('help-open', () => help.showModal());

// Pins the next operation in time, or the one before; with `same`, of the same client.
const stepOp = (by, same) => {
  const start = view.pin?.kind === 'op' ? view.pin.i : null;
  if (start === null) {
    const first = Array.from({ length: ops.count }, (_, i) => i).find((i) => shown(i) && ops.from[i] >= view.from);
    return first === undefined ? undefined : pinAndReveal(first);
  }
  for (let i = start + by; i >= 0 && i < ops.count; i += by) {
    if (shown(i) && (!same || ops.client[i] === ops.client[start])) return pinAndReveal(i);
  }
  return say(by > 0 ? 'No later operation' : 'No earlier operation');
};

const KEYS = {
  n: () => goStep(1),
  p: () => goStep(-1),
  ArrowLeft: (event) => pan(event.shiftKey ? -0.9 : -0.15),
  ArrowRight: (event) => pan(event.shiftKey ? 0.9 : 0.15),
  ArrowUp: () => scroller.scrollBy(0, -layout.lane),
  ArrowDown: () => scroller.scrollBy(0, layout.lane),
  '+': () => zoomBy(0.5),
  '=': () => zoomBy(0.5),
  '-': () => zoomBy(2),
  0: () => fly(whole.from, whole.until),
  Home: () => show(whole.from, whole.from + view.until - view.from),
  End: () => show(whole.until - view.until + view.from, whole.until),
  ',': () => stepOp(-1, false),
  '.': () => stepOp(1, false),
  '<': () => stepOp(-1, true),
  '>': () => stepOp(1, true),
  '/': () => searchBox.select(),
  z: zoomToPin,
  l: () => copyLink(),
  t: toggleTheme,
  '?': () => help.showModal(),
  Escape: () => pin(null),
};

// Keys that a page scrolls by, or a button is pressed with, are the diagram's only where it has the focus.
const OWN = new Set(['ArrowUp', 'ArrowDown', 'Home', 'End']);

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.target.matches?.('input, textarea, select')) return;
  if (OWN.has(event.key) && document.activeElement !== scroller) return;
  const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
  if (!act) return;
  event.preventDefault();
  act(event);
});
