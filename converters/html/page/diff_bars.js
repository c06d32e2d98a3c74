// Bars of control, test and difference.
function drawDiffBars() {
  const rows = topRows();
  const isTime = choice.measure !== 'count';
  const largest = Math.max(0, ...rows.map((row) => Math.max(row.control, row.test)));
  const unit = isTime ? unitFor(largest) : {name: 'calls', ns: 1};
  const names = rows.map((row) => row.label);
  const title = (place) => rows[place].name;
  const format = (value) => isTime ? formatTime(value * unit.ns) : formatCount(value);
  const signed = (value) => withSign(value, format);
  byId('bars').dataset.bars = rows.length;
  fillLegend(byId('bars-legend'), [['control', 'control'], ['test', 'test']]);
  fillLegend(byId('difference-legend'), [['difference', 'difference: test − control']]);
  drawBars('bars', names, [
    {label: 'control', colour: 'control', values: rows.map((row) => row.control / unit.ns)},
    {label: 'test', colour: 'test', values: rows.map((row) => row.test / unit.ns)},
  ], format, {unit: unit.name, title});
  const chart = drawBars('differences', names, [
    {label: 'difference', colour: 'difference', values: rows.map((row) => (row.test - row.control) / unit.ns)},
  ], signed, {unit: unit.name, title, hideNames: !isNarrow()});
  // Both charts stand side by side: a row of one is a row of the other.
  byId('differences').parentNode.style.height = byId('bars').parentNode.style.height;
  chart.resize();
}
