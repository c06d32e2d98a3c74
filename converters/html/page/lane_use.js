// Where the time of each lane goes: work, waiting that dependencies explain, waiting that none does.

/**
 * uses: [{name, nodes, time, busy, explained, unexplained}] in ns; time: what the others are parts
 * of, their sum where it is left out; busy null where it is not known.
 */
function drawLaneUse(uses) {
  const shown = uses.slice(0, 64);
  const unit = unitFor(Math.max(0, ...shown.map((use) => (use.busy || 0) + use.explained + use.unexplained)));
  const series = [
    {label: 'work', colour: 'busy', values: shown.map((use) => (use.busy || 0) / unit.ns)},
    {label: 'explained waiting', colour: 'explained', values: shown.map((use) => use.explained / unit.ns)},
    {label: 'unexplained waiting', colour: 'unexplained', values: shown.map((use) => use.unexplained / unit.ns)},
  ].filter((one) => one.values.some((value) => value > 0));
  fillLegend(byId('use-legend'), series.map((one) => [one.colour, one.label]));
  drawBars('use-chart', shown.map((use) => use.name), series, (value) => formatTime(value * unit.ns),
    {stacked: true, unit: unit.name});
}

function fillLaneUse(uses) {
  const timeOf = (use) => use.time ?? (use.busy || 0) + use.explained + use.unexplained;
  const columns = [
    {title: 'Lane', kind: 'text', value: (use) => use.name},
    {title: 'Nodes', kind: 'count', isWide: true, value: (use) => use.nodes},
    {title: 'Time ms', kind: 'ms', value: timeOf},
    {title: 'Work ms', kind: 'ms', isWide: true, value: (use) => use.busy || 0},
    {title: 'Explained ms', kind: 'ms', isWide: true, value: (use) => use.explained},
    {title: 'Unexplained ms', kind: 'ms', value: (use) => use.unexplained},
    {title: 'Unexplained % of time', kind: 'share', value: (use) => timeOf(use) > 0 ? 100 * use.unexplained / timeOf(use) : 0},
  ];
  const isKnown = uses.some((use) => use.busy !== null);
  fillTable('use-table', isKnown ? columns : columns.filter(({title}) => !/^(Work|Explained)/.test(title)), uses);
}
