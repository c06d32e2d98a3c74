// The page of a replay.
const isMeasured = data.measured_ns !== null;
const measuredWord = data.measured_word;  // 'what-if' of graphs whose times nobody measured
const measuredTitle = measuredWord[0].toUpperCase() + measuredWord.slice(1);
const hasScales = data.scaled_ns !== null;
const scalesText = data.scales.map(([text]) => text).join(', ');
let rankOfUse = data.drawn.ranks.length > 0 ? data.drawn.ranks[0].rank : null;

function fillHead() {
  const [first] = data.ranks;
  byId('title').textContent = data.ranks_count === 1 ? fileOf(first[1]) : `${wholeNumber.format(data.ranks_count)} ranks`;
  document.title = 'nadi replay: ' + byId('title').textContent;
  byId('subtitle').textContent = (data.ranks_count === 1 ? first[1] :
    `${first[1]} and ${wholeNumber.format(data.ranks_count - 1)} more; ` +
    `${wholeNumber.format(data.meetings)} communications of several ranks matched${data.clock ? `; clocks by ${data.clock}` : ''}.`) +
    whatIfSentence(data.what_if);
}

function fillCards() {
  const cards = byId('cards');
  const measured = data.measured_ns;
  if (isMeasured) addCard(cards, formatTime(measured), measuredWord);
  addCard(cards, formatTime(data.replayed_ns), 'replayed');
  if (isMeasured)
    addCard(cards, formatChange(changeOf(measured, data.replayed_ns)) || '0 %', `replayed against ${measuredWord}`);
  if (hasScales)
    addCard(cards, formatTime(data.scaled_ns), `with ${scalesText}: ${formatChange(changeOf(data.replayed_ns, data.scaled_ns)) || 'no change'}`);
  if (isMeasured)
    addCard(cards, formatShare(data.explained_ns, data.idle_ns) || '–', `idle explained: ${formatTime(data.explained_ns)} of ${formatTime(data.idle_ns)}`);
  addCard(cards, wholeNumber.format(data.ranks.reduce((sum, [, , nodes]) => sum + nodes, 0)), 'nodes');
}

const modeTexts = {
  none: 'replayed without delays (as --delays none)',
  host: 'replayed with delays of the host (as --delays host)',
  all: 'replayed with all delays (as --delays all)',
};

/** Bars of how long the job takes: measured, replayed per delays mode, with the scales. */
function drawMakespan() {
  const bars = isMeasured ? [[measuredWord, data.measured_ns]] : [];
  if (data.modes.length === 0) bars.push(['replayed', data.replayed_ns]);
  for (const [mode, ns] of data.modes) bars.push([modeTexts[mode], ns]);
  if (hasScales) bars.push([`with ${scalesText}`, data.scaled_ns]);
  const unit = unitFor(Math.max(...bars.map(([, ns]) => ns)));
  byId('makespan-note').textContent = data.modes.length === 0 ? 'The graphs hold no delays.' :
    'What dependencies alone explain is the time without delays; delays are the waiting that no dependency explains.';
  const base = isMeasured ? data.measured_ns : data.replayed_ns;
  drawBars('makespan-chart', bars.map(([name]) => name),
    [{label: 'takes', colour: 'busy', values: bars.map(([, ns]) => ns / unit.ns)}],
    (value) => `${formatTime(value * unit.ns)} (${formatChange(changeOf(base, value * unit.ns)) || '±0 %'})`,
    {unit: unit.name, nameWidth: isNarrow() ? 18 : 60});
}

function drawPath() {
  const parts = data.path.filter(([, ns, scaled]) => ns > 0 || scaled > 0);
  const unit = unitFor(Math.max(0, ...parts.map(([, ns, scaled]) => Math.max(ns, scaled || 0))));
  const series = [{label: 'replayed', colour: 'control', values: parts.map(([, ns]) => ns / unit.ns)}];
  if (hasScales) series.push({label: `with ${scalesText}`, colour: 'test', values: parts.map(([, , ns]) => ns / unit.ns)});
  fillLegend(byId('path-legend'), series.map((one) => [one.colour, one.label]));
  drawBars('path-chart', parts.map(([name]) => name), series, (value) => formatTime(value * unit.ns),
    {unit: unit.name, nameWidth: 18});
}

