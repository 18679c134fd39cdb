// The lanes: what of each client is shown, in lists that can be searched by time.

let lanes = [];

// The findings that are shown, by time.
let stops = [];
const inOrder = [...data.findings.keys()].sort((a, b) => data.findings[a].from - data.findings[b].from || a - b);

const natural = new Intl.Collator(undefined, { numeric: true });
const byName = (names) => [...names.keys()].sort((a, b) => natural.compare(names[a], names[b]));
const clientOrder = byName(data.clients);

const pauses = new Map();
for (const fault of data.faults) {
  if (fault.kind !== 'pause' || fault.failed) continue;
  for (const client of fault.clients) {
    pauses.set(client, [...(pauses.get(client) ?? []), { from: fault.from, until: fault.until ?? whole.until }]);
  }
}

const gone = new Map(data.gone);

const buildLanes = () => {
  const of = new Map();
  for (const client of clientOrder) {
    if (!view.hidden.client.has(client)) of.set(client, { client, ops: [], marks: data.marks.map(() => []), leases: [] });
  }
  for (let i = 0; i < ops.count; i++) {
    if (!shown(i)) continue;
    const lane = of.get(ops.client[i]);
    lane.ops.push(i);
    lane.marks[ops.mark[i]].push(i);
  }
  for (let i = 0; i < leases.count; i++) {
    if (shown(leases.op[i])) of.get(ops.client[leases.op[i]]).leases.push(i);
  }
  lanes = [...of.values()];
  for (const lane of lanes) {
    // Operations of one client may overlap: up to each, the latest end so far never falls, and can be searched.
    lane.reach = new Float64Array(lane.ops.length);
    let reach = -Infinity;
    lane.ops.forEach((i, place) => (lane.reach[place] = reach = Math.max(reach, ops.until[i])));
    for (const list of lane.marks) sortBy(list, standsAt);
    lane.rows = rowsOf(lane.leases);
    lane.matches = [];
  }
};

const sortBy = (list, keyOf) => {
  for (let i = 1; i < list.length; i++) {
    if (keyOf(list[i]) < keyOf(list[i - 1])) return list.sort((a, b) => keyOf(a) - keyOf(b));
  }
  return list;
};

// Leases that overlap, of different locks or of a lock that can be held again, get a row each, as far as there is room.
const ROWS = 4;
const rowsOf = (all) => {
  const rows = [];
  for (const i of sortBy(all, (lease) => leases.from[lease])) {
    let row = rows.find((row) => row.free <= leases.from[i]);
    if (!row && rows.length < ROWS) rows.push((row = { list: [], sums: [], sum: 0, free: -Infinity }));
    if (!row) row = rows[ROWS - 1];
    row.list.push(i);
    row.sums.push(row.sum);
    row.sum += Math.max(leases.until[i] - Math.max(leases.from[i], row.free), 0);
    row.free = Math.max(row.free, leases.believed[i]);
  }
  return rows;
};

// Up to `at`, for how long a row's leases ran.
const heldBefore = (row, at, low) => {
  const next = firstAt(row.list, (i) => leases.from[i], at, low);
  if (next === 0) return { next, held: 0 };
  const last = row.list[next - 1];
  return { next, held: row.sums[next - 1] + Math.max(Math.min(at, leases.until[last]) - leases.from[last], 0) };
};

// The places of a lane's list from the first operation that reaches into the view to the first that begins after it.
const within = (lane, from, until) => [
  firstAt(lane.reach, (reach) => reach, from),
  firstAt(lane.ops, (i) => ops.from[i], until),
];

// A finding is shown where one of its clients is, and one of its locks.
const findingShown = ({ clients, locks }) =>
  [...locks].some((lock) => !view.hidden.lock.has(lock)) && (clients.length === 0 || clients.some((client) => !view.hidden.client.has(client)));

follow(['filter'], () => {
  buildLanes();
  stops = inOrder.filter((i) => findingShown(data.findings[i]));
});
