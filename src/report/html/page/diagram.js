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
const faultRows = (() => {
  const free = [];
  data.faults.forEach((fault, i) => {
    let row = free.findIndex((at) => at <= fault.from);
    if (row < 0) row = free.length < 4 ? free.length : free.indexOf(Math.min(...free));
    free[row] = Math.max(fault.until ?? whole.until, fault.from + (whole.until - whole.from) * 0.12);
    faultRow[i] = row;
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
  layout.lane = Math.min(Math.max(room / Math.max(lanes.length, 1), 46), 88);
  const content = layout.top + layout.lane * Math.max(lanes.length, 1);
  layout.height = Math.ceil(Math.min(content, layout.top + Math.max(room, layout.lane)));
  scroller.style.height = `${layout.height}px`;
  document.getElementById('tall').style.height = `${Math.ceil(content)}px`;
  resize(canvas, layout.width, layout.height);
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
const leaseBand = () => ({ top: 6, height: Math.round((layout.lane - 14) * 0.46) });
const opBand = () => {
  const { top, height } = leaseBand();
  return { top: top + height + 3, height: layout.lane - top - height - 8 };
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
  const held = pauses.get(lane.client) ?? [];
  drawLeases(lane, top, related);
  for (const { from, until } of held) drawPause(from, until, top);
  const [low, high] = within(lane, view.from, view.until);
  const band = opBand();
  if (high - low > (layout.width - layout.gutter) / 5) drawTicks(lane, top + band.top, band.height);
  else drawOps(lane, low, high, top + band.top, band.height, related);
  drawMatches(lane, top + layout.lane - 5);
  const end = gone.get(lane.client);
  if (end !== undefined && end < view.until) drawGone(xOf(end), top);
};

const drawLeases = (lane, top, related) => {
  const band = leaseBand();
  const each = band.height / lane.rows.length;
  lane.rows.forEach((row, place) => {
    const y = top + band.top + place * each;
    const tall = Math.max(each - (lane.rows.length > 1 ? 1.5 : 0), 2);
    const low = firstAt(row.list, (i) => leases.believed[i], view.from);
    const high = firstAt(row.list, (i) => leases.from[i], view.until);
    if (high - low > (layout.width - layout.gutter) / 4) drawShares(row, y, tall);
    else for (let at = low; at < high; at++) drawLease(row.list[at], y, tall, related);
  });
};

const drawLease = (i, y, tall, related) => {
  const op = leases.op[i];
  const lock = ops.lock[op];
  const [from, until, believed] = [xOf(leases.from[i]), xOf(leases.until[i]), xOf(leases.believed[i])];
  const left = Math.max(from, layout.gutter - 4);
  const wide = Math.max(Math.min(until, layout.width + 4) - left, 1);
  if (believed > until + 1) {
    // The lease is over, and its holder does not know.
    const right = Math.min(believed, layout.width + 4);
    const start = Math.max(until, layout.gutter - 4);
    ctx.fillStyle = lockColour(lock, 0.18);
    ctx.fillRect(start, y + 1, right - start, tall - 2);
    ctx.strokeStyle = lockEdge(lock);
    ctx.lineWidth = 1;
    ctx.setLineDash([4, 3]);
    ctx.strokeRect(start - 0.5, y + 0.5, right - start, tall - 1);
    ctx.setLineDash([]);
  }
  ctx.fillStyle = lockColour(lock);
  ctx.fillRect(left, y, wide, tall);
  if (wide > 3) {
    ctx.fillStyle = lockEdge(lock);
    if (from >= layout.gutter - 4) ctx.fillRect(left, y, 1.5, tall);
    if (leases.expiry[i] <= leases.believed[i] + 1) ctx.fillRect(xOf(leases.expiry[i]) - 1.5, y - 3, 3, tall + 6);
  }
  if (related.has(op)) {
    ctx.strokeStyle = ink.focus;
    ctx.lineWidth = 2;
    ctx.strokeRect(left, y, wide, tall);
    if (leases.expiry[i] > leases.believed[i]) drawUnused(i, y, tall);
  }
  if (wide > 46 && tall >= 12) {
    ctx.font = FONT;
    ctx.fillStyle = lockText();
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    const fence = ops.fence.get(op);
    const text = fitting(fence === undefined ? data.names[lock] : `${data.names[lock]} · fence ${fence}`, wide - 10);
    ctx.fillText(text, Math.max(left, layout.gutter) + 6, y + tall / 2 + 0.5);
  }
};

// What was left of the TTL of a lease that was given back.
const drawUnused = (i, y, tall) => {
  const [from, until] = [xOf(leases.believed[i]), Math.min(xOf(leases.expiry[i]), layout.width + 4)];
  ctx.strokeStyle = ink.focus;
  ctx.lineWidth = 1;
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  ctx.moveTo(from, y + tall / 2);
  ctx.lineTo(until, y + tall / 2);
  ctx.moveTo(until, y);
  ctx.lineTo(until, y + tall);
  ctx.stroke();
  ctx.setLineDash([]);
};

// Each pixel as dark as the share of its time for which the lease ran; equal neighbours in one piece.
const drawShares = (row, y, tall) => {
  const step = perPixel();
  const colour = ops.lock[leases.op[row.list[0]]];
  let { next, held } = heldBefore(row, view.from, 0);
  let [start, shade] = [layout.gutter, 0];
  const flush = (x) => {
    if (shade) {
      ctx.globalAlpha = shade / 12;
      ctx.fillRect(start, y, x - start, tall);
    }
  };
  ctx.fillStyle = lockColour(colour);
  for (let x = layout.gutter; x < layout.width; x++) {
    const after = heldBefore(row, timeAt(x + 1), Math.max(next - 1, 0));
    const share = (after.held - held) / step;
    const here = share > 0 ? Math.max(1, Math.min(12, Math.round(share * 12))) : 0;
    if (here !== shade) {
      flush(x);
      [start, shade] = [x, here];
    }
    ({ next, held } = after);
  }
  flush(layout.width);
  ctx.globalAlpha = 1;
};

const drawPause = (from, until, top) => {
  if (until < view.from || from > view.until) return;
  const left = Math.max(xOf(from), layout.gutter);
  const right = Math.min(xOf(until), layout.width);
  hatch(ctx, left, top + 1, Math.max(right - left, 1), layout.lane - 2);
  if (right - left > 70) {
    ctx.font = FONT;
    ctx.fillStyle = ink.doubt;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    const { top: y, height } = opBand();
    ctx.fillText('paused', (left + right) / 2, top + y + height / 2);
  }
};

const drawTicks = (lane, top, height) => {
  for (const mark of DRAWN) {
    const list = lane.marks[mark];
    if (list.length === 0) continue;
    const { ink: colour, tall } = LOOKS[mark];
    ctx.fillStyle = ink[colour];
    const least = mark === HARM ? 3 : 1;
    eachPixel(list, standsAt, (x, wide) => ctx.fillRect(x, top + height * (1 - tall), Math.max(wide, least), height * tall));
  }
};

// Calls `draw` with every run of pixels in which something of a sorted list stands.
const eachPixel = (list, keyOf, draw) => {
  let place = firstAt(list, keyOf, view.from);
  let [start, end] = [-1, -1];
  while (place < list.length) {
    const at = keyOf(list[place]);
    if (at > view.until) break;
    const x = Math.floor(xOf(at));
    if (x > end) {
      if (start >= 0) draw(start, end - start);
      start = x;
    }
    end = x + 1;
    // On to the first that is a pixel further; it is mostly near.
    const beyond = timeAt(x + 1);
    let leap = 1;
    while (place + leap < list.length && keyOf(list[place + leap]) < beyond) leap *= 2;
    place = Math.max(place + 1, firstAt(list, keyOf, beyond, place + (leap >> 1), Math.min(place + leap, list.length)));
  }
  if (start >= 0) draw(start, end - start);
};

const drawOps = (lane, low, high, top, height, related) => {
  ctx.font = FONT;
  let free = -Infinity;
  for (let place = low; place < high; place++) {
    const i = lane.ops[place];
    if (ops.until[i] < view.from) continue;
    const mark = ops.mark[i];
    const left = Math.max(xOf(ops.from[i]), layout.gutter - 6);
    const wide = Math.max(Math.min(xOf(ops.until[i]), layout.width + 6) - left, mark === HARM ? 3 : 2);
    const next = place + 1 < high ? xOf(ops.from[lane.ops[place + 1]]) : Infinity;
    const light = mark === REFUSED;
    drawBar(ctx, mark, left, light ? top + height * 0.3 : top, wide, light ? height * 0.4 : height);
    if (!ops.returned(i)) drawOpenEnd(left + wide, top + height / 2, Math.min(next, left + 40));
    if (left >= free) free = nameOp(i, mark, left, wide, next, top, height) ?? free;
    if (mark === HARM) drawFlag(left + wide / 2, top);
    if (related.has(i)) ring(left, top, wide, height, i === view.pin?.i ? 2.5 : 1.2, 'focus');
    if (view.finding >= 0 && data.findings[view.finding].ops.includes(i)) ring(left, top, wide, height, 1.5, 'harm');
  }
};

// Writes on the bar, or beside it, what there is room for; gives where the room ends.
const nameOp = (i, mark, left, wide, next, top, height) => {
  const y = top + height / 2;
  if (wide > 40) {
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = filled(mark) ? onInk(mark) : ink.text;
    ctx.fillText(fitting(labelOf(i), wide - 8), Math.max(left, layout.gutter) + 4, y + 0.5);
    return left + wide;
  }
  if (wide >= 12) {
    drawLetter(ctx, mark, left + wide / 2, y);
    return left + wide;
  }
  if (mark === REFUSED) return undefined;
  const text = labelOf(i);
  const room = next - left - wide - 6;
  const length = text.length * 6.2;
  if (room > length && length < 120) {
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    ctx.fillStyle = mark === HARM ? ink.harm : ink.text;
    ctx.fillText(text, left + wide + 4, y + 0.5);
    return left + wide + 4 + length;
  }
  if (room > 8) {
    drawLetter(ctx, mark, left + wide + 7, y, false);
    return left + wide + 13;
  }
  return undefined;
};

const fitting = (text, wide) => {
  const most = Math.floor(wide / 6);
  return text.length <= most ? text : most < 2 ? '' : `${text.slice(0, most - 1)}…`;
};

const drawOpenEnd = (left, y, right) => {
  ctx.strokeStyle = ink.doubt;
  ctx.lineWidth = 1;
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(right, y);
  ctx.stroke();
  ctx.setLineDash([]);
};

const drawFlag = (x, y) => {
  ctx.fillStyle = ink.harm;
  ctx.beginPath();
  ctx.moveTo(x, y + 1);
  ctx.lineTo(x - 5, y - 7);
  ctx.lineTo(x + 5, y - 7);
  ctx.fill();
};

const ring = (left, top, wide, height, line, colour) => {
  ctx.strokeStyle = ink[colour];
  ctx.lineWidth = line;
  ctx.strokeRect(left - 2.5, top - 2.5, wide + 5, height + 5);
};

const drawMatches = (lane, y) => {
  if (lane.matches.length === 0) return;
  ctx.fillStyle = ink.match;
  eachPixel(lane.matches, standsAt, (x, wide) => ctx.fillRect(x - 1, y, wide + 2, 4));
};

const drawGone = (x, top) => {
  const left = Math.max(x, layout.gutter);
  ctx.globalAlpha = 0.72;
  ctx.fillStyle = ink.page;
  ctx.fillRect(left, top + 1, layout.width - left, layout.lane - 2);
  ctx.globalAlpha = 1;
  if (x < layout.gutter) return;
  ctx.fillStyle = ink.fault;
  ctx.fillRect(x, top + 3, 2, layout.lane - 6);
  ctx.font = 'bold 14px system-ui, sans-serif';
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.fillText('† gone', x + 6, top + layout.lane / 2);
};

const MOST_BANDS = 300;

// The time of each finding's harm, over the lanes of its clients.
const drawFindings = (first, last) => {
  const hidden = hiddenNames();
  const places = new Map(lanes.map((lane, place) => [lane.client, place]));
  let drawn = 0;
  for (let i = 0; i < data.findings.length && drawn < MOST_BANDS; i++) {
    const finding = data.findings[i];
    if (finding.until < view.from || finding.from > view.until || !findingShown(finding, hidden)) continue;
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

const drawPhases = () => {
  ctx.fillStyle = ink.edge;
  for (const [at, name] of data.phases) {
    if (name === 'healthy' || name === 'end' || at < view.from || at > view.until) continue;
    const x = Math.round(xOf(at));
    for (let y = layout.top; y < layout.height; y += 6) ctx.fillRect(x, y, 1, 3);
  }
};

const drawHover = () => {
  if (view.hover === null) return;
  ctx.fillStyle = ink.edge;
  ctx.globalAlpha = 0.6;
  ctx.fillRect(Math.round(view.hover), layout.top, 1, layout.height);
  ctx.globalAlpha = 1;
};

// Above the lanes: the axis, the strip of violations, the nemesis.
const drawHead = (axis) => {
  const { width, gutter, top } = layout;
  ctx.fillStyle = ink.panel;
  ctx.fillRect(0, 0, width, top);
  clipped(gutter, 0, width - gutter, top, () => {
    ctx.font = FONT;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    for (const at of axis.all) {
      const x = Math.round(xOf(at));
      ctx.fillStyle = ink.edge;
      ctx.fillRect(x, AXIS - 7, 1, 7);
      ctx.fillStyle = ink.dim;
      ctx.fillText(`${moment(at, axis.step)} s`, x + 4, AXIS / 2 - 1);
    }
    for (const [at, name] of data.phases) {
      if (name === 'healthy' || name === 'end' || at < view.from || at > view.until) continue;
      const x = Math.round(xOf(at));
      ctx.fillStyle = ink.edge;
      ctx.fillRect(x, AXIS - 7, 2, 7);
      ctx.fillStyle = ink.doubt;
      ctx.fillText(name, x + 4, AXIS - 4);
    }
    if (layout.strip) drawStrip();
    data.faults.forEach(drawFault);
    if (view.hover !== null) drawHoverTime(axis.step);
  });
  ctx.fillStyle = ink.line;
  ctx.fillRect(0, AXIS, width, 1);
  ctx.fillRect(0, top - 1, width, 1);
};

const drawHoverTime = (step) => {
  const text = `${moment(timeAt(view.hover), step / 100)} s`;
  const wide = text.length * 6.4 + 10;
  const left = Math.min(Math.max(view.hover - wide / 2, layout.gutter), layout.width - wide);
  ctx.fillStyle = ink.text;
  ctx.fillRect(left, 3, wide, AXIS - 9);
  ctx.fillStyle = ink.panel;
  ctx.fillText(text, left + 5, AXIS / 2 - 1);
};

const drawStrip = () => {
  const hidden = hiddenNames();
  let end = -Infinity;
  data.findings.forEach((finding, i) => {
    if (finding.until < view.from || finding.from > view.until || !findingShown(finding, hidden)) return;
    const left = Math.max(xOf(finding.from), layout.gutter);
    const right = Math.max(Math.min(xOf(finding.until), layout.width), left + 4);
    if (right <= end && i !== view.finding) return;
    end = Math.max(end, right);
    ctx.fillStyle = ink.harm;
    ctx.globalAlpha = i === view.finding ? 1 : 0.6;
    ctx.fillRect(left, AXIS + 4, right - left, STRIP - 7);
    ctx.globalAlpha = 1;
  });
};

const faultBox = (i) => {
  const fault = data.faults[i];
  const left = xOf(fault.from);
  const right = Math.max(xOf(fault.until ?? (fault.kind === 'pause' || fault.kind === 'kill' ? whole.until : fault.from)), left + 3);
  return { left, right, top: AXIS + layout.strip + 4 + faultRow[i] * FAULT, height: FAULT - 4 };
};

const drawFault = (fault, i) => {
  const { left, right, top, height } = faultBox(i);
  const text = fault.failed ? `${fault.text} (failed)` : fault.text;
  ctx.font = FONT;
  const length = ctx.measureText(text).width;
  if (right + length + 8 < layout.gutter || left > layout.width) return;
  const [from, until] = [Math.max(left, layout.gutter - 4), Math.min(right, layout.width + 4)];
  ctx.fillStyle = ink.fault;
  ctx.globalAlpha = 0.2;
  ctx.fillRect(from, top, until - from, height);
  ctx.globalAlpha = 1;
  ctx.fillRect(left, top, 2.5, height);
  if (fault.until !== null) ctx.fillRect(right - 2, top, 2, height);
  if (view.pin?.kind === 'fault' && view.pin.i === i) ring(from, top, until - from, height, 2, 'focus');
  ctx.fillStyle = ink.text;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const inside = until - from > length + 12;
  ctx.fillText(text, inside ? Math.max(from, layout.gutter) + 7 : until + 5, top + height / 2 + 0.5);
};

const drawGutter = (first, last) => {
  const { gutter, top, height, lane } = layout;
  ctx.fillStyle = ink.panel;
  ctx.fillRect(0, 0, gutter, height);
  ctx.fillStyle = ink.line;
  ctx.fillRect(gutter - 1, 0, 1, height);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.font = FONT;
  ctx.fillStyle = ink.dim;
  ctx.fillText('time', 10, AXIS / 2);
  if (layout.strip) {
    ctx.fillStyle = ink.harm;
    ctx.fillText('violations', 10, AXIS + STRIP / 2 + 1);
  }
  if (layout.faultRows) {
    ctx.fillStyle = ink.fault;
    ctx.fillText('nemesis', 10, AXIS + layout.strip + FAULT / 2 + 2);
  }
  clipped(0, top, gutter, height - top, () => {
    for (let place = first; place < last; place++) {
      const y = laneTop(place);
      ctx.fillStyle = ink.line;
      ctx.fillRect(0, y + lane - 1, gutter, 1);
      ctx.font = '600 12px system-ui, "DejaVu Sans", sans-serif';
      ctx.fillStyle = ink.text;
      ctx.fillText(fitting(data.clients[lanes[place].client], (gutter - 14) * 0.95), 10, y + lane / 2);
    }
  });
};

follow(['filter', 'size'], arrange);
follow(['filter', 'size', 'time', 'pin', 'hover', 'search', 'theme', 'finding', 'scroll'], drawDiagram);
scroller.addEventListener('scroll', () => changed('scroll'));
