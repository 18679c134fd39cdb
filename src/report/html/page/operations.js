// Operations: bars with names where there is room, else of each kind one tick a pixel.

const drawTicks = (lane, top, height) => {
  for (const mark of DRAWN) {
    const list = lane.marks[mark];
    if (list.length === 0) continue;
    const { ink: colour, tall } = LOOKS[mark];
    ctx.fillStyle = ink[colour];
    ctx.globalAlpha = mark === HARM || mark === FENCED || mark === UNKNOWN ? 1 : 0.6;
    const least = mark === HARM ? 3 : 1;
    eachPixel(list, standsAt, (x, wide) => ctx.fillRect(x, top + height * (1 - tall), Math.max(wide, least), height * tall));
  }
  ctx.globalAlpha = 1;
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

const barOf = (i) => {
  const left = Math.max(xOf(ops.from[i]), layout.gutter - 6);
  return { left, wide: Math.max(Math.min(xOf(ops.until[i]), layout.width + 6) - left, ops.mark[i] === HARM ? 3 : 2) };
};

const drawOps = (lane, low, high, top, height, related) => {
  ctx.font = FONT;
  const proof = view.finding >= 0 ? data.findings[view.finding].ops : [];
  // Bars that nearly touch share a label: that of the one that matters most.
  let group = null;
  let before = layout.gutter;
  for (let place = low; place < high; place++) {
    const i = lane.ops[place];
    if (ops.until[i] < view.from) continue;
    const mark = ops.mark[i];
    const { left, wide } = barOf(i);
    const light = mark === REFUSED;
    drawBar(ctx, mark, left, light ? top + height * 0.3 : top, wide, light ? height * 0.4 : height);
    if (!ops.returned[i]) drawOpenEnd(left + wide, top + height / 2);
    if (mark === HARM) drawFlag(left + wide / 2, top);
    if (proof.includes(i)) ring(left, top, wide, height, 1.5, 'harm');
    if (related.has(i)) ring(left, top, wide, height, i === view.pin?.i ? 2.5 : 1.2, 'focus');
    if (wide >= 12) {
      if (group) nameBeside(group, left, top, height);
      group = null;
      before = left + wide;
      nameInside(i, left, wide, top, height);
    } else if (group && left < group.right + 10) {
      if (DRAWN.indexOf(mark) >= DRAWN.indexOf(ops.mark[group.i])) group.i = i;
      group.right = Math.max(group.right, left + wide);
      group.count += light ? 0 : 1;
    } else {
      if (group) {
        nameBeside(group, left, top, height);
        before = group.right;
      }
      group = { i, left, right: left + wide, before, count: light ? 0 : 1 };
    }
  }
  if (group) nameBeside(group, Infinity, top, height);
};

const nameInside = (i, left, wide, top, height) => {
  const [mark, y] = [ops.mark[i], top + height / 2];
  const text = [labelOf(i), data.verbs[ops.verb[i]]].find((text) => ctx.measureText(text).width <= wide - 8);
  if (text === undefined || wide < 30) {
    drawLetter(ctx, mark, left + wide / 2, y);
    return;
  }
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = filled(mark) ? onInk(mark) : ink.text;
  ctx.fillText(text, Math.max(left, layout.gutter) + 4, y + 0.5);
};

const nameBeside = ({ i, left, right, before, count }, next, top, height) => {
  const mark = ops.mark[i];
  if (mark === REFUSED) return;
  const y = top + height / 2;
  const text = labelOf(i);
  const length = ctx.measureText(text).width;
  // At the right edge of the view there is room on the left.
  const turned = right + length + 8 > layout.width;
  const room = turned ? left - before - 8 : next - right - 8;
  if (room < length) {
    if (room > 9) drawLetter(ctx, mark, turned ? left - 7 : right + 7, y, false);
    return;
  }
  ctx.textAlign = turned ? 'right' : 'left';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = mark === HARM ? ink.harm : ink.text;
  ctx.fillText(text, turned ? left - 5 : right + 5, y + 0.5);
  if (turned || count < 2 || room < length + 40) return;
  ctx.fillStyle = ink.dim;
  ctx.fillText(`+${count - 1} more`, right + 11 + length, y + 0.5);
};

const fitting = (text, wide) => {
  const most = Math.floor(wide / 6);
  return text.length <= most ? text : most < 2 ? '' : `${text.slice(0, most - 1)}…`;
};

const drawOpenEnd = (left, y) => {
  ctx.strokeStyle = ink.doubt;
  ctx.lineWidth = 1;
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + 36, y);
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
