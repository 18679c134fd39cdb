// What is under a point of the diagram.

const NEAR = 6;

const pick = (x, y) => {
  if (x < layout.gutter) return null;
  if (y < layout.top) return pickHead(x, y);
  const place = Math.floor((y + scroller.scrollTop - layout.top) / layout.lane);
  const lane = lanes[place];
  if (!lane) return null;
  const inLane = y - laneTop(place);
  const { top, height } = leaseBand();
  const lease = inLane < top + height + 2 ? pickLease(lane, x, inLane) : null;
  return lease ?? pickOp(lane, x) ?? pickLease(lane, x, inLane);
};

const pickHead = (x, y) => {
  const fault = data.faults.findLastIndex((_, i) => {
    const box = faultBox(i);
    return y >= box.top && y <= box.top + box.height && x >= box.left - 3 && x <= box.right + 3;
  });
  if (fault >= 0) return { kind: 'fault', i: fault };
  if (!layout.strip || y < AXIS || y > AXIS + STRIP) return null;
  const i = stops.findLast((i) => xOf(data.findings[i].from) - 4 <= x && xOf(data.findings[i].until) + 4 >= x);
  return i === undefined ? null : { kind: 'finding', i };
};

const pickLease = (lane, x, y) => {
  const { top, height } = leaseBand();
  const rows = lane.rows.length;
  const row = lane.rows[Math.min(Math.max(Math.floor(((y - top) / height) * rows), 0), rows - 1)];
  if (!row) return null;
  const at = timeAt(x);
  const place = firstAt(row.list, (i) => leases.from[i], timeAt(x + 1)) - 1;
  if (place < 0 || leases.believed[row.list[place]] < timeAt(x - 2)) return null;
  return { kind: 'lease', i: row.list[place], at };
};

// The nearest operation; of several that are as near, the one that matters most.
const pickOp = (lane, x) => {
  const at = timeAt(x);
  const near = NEAR * perPixel();
  const [low, high] = within(lane, at - near, at + near);
  let best = null;
  for (let place = low; place < Math.min(high, low + 2000); place++) {
    const i = lane.ops[place];
    if (ops.until[i] < at - near) continue;
    const away = Math.max(ops.from[i] - at, at - ops.until[i], 0) / near;
    const score = away - DRAWN.indexOf(ops.mark[i]) * 0.02;
    if (best === null || score < best.score) best = { i, score };
  }
  return best && { kind: 'op', i: best.i };
};
