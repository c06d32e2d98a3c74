// The page of a diff.
const sideTitle = (side) => side.paths.length === 0 ? '' : fileOf(side.paths[0]) +
  (side.paths_count > 1 ? ` and ${side.paths_count - 1} more` : '');
const samplesText = (side) => {
  const texts = side.samples.map(([rank, iteration]) => iteration < 0 ? `rank ${rank}` : `rank ${rank} iteration ${iteration}`);
  return texts.join(', ') + (side.samples_count > texts.length ? `, … (${side.samples_count} in all)` : '');
};

const titleOf = (by) => by[0].toUpperCase() + by.slice(1).replace('-', ' ');

function fillHead() {
  const {control, test} = data;
  byId('title').textContent = `${sideTitle(control)} → ${sideTitle(test)}`;
  document.title = `nadi diff: ${byId('title').textContent}`;
  const isMany = control.samples_count > 1 || test.samples_count > 1;
  byId('subtitle').textContent = `Rows by ${data.by.replace('-', ' ')}` +
    (data.device === 'all' ? '' : `, ${data.device} rows only`) +
    (isMany ? '. Counts and times are means per iteration of a rank.' : '.');
  const sides = [['', 'control', 'test'],
    ['files', control.paths.join('\n'), test.paths.join('\n')],
    ['compared', samplesText(control), samplesText(test)],
    ...(control.what_if || test.what_if ? [['what-if', control.what_if, test.what_if]] : [])];
  byId('sides').replaceChildren(...sides.map((cells, line) => make('tr', {}, ...cells.map((cell) =>
    make(line === 0 ? 'th' : 'td', {class: 'text', style: 'white-space: pre-line'}, cell)))));
}

function fillCards() {
  const cards = byId('cards');
  const spread = (ns, deviation) => ns === null ? '–' : formatTime(ns) + (deviation === null ? '' : ` ± ${formatTime(deviation)}`);
  for (const [what, controlNs, controlDeviation, testNs, testDeviation, significant] of data.headlines) {
    const change = formatChange(changeOf(controlNs, testNs)) || 'no change';
    const verdict = significant === null ? '' : significant ? ' (significant)' : ' (within noise)';
    addCard(cards, change, `${what}: ${spread(controlNs, controlDeviation)} → ${spread(testNs, testDeviation)}${verdict}`);
  }
  const changes = Object.fromEntries(data.changes);
  addCard(cards, `${wholeNumber.format(changes.added)} / ${wholeNumber.format(changes.deleted)}`, 'names added / deleted');
  addCard(cards, `${wholeNumber.format(changes.increased)} / ${wholeNumber.format(changes.decreased)}`,
    'called more often / less often');
  const {gate} = data;
  if (gate) addCard(cards, gate.is_open ? 'passed' : 'failed', 'gate: --fail-if', gate.is_open ? 'calm' : 'alarm');
}

const wordOf = (significant) => significant === null ? '?' : significant ? 'yes' : 'no';

function fillGate() {
  const {gate} = data;
  if (!gate) return;
  show('gate', true);
  for (const condition of gate.conditions) {
    const failed = gate.failed.find((one) => one.condition === condition);
    const verdict = make('span', {class: 'tag ' + (failed ? 'loss' : '')}, failed ? 'holds' : 'does not hold');
    const line = [make('b', {}, condition), ' ', verdict, failed ? ' ' + failed.found : ''];
    if (!failed || failed.rows.length === 0) {
      byId('gate-text').append(make('div', {class: 'gate'}, ...line));
      continue;
    }
    const rest = failed.rows_count - failed.rows.length;
    const rows = failed.rows.map((name) => make('li', {title: name}, name));
    if (rest > 0) rows.push(make('li', {}, `… ${wholeNumber.format(rest)} more`));
    byId('gate-text').append(make('details', {class: 'gate'},
      make('summary', {}, ...line, failed.found.includes('row') ? '' : `, ${wholeNumber.format(failed.rows_count)} rows at fault`),
      make('ul', {class: 'lines note'}, ...rows)));
  }
  if (gate.is_blind)
    byId('gate-text').append(make('p', {}, 'Data was lost or no row is compared, so the gate is closed.'));
}

function fillRows() {
  const columns = [
    {title: titleOf(data.by), kind: 'name', value: (row) => row.name, show: labelOf},
    {title: 'Change', isWide: true, kind: 'tag', value: (row) => row.change},
    {title: 'Control', isWide: true, kind: 'count', value: (row) => row.controlCount},
    {title: 'Test', isWide: true, kind: 'count', value: (row) => row.testCount},
    {title: 'Difference', kind: 'countDifference', value: (row) => row.countDifference},
    {title: 'Control ms', isWide: true, kind: 'ms', value: (row) => row.controlNs},
    {title: 'Test ms', isWide: true, kind: 'ms', value: (row) => row.testNs},
    {title: 'Difference ms', kind: 'msDifference', value: (row) => row.nsDifference},
    {title: '%', kind: 'change', value: (row) => changeOf(row.controlNs, row.testNs)},
  ];
  if (hasSpread)
    columns.push({title: 'Significant', kind: 'word', value: (row) => wordOf(row.significant)});
  const byDifference = (row) => Math.abs(row.nsDifference);
  const table = fillTable('rows', columns, chosenTimes().sort((a, b) => byDifference(b) - byDifference(a)));
  byId('rows-note').textContent = 'The choices above apply here too. A click on a title sorts. ' +
    (choice.time === 'own' ? 'Own time: of calls without the calls inside; of device rows all.' :
      'Inclusive time: of calls with all they call, so rows do not add up.') +
    (hasSpread ? ' Significant: the means differ by more than twice the root of the summed variances.' : '') +
    (data.rows_left_out > 0 ? ` ${wholeNumber.format(data.rows_left_out)} rows that changed least are left out of this page.` : '');
  return table;
}

