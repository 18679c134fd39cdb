// How each mark looks: its letter, its colour, how tall its tick is when many share a pixel.

const LOOKS = {
  [GRANTED]: { letter: 'A', ink: 'acquire', tall: 0.8 },
  [REFUSED]: { letter: '', ink: 'refused', tall: 0.4 },
  [READ]: { letter: 'R', ink: 'read', tall: 0.5 },
  [WRITTEN]: { letter: 'W', ink: 'write', tall: 0.8 },
  [HARM]: { letter: '!', ink: 'harm', tall: 1 },
  [FENCED]: { letter: '✗', ink: 'guard', tall: 1 },
  [EXTENDED]: { letter: 'E', ink: 'acquire', tall: 0.6 },
  [CHECKED]: { letter: 'C', ink: 'read', tall: 0.5 },
  [RELEASED]: { letter: '>', ink: 'read', tall: 0.6 },
  [FAILED]: { letter: '×', ink: 'read', tall: 0.6 },
  [UNKNOWN]: { letter: '?', ink: 'doubt', tall: 0.9 },
};

// What matters more is drawn later, over what matters less.
const DRAWN = [REFUSED, READ, CHECKED, RELEASED, FAILED, EXTENDED, GRANTED, WRITTEN, UNKNOWN, FENCED, HARM];

const labelOf = (i) => {
  const value = ops.value.get(i);
  if (ops.mark[i] === REFUSED) return 'refused';
  return value === undefined ? data.verbs[ops.verb[i]] : `${data.verbs[ops.verb[i]]} ${value}`;
};

const filled = (mark) => mark === HARM || mark === WRITTEN || mark === GRANTED || mark === FENCED;
const onInk = (mark) => (mark === HARM ? ink['on-harm'] : mark === FENCED ? ink['on-guard'] : ink.panel);

const hatch = (ctx, left, top, width, height) => {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.globalAlpha = 0.14;
  ctx.fillStyle = ink.pause;
  ctx.fillRect(left, top, width, height);
  ctx.globalAlpha = 0.55;
  ctx.strokeStyle = ink.pause;
  ctx.lineWidth = 1;
  ctx.beginPath();
  // Anchored to the canvas, so that the pattern does not crawl from its left edge.
  for (let x = Math.floor((left - height) / 9) * 9; x < left + width; x += 9) {
    ctx.moveTo(x, top + height);
    ctx.lineTo(x + height, top);
  }
  ctx.stroke();
  ctx.restore();
};

// A small picture for the legend and the menus.
const swatch = (paint, width = 22) => {
  const canvas = document.createElement('canvas');
  const scale = devicePixelRatio || 1;
  Object.assign(canvas, { width: width * scale, height: 16 * scale, className: 'swatch' });
  Object.assign(canvas.style, { width: `${width}px`, height: '16px' });
  canvas.setAttribute('aria-hidden', 'true');
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  paint(ctx, width);
  return canvas;
};

const markSwatch = (mark) =>
  swatch((ctx, width) => {
    ctx.font = 'bold 11px system-ui, sans-serif';
    drawBar(ctx, mark, 1, 2, width - 2, 12);
    drawLetter(ctx, mark, width / 2, 8);
  });

const drawBar = (ctx, mark, left, top, width, height) => {
  ctx.fillStyle = ink[LOOKS[mark].ink];
  if (filled(mark) || mark === REFUSED || width < 4) {
    ctx.fillRect(left, top, width, height);
    return;
  }
  ctx.globalAlpha = 0.22;
  ctx.fillRect(left, top, width, height);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = ctx.fillStyle;
  ctx.lineWidth = 1;
  ctx.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
};

const drawLetter = (ctx, mark, x, y, inside = true) => {
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = inside && filled(mark) ? onInk(mark) : mark === READ || mark === CHECKED || mark === RELEASED || mark === FAILED ? ink.text : ink[LOOKS[mark].ink];
  ctx.fillText(LOOKS[mark].letter, x, y + 0.5);
};
