// The whole history in a strip: how much happened, what went wrong, and which part of it is in view.

const overview = document.getElementById('overview');
const TALL = 44;
let backdrop = null;

let long = 1;
const overviewX = (at) => ((at - whole.from) / (whole.until - whole.from)) * long;
const overviewTime = (x) => whole.from + (x / long) * (whole.until - whole.from);

const paintBackdrop = (wide) => {
  backdrop ??= document.createElement('canvas');
  resize(backdrop, wide, TALL);
  const ctx = backdrop.getContext('2d');
  ctx.clearRect(0, 0, wide, TALL);
  ctx.fillStyle = ink.panel;
  ctx.fillRect(0, 0, wide, TALL);
  const counts = new Float64Array(Math.ceil(wide / 2) + 1);
  for (const lane of lanes) for (const i of lane.ops) counts[overviewX(ops.from[i]) >> 1]++;
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  ctx.fillStyle = ink.edge;
  ctx.globalAlpha = 0.55;
  counts.forEach((count, place) => {
    if (count === 0) return;
    const tall = Math.max(2, (Math.log1p(count) / Math.log1p(most)) * (TALL - 18));
    ctx.fillRect(place * 2, TALL - 6 - tall, 2, tall);
  });
  ctx.fillStyle = ink.fault;
  for (const fault of data.faults) {
    const left = overviewX(fault.from);
    const right = Math.max(overviewX(fault.until ?? fault.from), left + 3);
    ctx.globalAlpha = 0.2;
    ctx.fillRect(left, 0, right - left, TALL);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, 0, right - left, 4);
  }
  ctx.fillStyle = ink.match;
  for (const lane of lanes) for (const i of lane.matches) ctx.fillRect(overviewX(standsAt(i)) - 0.5, TALL - 10, 2, 4);
  ctx.fillStyle = ink.harm;
  for (const i of stops) {
    const { from, until } = data.findings[i];
    const left = overviewX(from);
    ctx.globalAlpha = 0.16;
    ctx.fillRect(left, 0, overviewX(until) - left, TALL);
    ctx.globalAlpha = 1;
    ctx.fillRect(left - 1, 0, 2, TALL);
    ctx.fillRect(left - 3, TALL - 6, 6, 6);
  }
};

const drawOverview = (now) => {
  const wide = (long = overview.clientWidth);
  if (!backdrop || ['filter', 'size', 'theme', 'search'].some((aspect) => now.has(aspect))) paintBackdrop(wide);
  resize(overview, wide, TALL);
  const ctx = overview.getContext('2d');
  ctx.drawImage(backdrop, 0, 0, wide, TALL);
  const left = overviewX(view.from);
  const right = Math.max(overviewX(view.until), left + 3);
  ctx.fillStyle = ink.page;
  ctx.globalAlpha = 0.72;
  ctx.fillRect(0, 0, left, TALL);
  ctx.fillRect(right, 0, wide - right, TALL);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = ink.focus;
  ctx.lineWidth = 2;
  ctx.strokeRect(left + 1, 1, Math.max(right - left - 2, 1), TALL - 2);
};

// Pressing outside of the view centres it there; dragging moves it.
overview.addEventListener('pointerdown', (event) => {
  overview.setPointerCapture(event.pointerId);
  const at = () => overviewTime(event.offsetX);
  const span = view.until - view.from;
  if (at() < view.from || at() > view.until) show(at() - span / 2, at() + span / 2);
  const grip = at() - view.from;
  const move = (event) => show(overviewTime(event.offsetX) - grip, overviewTime(event.offsetX) - grip + span);
  const end = () => {
    overview.removeEventListener('pointermove', move);
    overview.removeEventListener('pointerup', end);
    overview.removeEventListener('pointercancel', end);
  };
  overview.addEventListener('pointermove', move);
  overview.addEventListener('pointerup', end);
  overview.addEventListener('pointercancel', end);
});
overview.addEventListener('wheel', (event) => {
  event.preventDefault();
  zoom(1.0015 ** event.deltaY);
});

follow(['filter', 'size', 'time', 'search', 'theme'], drawOverview);
