// What is known of an operation, a lease or a fault: a few words under the pointer, all of it where it is pinned.

const tip = document.getElementById('tip');
const details = document.getElementById('details');

// Makes an element; texts are put in as texts.
const make = (tag, props = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

const OUTCOMES = ['never heard of', 'ok', 'fail: it had no effect', 'info: nobody knows whether it took effect'];

const headOf = (i) => `${data.clients[ops.client[i]]} · ${data.verbs[ops.verb[i]]} ${data.names[ops.name[i]]}`;
const becameOf = (i) => data.marks[ops.mark[i]];

const factsOf = (i) => {
  const known = (map, how = String) => (map.has(i) ? how(map.get(i)) : null);
  const lease = leaseOf.get(i);
  const facts = [
    ['outcome', OUTCOMES[ops.outcome[i]]],
    ['why', known(ops.why)],
    ['invoked', exact(ops.from[i])],
    ['completed', ops.returned[i] ? `${exact(ops.until[i])}, after ${duration(ops.until[i] - ops.from[i])}` : 'never'],
    ['told', known(ops.toldAt, (at) => `${exact(at)}, by its own stamp`)],
    ['lock', ops.lock[i] === ops.name[i] ? null : data.names[ops.lock[i]]],
    ['value', known(ops.value)],
    ['computed from', known(ops.base)],
    ['token', known(ops.token)],
    ['fence', known(ops.fence)],
    ['outranked by', known(ops.fencedBy, (fence) => `fence ${fence}`)],
    ['TTL', known(ops.ttl, (ms) => duration(ms * 1e6))],
    ['valid for', known(ops.validFor, (ms) => `${duration(ms * 1e6)}, as it was told`)],
    ['valid until', known(ops.validUntil, (at) => `${exact(at)}, as it announced`)],
  ];
  if (lease !== undefined) facts.push(...leaseFacts(lease));
  facts.push(['operation', `#${ops.id[i]}`]);
  return facts.filter(([, value]) => value !== null);
};

const leaseFacts = (i) => [
  ['lease', `${exact(leases.from[i])} to ${exact(leases.until[i])}, ${duration(leases.until[i] - leases.from[i])}`],
  ['TTL ends', Number.isNaN(leases.expiry[i]) ? 'never' : exact(leases.expiry[i])],
  ['believed until', leases.believed[i] > leases.until[i] ? exact(leases.believed[i]) : null],
];

const list = (facts) => make('dl', {}, ...facts.filter(([, value]) => value !== null).flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));

const tipOf = (what) => {
  if (what.kind === 'fault') return [make('b', {}, data.faults[what.i].words), make('span', {}, 'click to pin')];
  if (what.kind === 'finding') {
    const finding = data.findings[what.i];
    return [make('b', { className: 'text-harm' }, finding.kind), finding.sentence];
  }
  if (what.kind === 'lease') {
    const op = leases.op[what.i];
    const over = what.at > leases.until[what.i];
    const title = `${data.clients[ops.client[op]]} ${over ? 'believes that it holds' : 'holds'} ${data.names[ops.lock[op]]}`;
    return [make('b', {}, title), list(leaseFacts(what.i))];
  }
  const blame = (findingsOf.get(what.i) ?? []).slice(0, 1).map((i) => make('span', { className: 'text-harm' }, data.findings[i].sentence));
  const few = factsOf(what.i).filter(([name]) => ['invoked', 'completed', 'value', 'token', 'fence', 'outranked by', 'why', 'TTL ends'].includes(name));
  return [make('b', {}, `${headOf(what.i)}: ${becameOf(what.i)}`), list(few), ...blame];
};

let tipped = null;

const showTip = (what, x, y) => {
  if (!what) {
    tip.hidden = true;
    tipped = null;
    return;
  }
  const key = `${what.kind} ${what.i} ${what.kind === 'lease' && what.at > leases.until[what.i]}`;
  if (key !== tipped) {
    tip.replaceChildren(...tipOf(what));
    tipped = key;
  }
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = x + 16 + width > innerWidth ? Math.max(x - width - 12, 4) : x + 16;
  const top = y + 18 + height > innerHeight ? Math.max(y - height - 12, 4) : y + 18;
  Object.assign(tip.style, { left: `${left}px`, top: `${top}px` });
};

const button = (text, then) => {
  const element = make('button', { type: 'button' }, text);
  element.addEventListener('click', then);
  return element;
};

const fillDetails = () => {
  const what = view.pin;
  if (what === null) {
    details.replaceChildren(make('p', { className: 'none' }, 'Click an operation, a lease or a fault to keep it here.'));
    return;
  }
  const zoomTo = button('Zoom to it', zoomToPin);
  const unpin = button('Unpin', () => pin(null));
  if (what.kind === 'fault') {
    const fault = data.faults[what.i];
    const facts = [
      ['kind', fault.kind],
      ['from', exact(fault.from)],
      ['until', fault.until === null ? 'the end' : `${exact(fault.until)}, ${duration(fault.until - fault.from)}`],
    ];
    details.replaceChildren(make('h3', {}, fault.text), list(facts), make('p', { className: 'said' }, fault.words), make('div', { className: 'more' }, zoomTo, unpin));
    return;
  }
  const { i } = what;
  const grant = ops.grant[i] >= 0 ? ops.grant[i] : ops.outcome[i] === 1 && leaseOf.has(i) ? i : -1;
  const others = grant < 0 ? [] : [grant, ...(under.get(grant) ?? [])].filter((other) => other !== i);
  const more = others.slice(0, 12).map((other) => button(`${labelOf(other)} at ${exact(standsAt(other))}`, () => pinAndReveal(other)));
  const blames = (findingsOf.get(i) ?? []).map((finding) => make('p', { className: 'blame' }, make('b', { className: 'text-harm' }, data.findings[finding].kind), ` ${data.findings[finding].sentence}`));
  details.replaceChildren(
    make('h3', { className: ops.mark[i] === HARM ? 'text-harm' : '' }, `${headOf(i)}: ${becameOf(i)}`),
    list(factsOf(i)),
    ...blames.slice(0, 4),
    make('div', { className: 'more' }, zoomTo, unpin, ...(more.length ? [make('span', { className: 'none' }, 'under the same grant:')] : []), ...more),
  );
};

const zoomToPin = () => {
  if (!view.pin) return;
  const { kind, i } = view.pin;
  let [from, until] = kind === 'fault' ? [data.faults[i].from, data.faults[i].until ?? data.faults[i].from] : [ops.from[i], ops.until[i]];
  if (kind === 'op' && leaseOf.has(i)) until = Math.max(until, leases.believed[leaseOf.get(i)]);
  const margin = Math.max((until - from) * 0.6, 1000);
  fly(from - margin, until + margin);
};

// Pins an operation, and brings it into view where it is not.
const pinAndReveal = (i) => {
  pin({ kind: 'op', i });
  say(`${headOf(i)}: ${becameOf(i)}, at ${exact(standsAt(i))}`);
  const span = view.until - view.from;
  const at = standsAt(i);
  if (at < view.from + span * SPARE || at > view.until - span * SPARE) fly(at - span / 2, at + span / 2);
  revealLane(ops.client[i]);
};

const revealLane = (client) => {
  const place = lanes.findIndex((lane) => lane.client === client);
  if (place < 0) return;
  const [top, room] = [place * layout.lane, layout.height - layout.top];
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top + layout.lane > scroller.scrollTop + room) scroller.scrollTop = top + layout.lane - room;
};

follow(['pin'], fillDetails);