function fillKernels() {
  show('kernels', data.path_kernels.length > 0);
  const columns = [
    {title: 'Kernel on the path', kind: 'name', value: (row) => row[0]},
    {title: 'ms', kind: 'ms', value: (row) => row[1]},
  ];
  if (hasScales) columns.push({title: 'Scaled ms', kind: 'ms', value: (row) => row[2]});
  fillTable('kernels-table', columns, data.path_kernels, {rows: 10});
}

const useOf = ([rank, name, step, nodes, busy, explained, unexplained, replayedBusy, replayedIdle]) =>
  ({rank, name, step, nodes, busy, explained, unexplained, replayedBusy, replayedIdle});
const usesOfRank = () => data.use_sums.map(useOf).filter((use) => rankOfUse === null || use.rank === rankOfUse);

/** Where nothing was measured: the work and the idle time of the replay. */
function drawReplayedUse(uses) {
  const shown = uses.slice(0, 64);
  const unit = unitFor(Math.max(0, ...shown.map((use) => use.replayedBusy + use.replayedIdle)));
  const series = [
    {label: 'work', colour: 'busy', values: shown.map((use) => use.replayedBusy / unit.ns)},
    {label: 'waiting', colour: 'explained', values: shown.map((use) => use.replayedIdle / unit.ns)},
  ];
  fillLegend(byId('use-legend'), series.map((one) => [one.colour, one.label]));
  drawBars('use-chart', shown.map((use) => use.name), series, (value) => formatTime(value * unit.ns),
    {stacked: true, unit: unit.name});
}

function fillReplayedUse(uses) {
  fillTable('use-table', [
    {title: 'Lane', kind: 'text', value: (use) => use.name},
    {title: 'Nodes', kind: 'count', isWide: true, value: (use) => use.nodes},
    {title: 'Work ms', kind: 'ms', value: (use) => use.replayedBusy},
    {title: 'Waiting ms', kind: 'ms', value: (use) => use.replayedIdle},
  ], uses);
}

const drawUse = () => (isMeasured ? drawLaneUse : drawReplayedUse)(usesOfRank());
const fillUse = () => (isMeasured ? fillLaneUse : fillReplayedUse)(usesOfRank());

const measuredColumns = [
  {title: 'Work ms', kind: 'ms', isWide: true, value: (use) => use.busy},
  {title: 'Explained ms', kind: 'ms', isWide: true, value: (use) => use.explained},
  {title: 'Unexplained ms', kind: 'ms', value: (use) => use.unexplained},
];

function fillSteps() {
  const uses = data.uses.map(useOf).filter((use) => use.step >= 0);
  show('steps', uses.length > 0);
  byId('steps-note').textContent = data.uses_left_out > 0 ?
    `${wholeNumber.format(data.uses_left_out)} more are left out of this page.` : '';
  const columns = [
    {title: 'Step', kind: 'count', value: (use) => use.step},
    {title: 'Lane', kind: 'text', value: (use) => use.name},
    {title: 'Nodes', kind: 'count', isWide: true, value: (use) => use.nodes},
    ...(isMeasured ? measuredColumns : []),
    {title: 'Replayed work ms', kind: 'ms', isWide: isMeasured, value: (use) => use.replayedBusy},
    {title: 'Replayed idle ms', kind: 'ms', isWide: isMeasured, value: (use) => use.replayedIdle},
  ];
  if (data.ranks_count > 1) columns.unshift({title: 'Rank', kind: 'count', value: (use) => use.rank});
  fillTable('steps-table', columns, uses);
}

