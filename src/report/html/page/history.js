// The history as typed columns. Times are nanoseconds since the history's first event.

const data = JSON.parse(document.getElementById('history').textContent);

const cumulated = (steps) => {
  const out = new Float64Array(steps.length);
  let sum = 0;
  for (let i = 0; i < steps.length; i++) out[i] = sum += steps[i];
  return out;
};

const rare = ({ at, is }) => new Map(at.map((place, i) => [place, is[i]]));

// The numbers of the marks, in the order in which the page is given them.
const [GRANTED, REFUSED, READ, WRITTEN, HARM, FENCED, EXTENDED, CHECKED, RELEASED, FAILED, UNKNOWN] = data.marks.keys();

const ops = ((raw) => {
  const from = cumulated(raw.from);
  return {
    count: from.length,
    id: cumulated(raw.id),
    client: Int32Array.from(raw.client),
    verb: Uint8Array.from(raw.verb),
    name: Int32Array.from(raw.name),
    lock: Int32Array.from(raw.lock),
    mark: Uint8Array.from(raw.mark),
    outcome: Uint8Array.from(raw.outcome),
    from,
    // Of an operation that never returned, the invocation: that is all that is known.
    until: Float64Array.from(raw.took, (took, i) => from[i] + Math.max(took, 0)),
    returned: Uint8Array.from(raw.took, (took) => took >= 0),
    grant: Int32Array.from(raw.grant, (back, i) => (back === 0 ? -1 : i - back)),
    ttl: rare(raw.ttl_ms),
    token: rare(raw.token),
    fence: rare(raw.fence),
    fencedBy: rare(raw.fenced_by),
    validFor: rare(raw.valid_for_ms),
    validUntil: rare(raw.valid_until),
    toldAt: rare(raw.told_at),
    value: rare(raw.value),
    base: rare(raw.base),
    why: rare(raw.why),
  };
})(data.ops);
// What was read into columns is not kept twice.
data.ops = null;

const leases = {
  count: data.leases.length,
  op: Int32Array.from(data.leases, (lease) => lease[0]),
  from: Float64Array.from(data.leases, (lease) => lease[1]),
  until: Float64Array.from(data.leases, (lease) => lease[2]),
  believed: Float64Array.from(data.leases, (lease) => lease[3]),
  expiry: Float64Array.from(data.leases, (lease) => lease[4] ?? NaN),
};

// Nobody believes in a lease any more once the same client was granted the same lock anew.
{
  const before = new Map();
  for (let i = 0; i < leases.count; i++) {
    const key = ops.client[leases.op[i]] * data.names.length + ops.lock[leases.op[i]];
    const last = before.get(key);
    if (last !== undefined) leases.believed[last] = Math.min(leases.believed[last], Math.max(leases.until[last], leases.from[i]));
    before.set(key, i);
  }
}

const leaseOf = new Map(data.leases.map((lease, i) => [lease[0], i]));

const findingsOf = new Map();
data.findings.forEach((finding, i) => {
  finding.until = Math.max(finding.from, Math.min(finding.until, data.end));
  finding.locks = new Set(finding.ops.map((op) => ops.lock[op]));
  if (finding.locks.size === 0) finding.locks.add(data.names.indexOf(finding.lock));
  for (const op of finding.ops) findingsOf.set(op, [...(findingsOf.get(op) ?? []), i]);
});

// The operations under each grant.
const under = new Map();
for (let i = 0; i < ops.count; i++) {
  if (ops.grant[i] < 0) continue;
  const list = under.get(ops.grant[i]);
  if (list) list.push(i);
  else under.set(ops.grant[i], [i]);
}

// A mark stands where its client knew; of a release, where it let go.
const standsAt = (i) => (ops.mark[i] === RELEASED ? ops.from[i] : ops.until[i]);

// The history, with a little air. What goes on after its last event, nobody saw.
const whole = (() => {
  const margin = Math.max((data.end - data.begin) * 0.03, 500);
  return { from: data.begin - margin, until: data.end + margin };
})();

// The first place of a sorted list, from `low` to `high`, whose key is not below `key`.
const firstAt = (list, keyOf, key, low = 0, high = list.length) => {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyOf(list[middle]) < key) low = middle + 1;
    else high = middle;
  }
  return low;
};
