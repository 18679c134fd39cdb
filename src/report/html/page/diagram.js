// The interval diagram. Only what is in view is looked at, found by binary search; where more happens in a pixel than can
// be seen, leases are drawn as the share of time that they ran, and of each kind of operation one tick a pixel.

const scroller = document.getElementById('scroller');
const canvas = document.getElementById('diagram');
const ctx = canvas.getContext('2d');

const AXIS = 26;
const STRIP = 14;
const FAULT = 22;
const FONT = '11px system-ui, "DejaVu Sans", sans-serif';

const layout = { width: 0, height: 0, gutter: 0, top: 0, lane: 0, strip: 0, faultRows: 0 };

// Faults that overlap get rows of their own, as far as there is room.
const faultRow = new Int32Array(data.faults.length);
const faultAfter = new Map();
const faultRows = (() => {
  const [free, last] = [[], []];
  data.faults.forEach((fault, i) => {
    let row = free.findIndex((at) => at <= fault.from);
    if (row < 0) row = free.length < 4 ? free.length : free.indexOf(Math.min(...free));
    free[row] = Math.max(fault.until ?? whole.until, fault.from + (whole.until - whole.from) * 0.02);
    faultRow[i] = row;
    if (last[row] !== undefined) faultAfter.set(last[row], i);
    last[row] = i;
  });
  return free.length;
})();

const arrange = () => {
  const width = scroller.clientWidth;
  ctx.font = `600 12px system-ui, "DejaVu Sans", sans-serif`;
  const longest = Math.max(50, ...data.clients.slice(0, 500).map((name) => ctx.measureText(name).width));
  layout.width = width;
  layout.gutter = Math.min(longest + 22, Math.max(64, width * 0.16));
  layout.strip = data.findings.length ? STRIP : 0;
  layout.faultRows = faultRows;
  layout.top = AXIS + layout.strip + faultRows * FAULT + (faultRows ? 6 : 0);
  const room = Math.min(Math.max(innerHeight * 0.52, 240), 640) - layout.top;
  layout.lane = Math.min(Math.max(room / Math.max(lanes.length, 1), 34), 88);
  const content = layout.top + layout.lane * Math.max(lanes.length, 1);
  layout.height = Math.ceil(Math.min(content, layout.top + Math.max(room, layout.lane)));
  scroller.style.height = `${layout.height}px`;
  document.getElementById('tall').style.height = `${Math.ceil(content)}px`;
  resize(canvas, layout.width, layout.height);
  orderLanes(content > layout.height);
};

// Where not all lanes can be seen at once, those of the violation come first.
const orderLanes = (crowded) => {
  const involved = crowded && view.finding >= 0 ? data.findings[view.finding].clients : [];
  const rank = new Map(clientOrder.map((client, place) => [client, involved.includes(client) ? place - clientOrder.length : place]));
  lanes.sort((a, b) => rank.get(a.client) - rank.get(b.client));
};

const resize = (canvas, width, height) => {
  const scale = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  canvas.style.height = `${height}px`;
  canvas.getContext('2d').setTransform(scale, 0, 0, scale, 0, 0);
};

const perPixel = () => (view.until - view.from) / (layout.width - layout.gutter);
const xOf = (at) => layout.gutter + (at - view.from) / perPixel();
const timeAt = (x) => view.from + (x - layout.gutter) * perPixel();
const laneTop = (place) => layout.top + place * layout.lane - scroller.scrollTop;
const leaseBand = () => ({ top: Math.round(layout.lane * 0.1), height: Math.round((layout.lane - 10) * 0.45) });
const opBand = () => {
  const { top, height } = leaseBand();
  return { top: top + height + 2, height: layout.lane - top - height - 6 };
};

