// From here on everything follows from what is looked at.

if (data.of > ops.count) {
  const note = `The history has ${data.of.toLocaleString('en')} operations; here are the ${ops.count.toLocaleString('en')} that the findings name.`;
  legend.before(make('p', { className: 'said text-doubt' }, note));
}

buildLanes();
stops = inOrder;
arrange();
applyTheme(remembered());
if (!restore(location.hash) && view.finding < 0) {
  if (stops.length > 0) goTo(stops[0], show);
  else show(whole.from, whole.until);
}
changed('filter', 'size', 'time', 'pin', 'finding');
new ResizeObserver(() => changed('size')).observe(scroller);
addEventListener('resize', () => changed('size'));
follow(['time'], () => {
  if (!performance.getEntriesByName('first-paint-of-diagram').length) performance.mark('first-paint-of-diagram');
});

// Where on the screen a moment of a client's lane is: among its leases, or among its operations.
const placeOf = (name, at, band) => {
  const lane = lanes.findIndex(({ client }) => data.clients[client] === name);
  const { left, top } = canvas.getBoundingClientRect();
  const { top: inLane, height } = band === 'lease' ? leaseBand() : opBand();
  return [left + xOf(at), top + laneTop(lane) + inLane + height / 2];
};

// For whoever has a console open.
window.fencepost = {
  data,
  ops,
  leases,
  view,
  whole,
  frame,
  show,
  placeOf,
  linked,
  get lanes() {
    return lanes;
  },
  get matches() {
    return matches;
  },
};
