// Leases, pauses, and the end of a client.

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
  ctx.fillStyle = lockColour(lock, 0.88);
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

// Each pixel is the darker the larger the share of its time for which the lease ran; equal neighbours in one piece.
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
    const here = share > 0 ? Math.max(2, Math.min(12, Math.round(Math.sqrt(share) * 12))) : 0;
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

// Whoever is gone does nothing more; what it held goes on being held.
const drawGone = (x, top) => {
  const band = opBand();
  const left = Math.max(x, layout.gutter);
  ctx.globalAlpha = 0.1;
  ctx.fillStyle = ink.fault;
  ctx.fillRect(left, top + band.top - 1, layout.width - left, band.height + 5);
  ctx.globalAlpha = 1;
  if (x >= layout.gutter) ctx.fillRect(x, top + 2, 2, layout.lane - 4);
  if (layout.width - left < 220) return;
  ctx.font = 'bold 12px system-ui, "DejaVu Sans", sans-serif';
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText('† gone', (left + layout.width) / 2, top + band.top + band.height / 2);
};