const drawDiagram = () => {
  const { width, height, gutter, top, lane } = layout;
  ctx.clearRect(0, 0, width, height);
  const axis = ticks(view.from, view.until, width - gutter, 110);
  const first = Math.max(0, Math.floor(scroller.scrollTop / lane));
  const last = Math.min(lanes.length, Math.ceil((scroller.scrollTop + height - top) / lane));

  clipped(gutter, top, width - gutter, height - top, () => {
    for (let place = first; place < last; place++) {
      ctx.fillStyle = place % 2 ? ink.panel : ink.band;
      ctx.fillRect(gutter, laneTop(place), width, lane);
    }
    ctx.fillStyle = ink.line;
    for (const at of axis.all) ctx.fillRect(Math.round(xOf(at)), top, 1, height);
    const related = relatedOps();
    drawFindings(first, last);
    for (let place = first; place < last; place++) drawLane(lanes[place], laneTop(place), related);
    drawPhases();
    drawHover();
  });
  drawHead(axis);
  drawGutter(first, last);
};

const clipped = (left, top, width, height, draw) => {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  draw();
  ctx.restore();
};

// What is pinned, and all that was done under the same grant.
const relatedOps = () => {
  if (view.pin?.kind !== 'op') return new Set();
  const grant = ops.grant[view.pin.i] >= 0 ? ops.grant[view.pin.i] : view.pin.i;
  return new Set([view.pin.i, grant, ...(under.get(grant) ?? [])]);
};

const drawLane = (lane, top, related) => {
  for (const { from, until } of pauses.get(lane.client) ?? []) drawPause(from, until, top);
  drawLeases(lane, top, related);
  const [low, high] = within(lane, view.from, view.until);
  const band = opBand();
  if (high - low > (layout.width - layout.gutter) / 5) drawTicks(lane, top + band.top, band.height);
  else drawOps(lane, low, high, top + band.top, band.height, related);
  drawMatches(lane, top + layout.lane - 5);
  const end = gone.get(lane.client);
  if (end !== undefined && end < view.until) drawGone(xOf(end), top);
};

const MOST_BANDS = 300;

// The time of each finding's harm, over the lanes of its clients.
const drawFindings = (first, last) => {
  const places = new Map(lanes.map((lane, place) => [lane.client, place]));
  let drawn = 0;
  for (const i of stops) {
    const finding = data.findings[i];
    if (finding.from > view.until || drawn >= MOST_BANDS) break;
    if (finding.until < view.from) continue;
    drawn++;
    const left = Math.max(xOf(finding.from), layout.gutter - 2);
    const wide = Math.max(Math.min(xOf(finding.until), layout.width + 2) - left, 2);
    ctx.fillStyle = ink.harm;
    for (const client of finding.clients) {
      const place = places.get(client);
      if (place === undefined || place < first || place >= last) continue;
      ctx.globalAlpha = i === view.finding ? 0.22 : 0.1;
      ctx.fillRect(left, laneTop(place), wide, layout.lane);
    }
    ctx.globalAlpha = 1;
  }
};

// Where a phase of the run begins, save those that begin and end it.
const drawPhases = () => {
  ctx.font = FONT;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const [at, name] of data.phases) {
    if (name === 'healthy' || name === 'end' || at < view.from || at > view.until) continue;
    const x = Math.round(xOf(at));
    ctx.fillStyle = ink.doubt;
    for (let y = layout.top; y < layout.height; y += 6) ctx.fillRect(x, y, 1, 3);
    const wide = ctx.measureText(name).width + 8;
    ctx.fillRect(x, layout.height - 15, wide, 15);
    ctx.fillStyle = ink['on-doubt'];
    ctx.fillText(name, x + 4, layout.height - 7);
  }
};

const drawHover = () => {
  if (view.hover === null) return;
  ctx.fillStyle = ink.edge;
  ctx.globalAlpha = 0.6;
  ctx.fillRect(Math.round(view.hover), layout.top, 1, layout.height);
  ctx.globalAlpha = 1;
};

follow(['filter', 'size', 'finding'], arrange);
follow(['filter', 'size', 'time', 'pin', 'hover', 'search', 'theme', 'finding', 'scroll'], drawDiagram);
scroller.addEventListener('scroll', () => changed('scroll'));
