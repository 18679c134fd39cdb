// Mouse, pen and fingers on the diagram.

const pointers = new Map();
let moved = 0;

const pointOf = (event) => {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

canvas.addEventListener('pointerdown', (event) => {
  if (event.button !== 0) return;
  scroller.focus({ preventScroll: true });
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, pointOf(event));
  if (pointers.size === 1) moved = 0;
  showTip(null);
});

canvas.addEventListener('pointermove', (event) => {
  const point = pointOf(event);
  const before = pointers.get(event.pointerId);
  if (!before) return hover(event, point);
  const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
  pointers.set(event.pointerId, point);
  moved += Math.abs(point.x - before.x) + Math.abs(point.y - before.y);
  if (others.length > 0) return pinch(others[0], before, point);
  if (moved < 4) return;
  canvas.classList.add('grabbed');
  const by = (before.x - point.x) * perPixel();
  show(view.from + by, view.until + by);
  if (event.pointerType === 'mouse') scroller.scrollTop += before.y - point.y;
});

// What was under each finger stays under it.
const pinch = (other, before, point) => {
  const [was, is] = [Math.max(Math.abs(before.x - other.x), 10), Math.max(Math.abs(point.x - other.x), 10)];
  const at = timeAt((before.x + other.x) / 2);
  moved = 100;
  zoom(was / is, at);
  const by = ((before.x - point.x) / 2) * perPixel();
  show(view.from + by, view.until + by);
};

const release = (event) => {
  const down = pointers.delete(event.pointerId);
  canvas.classList.remove('grabbed');
  if (!down || event.type === 'pointercancel' || moved >= 4) return;
  const { x, y } = pointOf(event);
  choose(pick(x, y));
};
canvas.addEventListener('pointerup', release);
canvas.addEventListener('pointercancel', release);

const choose = (what) => {
  if (what === null) pin(null);
  else if (what.kind === 'finding') goTo(what.i);
  else if (what.kind === 'lease') pin({ kind: 'op', i: leases.op[what.i] });
  else pin(what);
};

const hover = (event, { x, y }) => {
  if (event.pointerType === 'touch') return;
  const what = pick(x, y);
  canvas.classList.toggle('over', what !== null);
  showTip(what, event.clientX, event.clientY);
  view.hover = x < layout.gutter ? null : x;
  changed('hover');
};

canvas.addEventListener('pointerleave', () => {
  showTip(null);
  view.hover = null;
  changed('hover');
});

canvas.addEventListener('dblclick', (event) => {
  const at = timeAt(pointOf(event).x);
  const span = (view.until - view.from) / 3;
  fly(at - span / 2, at + span / 2);
});

// The wheel zooms where the pointer is; sideways, or with Shift, it pans. A trackpad's pinch comes as a wheel with Ctrl.
canvas.addEventListener(
  'wheel',
  (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      show(view.from + sideways * unit * perPixel(), view.until + sideways * unit * perPixel());
    } else {
      zoom((event.ctrlKey ? 1.01 : 1.0018) ** (event.deltaY * unit), timeAt(Math.max(pointOf(event).x, layout.gutter)));
    }
    showTip(null);
  },
  { passive: false },
);

const press = (id, then) => document.getElementById(id).addEventListener('click', then);
press('in', () => zoomBy(0.5));
press('out', () => zoomBy(2));
press('whole', () => fly(whole.from, whole.until));

const zoomBy = (factor) => {
  const [middle, half] = [(view.from + view.until) / 2, ((view.until - view.from) / 2) * factor];
  fly(middle - half, middle + half);
};

const spanOut = document.getElementById('span');
follow(['time'], () => {
  spanOut.textContent = `${duration(view.until - view.from)} in view`;
});