function fillLanes() {
  show('lanes', data.lanes.length > 0);
  byId('lanes-note').textContent = 'Times per iteration, of launch latency per launch.';
  fillTable('lanes-table', [
    {title: 'Measure', kind: 'text', value: (row) => row[0]},
    {title: 'Lane', kind: 'text', value: (row) => row[1]},
    {title: 'Control', isWide: true, kind: 'count', value: (row) => row[2]},
    {title: 'Test', isWide: true, kind: 'count', value: (row) => row[3]},
    {title: 'Control ms', isWide: true, kind: 'ms', value: (row) => row[4]},
    {title: 'Test ms', isWide: true, kind: 'ms', value: (row) => row[5]},
    {title: 'Difference ms', kind: 'msDifference', value: (row) => differenceOf(row[4], row[5])},
    {title: '%', kind: 'change', value: (row) => changeOf(row[4], row[5])},
    {title: 'Significant', kind: 'word', value: (row) => wordOf(row[6])},
  ], data.lanes, {rows: 50});
}

function fillEdges() {
  show('edges', data.edges.length > 0);
  fillTable('edges-table', [
    {title: 'Edges', kind: 'text', value: (row) => row[0]},
    {title: 'Control', isWide: true, kind: 'count', value: (row) => row[1]},
    {title: 'Test', isWide: true, kind: 'count', value: (row) => row[2]},
    {title: 'Difference', kind: 'countDifference', value: (row) => row[2] - row[1]},
  ], data.edges, {rows: 0});
}

function fillInputs() {
  const form = ([dims, types, count]) => `${formatCount(count)} × ${dims} ${types}`;
  const forms = (list, all) => list.length === 0 ? '–' : list.map(form).join('\n') +
    (all > list.length ? `\n… ${wholeNumber.format(all - list.length)} more` : '');
  show('inputs', data.inputs.length > 0);
  byId('inputs-note').textContent = 'Ops of both sides; forms that only one side has, with the number of calls.' +
    (data.inputs_left_out > 0 ? ` ${wholeNumber.format(data.inputs_left_out)} more ops are left out of this page.` : '');
  fillTable('inputs-table', [
    {title: 'Op', kind: 'name', value: (row) => row[0]},
    {title: 'Only control', kind: 'lines', value: (row) => forms(row[1], row[3])},
    {title: 'Only test', kind: 'lines', value: (row) => forms(row[2], row[4])},
  ], data.inputs, {rows: 10});
}

/** Calls are [parent, name, is device, controls, tests, control ns, test ns, own ns difference, device ns difference]. */
function fillCalls() {
  const calls = (data.calls || []).map(([parent, name, isDevice, controls, tests, control, test, own, device]) =>
    ({parent, name, isDevice, controls, tests, control, test, own, device, difference: test - control}));
  const difference = (title, of) => ({title, html: (call) => columnKinds.msDifference.html(call[of])});
  fillTree(calls, [
    {title: 'Control', isWide: true, html: (call) => formatCount(call.controls)},
    {title: 'Test', isWide: true, html: (call) => formatCount(call.tests)},
    {title: 'Control ms', isWide: true, html: (call) => formatMs(call.control)},
    {title: 'Test ms', isWide: true, html: (call) => formatMs(call.test)},
    difference('Difference ms', 'difference'), difference('Own ms', 'own'), difference('Device ms', 'device'),
  ], (call) => Math.abs(call.difference));
  byId('calls-note').textContent = 'Means per iteration; biggest change first. Difference: with all it calls; ' +
    'own: outside of the calls inside; device: rows launched at or below. “old => new”: siblings that stand for each other.' +
    (data.calls_left_out > 0 ? ` ${wholeNumber.format(data.calls_left_out)} calls that changed least are left out of this page.` : '');
}

fillHead();
fillCards();
fillGate();
show('steps-label', hasSteps);
show('significant-label', hasSpread);
$.fn.dataTable.ext.search.push((settings, texts, place, row) => settings.nTable.id !== 'rows' || isChosen(row));
let rowsTable = fillRows();
let timeShown = choice.time;
watchChoice([() => keepInView(drawDiffBars), drawRows]);
keepDrawn(drawDiffBars);
fillCalls();
fillLanes();
fillEdges();
fillInputs();
fillFindings(data.findings);
fillNavigation();

/** Other times are another table; else its order stays as the reader has it. */
function drawRows() {
  if (choice.time === timeShown) return rowsTable.draw();
  timeShown = choice.time;
  rowsTable = fillRows();
}

/** Draws without the page jumping where the charts' height changes. */
function keepInView(draw) {
  const before = byId('measure').getBoundingClientRect().top;
  draw();
  window.scrollBy(0, byId('measure').getBoundingClientRect().top - before);
}