function fillDifferences() {
  const rows = [...data.differences.map((row) => [`replayed against ${measuredWord}`, ...row]),
    ...data.scaled_differences.map((row) => ['scaled against replayed', ...row])];
  show('differences', rows.length > 0);
  fillTable('differences-table', [
    {title: 'Runs', kind: 'text', value: (row) => row[0]},
    {title: 'Node', kind: 'name', value: (row) => row[3]},
    {title: 'Rank', kind: 'count', isWide: true, value: (row) => row[1]},
    {title: 'Id', kind: 'count', isWide: true, value: (row) => row[2]},
    {title: 'Lane', kind: 'word', isWide: true, value: (row) => row[4]},
    {title: 'From ms', kind: 'ms', isWide: true, value: (row) => row[5]},
    {title: 'To ms', kind: 'ms', isWide: true, value: (row) => row[6]},
    {title: 'Difference ms', kind: 'msDifference', value: (row) => row[6] - row[5]},
  ], rows, {rows: 25});
}

function fillEdges() {
  show('edges', data.edges.length > 0);
  fillTable('edges-table', [
    {title: 'Evidence', kind: 'word', value: (row) => row[0]},
    {title: 'Edges', kind: 'count', value: (row) => row[1]},
    {title: 'Inferred', kind: 'count', value: (row) => row[2]},
    {title: 'Inferred by', kind: 'word', isWide: true, value: (row) => formatInferences(row[3])},
  ], [...data.edges].sort((a, b) => b[1] - a[1]), {rows: 0});
}

function fillRanks() {
  const isMany = data.ranks_count > 1;
  show('ranks', isMany);
  show('rank-label', data.drawn.ranks.length > 1);
  byId('rank').append(...data.drawn.ranks.map(({rank}) => make('option', {value: rank}, String(rank))));
  byId('rank').addEventListener('change', () => {
    rankOfUse = Number(byId('rank').value);
    fillUse();
    drawUse();
  });
  if (!isMany) return;
  const columns = [
    {title: 'Rank', kind: 'count', value: (row) => row[0]},
    {title: 'Graph', kind: 'name', value: (row) => row[1]},
    {title: 'Nodes', kind: 'count', isWide: true, value: (row) => row[2]},
    {title: 'Replayed ms', kind: 'ms', value: (row) => row[4]},
  ];
  if (isMeasured) {
    columns.splice(3, 0, {title: `${measuredTitle} ms`, kind: 'ms', value: (row) => row[3]});
    columns.push({title: 'Difference ms', kind: 'msDifference', value: (row) => row[4] - row[3]});
  }
  if (hasScales) columns.push({title: 'Scaled ms', kind: 'ms', value: (row) => row[5]});
  if (isMeasured) columns.push(...shiftColumns(data.ranks, 6));
  fillTable('ranks-table', columns, data.ranks, {order: [[0, 'asc']]});
}

function fillTimeline() {
  const runs = new Set(data.drawn.ranks.flatMap((one) => one.lanes.map((lane) => lane.run)));
  showLanes(data.drawn, (lane) => runs.size > 1 ? `${lane.name}, ${lane.run}` : lane.name);
  byId('use-note').textContent = isMeasured ?
    `${measuredWord === 'measured' ? 'As measured' : 'As in the what-if'}. Explained: a dependency had not ended yet. Unexplained: no dependency of the graph accounts for it; delays explain nothing.` :
    'As replayed: the graphs do not tell when their nodes started.';
  fillUse();
}

/** Titles of sections, where nothing was measured, or another word is right. */
function nameSections() {
  const titles = isMeasured ? [['makespan', `${measuredTitle} and replayed`]] :
    [['makespan', 'Replayed'], ['use', 'Work and waiting']];
  for (const [section, title] of titles) {
    const heading = document.querySelector(`#${section} h2`);
    heading.textContent = title;
    heading.dataset.short = title;
  }
}

nameSections();
fillHead();
fillCards();
watchLanes();
fillRanks();
fillTimeline();
fillSteps();
fillKernels();
fillDifferences();
fillEdges();
fillFindings(data.findings);
keepDrawn(() => {
  drawMakespan();
  drawLanes();
  drawUse();
  drawPath();
});
fillNavigation();
