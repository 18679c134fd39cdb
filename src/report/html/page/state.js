// What is looked at. Everything else follows from it, once a frame.

const view = {
  from: whole.from,
  until: whole.until,
  pin: null, // { kind: 'op' | 'fault', i }
  hover: null,
  finding: -1,
  query: '',
  hidden: { client: new Set(), lock: new Set(), mark: new Set() },
};

const followers = [];
const dirty = new Set();

// Calls `then` in the next frame after one of these has changed.
const follow = (aspects, then) => followers.push({ aspects, then });

const changed = (...aspects) => {
  if (dirty.size === 0) requestAnimationFrame(settle);
  for (const aspect of aspects) dirty.add(aspect);
};

const settle = () => {
  const now = new Set(dirty);
  // What changes meanwhile is for the next frame.
  dirty.clear();
  const start = performance.now();
  for (const { aspects, then } of followers) if (aspects.some((aspect) => now.has(aspect))) then(now);
  frame.last = performance.now() - start;
  frame.count++;
};

const frame = { last: 0, count: 0 };

const shown = (i) =>
  !view.hidden.client.has(ops.client[i]) && !view.hidden.lock.has(ops.lock[i]) && !view.hidden.mark.has(ops.mark[i]);

const CLOSEST = 100;

const clamped = (from, until) => {
  const most = whole.until - whole.from;
  const span = Math.min(Math.max(until - from, Math.min(CLOSEST, most)), most);
  const middle = (from + until) / 2;
  const start = Math.min(Math.max(middle - span / 2, whole.from), whole.until - span);
  return { from: start, until: start + span };
};

let flight = 0;

// Shows a stretch of time.
const show = (from, until) => {
  flight++;
  Object.assign(view, clamped(from, until));
  changed('time');
};

const still = matchMedia('(prefers-reduced-motion: reduce)');

// Shows a stretch of time; the way there is seen, so that one knows where one is.
const fly = (from, until) => {
  const [a, b] = [{ from: view.from, until: view.until }, clamped(from, until)];
  if (still.matches) return show(from, until);
  const mine = ++flight;
  const begun = performance.now();
  const step = () => {
    if (mine !== flight) return;
    const share = Math.min((performance.now() - begun) / 220, 1);
    const eased = 1 - (1 - share) ** 3;
    // The span changes by equal factors, the place in step with it.
    const [wide, narrow] = [a.until - a.from, b.until - b.from];
    const span = wide * (narrow / wide) ** eased;
    const along = Math.abs(wide - narrow) < 1e-6 * wide ? eased : (wide - span) / (wide - narrow);
    const from = a.from + (b.from - a.from) * along;
    Object.assign(view, share === 1 ? b : { from, until: from + span });
    changed('time');
    if (share < 1) requestAnimationFrame(step);
  };
  step();
};

const zoom = (factor, at = (view.from + view.until) / 2) => show(at - (at - view.from) * factor, at + (view.until - at) * factor);
const pan = (share) => show(view.from + (view.until - view.from) * share, view.until + (view.until - view.from) * share);

const pin = (what) => {
  view.pin = what;
  changed('pin');
};

const say = (text) => {
  document.getElementById('said').textContent = text;
};
