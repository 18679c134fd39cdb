// What stays while the lanes scroll: the axis, the strip of violations, the nemesis, the names.

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
      const text = `${moment(at, axis.step)} s`;
      if (x + 8 + ctx.measureText(text).width < width) ctx.fillText(text, x + 4, AXIS / 2 - 1);
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
  let end = -Infinity;
  for (const i of stops) {
    const finding = data.findings[i];
    if (finding.from > view.until) break;
    if (finding.until < view.from) continue;
    const left = Math.max(xOf(finding.from), layout.gutter);
    const right = Math.max(Math.min(xOf(finding.until), layout.width), left + 4);
    if (right <= end && i !== view.finding) continue;
    end = Math.max(end, right);
    ctx.fillStyle = ink.harm;
    ctx.globalAlpha = i === view.finding ? 1 : 0.6;
    ctx.fillRect(left, AXIS + 4, right - left, STRIP - 7);
    ctx.globalAlpha = 1;
  }
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
  if (left > layout.width || right < layout.gutter - 600) return;
  ctx.font = FONT;
  const length = ctx.measureText(text).width;
  if (right + length + 8 < layout.gutter) return;
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
  const next = faultAfter.has(i) ? xOf(data.faults[faultAfter.get(i)].from) : Infinity;
  if (!inside && next - until < 24) return;
  ctx.fillText(inside ? text : fitting(text, next - until - 8), inside ? Math.max(from, layout.gutter) + 7 : until + 5, top + height / 2 + 0.5);
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
      const { client } = lanes[place];
      ctx.fillText(fitting(data.clients[client], (gutter - 14) * 0.95), 10, y + lane / 2);
      if (view.finding >= 0 && data.findings[view.finding].clients.includes(client)) {
        ctx.fillStyle = ink.harm;
        ctx.fillRect(0, y, 4, lane - 1);
      }
    }
  });
};
