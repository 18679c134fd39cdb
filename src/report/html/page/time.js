// How moments and durations are written, and where the axis has ticks.

const SPARE = 0.1;

// Seconds since the first event, fine enough for steps of `step` nanoseconds.
const moment = (ns, step) => {
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / 1e9) - 1e-9)));
  return (ns / 1e9).toFixed(decimals);
};

const duration = (ns) => {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)} ns`;
  if (size < 1e6) return `${+(ns / 1e3).toPrecision(4)} µs`;
  if (size < 1e9) return `${+(ns / 1e6).toPrecision(4)} ms`;
  return `${+(ns / 1e9).toPrecision(5)} s`;
};

// As exact as the history is: to the microsecond, finer where it was stamped finer.
const exact = (ns) => `${(ns / 1e9).toFixed(ns % 1000 === 0 ? (ns % 1e6 === 0 ? 3 : 6) : 9)} s`;

// Round steps, about so many pixels apart.
const ticks = (from, until, width, apart) => {
  const rough = ((until - from) / Math.max(width, 1)) * apart;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((round) => round * power >= rough);
  const all = [];
  for (let at = Math.ceil(from / step); at * step <= until; at++) all.push(at * step);
  return { step, all };
};
