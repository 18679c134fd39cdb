// From here on everything follows from what is looked at.

if (data.of > ops.count) {
  const note = `The history has ${data.of.toLocaleString('en')} operations; here are the ${ops.count.toLocaleString('en')} that the findings name.`;
  legend.before(make('p', { className: 'said text-doubt' }, note));
}

buildLanes();
stopsNow();
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

// What is looked at, for whoever has a console open.
window.fencepost = { data, ops, view, frame, show, goTo, restore, get lanes() { return lanes; }, get matches() { return matches; } };
