// The page of a conversion: a rank at a time. Of a what-if what is drawn has its times, and all else was recorded.
let rank = data.ranks[0];  // a job of graphs converts none
const asRecorded = data.what_if ? ', as recorded' : '';

/** The lanes of the report with the work of those drawn, if it was recorded: a drawn lane has the name's beginning. */
function usesOf(report) {
  const drawn = report.drawn ? report.drawn.ranks[0].lanes : [];
  return report.lanes.map(([name, nodes, end, unexplained]) => {
    const lane = !data.what_if && drawn.find((one) => name === one.name || name.startsWith(one.name + ' ('));
    const busy = lane ? lane.busy_ns : null;
    return {name, nodes, time: end, busy, unexplained, explained: busy === null ? 0 : Math.max(0, end - busy - unexplained)};
  });
}

function fillHead() {
  byId('title').textContent = fileOf(rank.output);
  document.title = 'nadi convert: ' + fileOf(rank.output);
  byId('subtitle').textContent = `Rank ${rank.rank}, from ` +
    [rank.host && `host trace ${rank.host}`, rank.device && `device trace ${rank.device}`].filter(Boolean).join(' and ') + '.' +
    (data.what_if ? ` The lanes over time and what devices did have the times of a what-if, ${data.what_if}: nobody measured them. All else was recorded.` : '');
  if (data.what_if) byId('use-note').textContent = 'As recorded, before the what-if. Unexplained: waiting that no dependency of the graph accounts for.';
}

/** Of "device trace, event 7 at byte 4699971": the trace and the byte. */
function cutTrace(places) {
  const found = /^(host trace|device trace), .*byte (\d+)/.exec(places[0] || '');
  return found && {name: found[1], byte: Number(found[2])};
}

/** "2,277", "Device trace ends at byte 4.7 MB: 2,277 rows missing". */
function cutCard({name, byte}) {
  const missing = name === 'device trace' ? rank.launches_without_row : 0;
  const place = `${name[0].toUpperCase()}${name.slice(1)} ends at byte ${formatBytes(byte)}`;
  return missing > 0 ? [wholeNumber.format(missing), `${place}: ${wholeNumber.format(missing)} rows missing`] : ['cut', place];
}

/** Where the time goes, what was lost, how it was linked. */
function fillCards() {
  const cards = byId('cards');
  cards.replaceChildren();
  if (rank.device_time) {
    const [length, computation, communication, copies, idle] = rank.device_time;
    addTimeCards(cards, {length, computation, communication, copies, idle});
  }
  const uses = usesOf(rank);
  const shown = uses.reduce((sum, use) => sum + (use.busy || 0) + use.explained + use.unexplained, 0);
  const losses = rank.findings.filter(([severity]) => severity === 'loss');
  const tone = losses.length === 0 ? 'calm' : '';
  for (const [, kind, count, places] of losses.slice(0, 3)) {
    const cut = kind === 'truncated-input' ? cutTrace(places) : null;
    if (cut) addCard(cards, ...cutCard(cut), 'alarm');
    else if (kind === 'device-rows-missing') continue;
    else addCard(cards, wholeNumber.format(count), `lost (${kind})` + (places.length > 0 ? `: ${places[0]}` : ''), 'alarm');
  }
  const isCut = losses.some(([, kind, , places]) => kind === 'truncated-input' && (places[0] || '').startsWith('device trace'));
  if (rank.launches_without_row > 0 && !isCut)
    addCard(cards, wholeNumber.format(rank.launches_without_row), 'launches without a device row: these were lost, or the trace ends before them',
      losses.some(([, kind]) => kind === 'device-rows-missing') ? 'alarm' : '');
  if (losses.length > 3) addCard(cards, wholeNumber.format(losses.length - 3), 'more kinds of lost data, see Findings', 'alarm');
  if (rank.has_host_trace)
    addCard(cards, formatShare(rank.matched_host_ops, rank.host_ops) || '–',
      `host ops matched: ${wholeNumber.format(rank.matched_host_ops)} of ${wholeNumber.format(rank.host_ops)}`,
      rank.matched_host_ops === rank.host_ops ? tone : '');
  else
    addCard(cards, wholeNumber.format(rank.host_ops), "ops of the device trace's own: there is no host trace");
  addCard(cards, formatShare(rank.linked_device_rows, rank.device_rows) || '–',
    `device rows linked to a launch: ${wholeNumber.format(rank.linked_device_rows)} of ${wholeNumber.format(rank.device_rows)}`,
    rank.linked_device_rows === rank.device_rows ? tone : 'alarm');
  addCard(cards, wholeNumber.format(rank.nodes), 'nodes');
  addCard(cards, wholeNumber.format(rank.edges.reduce((sum, [, count]) => sum + count, 0)), 'edges');
  addCard(cards, formatTime(rank.span_ns), `from the first start to the last end${asRecorded}`);
  if (data.what_if && rank.drawn) addCard(cards, formatTime(rank.drawn.span_ns), `the same with ${data.what_if}`);
  if (shown > 0 && rank.drawn && !data.what_if) addCard(cards, formatShare(rank.unexplained_ns, shown), 'of the time of all lanes is unexplained');
  else addCard(cards, formatTime(rank.unexplained_ns), `unexplained, over all lanes${asRecorded}`);
}

const sortedEdges = () => [...rank.edges].sort((a, b) => b[1] - a[1]);

function drawEdges() {
  const edges = sortedEdges();
  const hasGuesses = edges.some(([, , inferred]) => inferred > 0);
  const series = [{label: 'recorded by the traces', colour: 'busy', values: edges.map(([, count, inferred]) => count - inferred)}];
  if (hasGuesses) series.push({label: 'inferred', colour: 'unexplained', values: edges.map(([, , inferred]) => inferred)});
  fillLegend(byId('edges-legend'), series.map((one) => [one.colour, one.label]));
  drawBars('edges-chart', edges.map(([name]) => name), series, formatCount, {stacked: true, unit: 'edges', nameWidth: 18});
}

function fillEdges() {
  const guesses = rank.edges.reduce((sum, [, , inferred]) => sum + inferred, 0);
  byId('edges-note').textContent = 'Why each edge is there. ' + (guesses > 0 ?
    `Inferred: ${wholeNumber.format(guesses)} guesses, nothing in the traces tells them.` : 'None is a guess.');
  fillTable('edges-table', [
    {title: 'Evidence', kind: 'word', value: (row) => row[0]},
    {title: 'Edges', kind: 'count', value: (row) => row[1]},
    {title: 'Inferred', kind: 'count', value: (row) => row[2]},
    {title: 'Inferred by', kind: 'word', isWide: true, value: (row) => formatInferences(row[3])},
  ], sortedEdges(), {rows: 0});
}

function fillLinking() {
  const table = (id, title, groups) => fillTable(id, [
    {title, kind: 'word', value: (row) => row[0]},
    {title: 'What', kind: 'word', value: (row) => row[1]},
    {title: 'Count', kind: 'count', value: (row) => row[2]},
  ], groups.flatMap(([group, counts]) => counts.map(([name, count]) => [group, name, count])), {rows: 0});
  table('linking-table', 'Linking', [
    ['host ops', rank.has_host_trace
      ? [['matched', rank.matched_host_ops], ['in the host trace only', rank.host_ops - rank.matched_host_ops]]
      : [["the device trace's own", rank.host_ops]]],
    ['device rows', rank.device_rows_by_kind],
    ['linked by', rank.device_rows_by_evidence],
    ['device rows', [['without a launch', rank.unlaunched_device_rows]]],
  ]);
  table('nodes-table', 'Graph', [['nodes', rank.nodes_by_kind], ['collectives', rank.collectives]]);
}

function fillRanks() {
  show('ranks', data.ranks.length > 1);
  show('rank-label', data.ranks.length > 1);
  if (data.ranks.length <= 1) return;
  byId('rank').append(...data.ranks.map((one, place) => make('option', {value: place}, String(one.rank))));
  byId('rank').addEventListener('change', () => {
    rank = data.ranks[Number(byId('rank').value)];
    fillRank();
  });
  const drawn = data.ranks.filter((one) => one.drawn).length;
  byId('ranks-note').textContent =
    (drawn > 0 && drawn < data.ranks.length ? `Lanes are drawn of the first ${drawn} ranks. ` : '') +
    (data.ranks_left_out > 0 ? `${wholeNumber.format(data.ranks_left_out)} more ranks are left out of this page.` : '');
  fillTable('ranks-table', [
    {title: 'Rank', kind: 'count', value: (row) => row.rank},
    {title: 'Graph', kind: 'name', value: (row) => row.output},
    {title: 'Host ops matched %', kind: 'share', value: (row) => row.host_ops > 0 ? 100 * row.matched_host_ops / row.host_ops : 0},
    {title: 'Device rows', kind: 'count', isWide: true, value: (row) => row.device_rows},
    {title: 'Linked', kind: 'count', isWide: true, value: (row) => row.linked_device_rows},
    {title: 'Nodes', kind: 'count', isWide: true, value: (row) => row.nodes},
    {title: `Span ms${asRecorded}`, kind: 'ms', value: (row) => row.span_ns},
    {title: `Unexplained ms${asRecorded}`, kind: 'ms', value: (row) => row.unexplained_ns},
  ], data.ranks, {order: [[0, 'asc']]});
}

function fillJob() {
  const {job} = data;
  show('job', Boolean(job));
  if (!job) return;
  byId('job-note').textContent = `${wholeNumber.format(job.ranks)} ranks, ${wholeNumber.format(job.outputs_count)} files.`;
  byId('job-command').textContent = job.command;
  show('job-command', job.command !== '');
  byId('job-outputs').append(...job.outputs.map((path) => make('li', {}, path)));
  fillTable('job-table', [
    {title: 'Severity', kind: 'tag', value: (row) => row[0]},
    {title: 'What the rewriting did', kind: 'text', value: (row) => row[1]},
    {title: 'Count', kind: 'count', value: (row) => row[2]},
    {title: 'First places', kind: 'text', value: (row) => row[3].join(' · ')},
  ], job.findings, {rows: 0});
}

const sizes = () => data.job ? data.job.scaling : [];

function fillScaling() {
  show('scaling', sizes().length > 0);
  if (sizes().length === 0) return;
  fillTable('scaling-table', [
    {title: 'Ranks', kind: 'count', value: (row) => row[0]},
    {title: 'Makespan ms', kind: 'ms', value: (row) => row[1]},
    {title: 'Communication %', kind: 'share', value: (row) => row[3]},
    {title: 'Efficiency %', kind: 'share', value: (row) => row[4]},
  ], sizes(), {rows: 0, order: [[0, 'asc']]});
}

function drawScaling() {
  if (sizes().length === 0) return;
  const series = [
    {label: 'without communication', colour: 'busy', values: sizes().map(([, , free]) => free / 1e6)},
    {label: 'waiting for communication', colour: 'unexplained', values: sizes().map(([, whole, free]) => (whole - free) / 1e6)},
  ];
  fillLegend(byId('scaling-legend'), series.map((one) => [one.colour, one.label]));
  drawBars('scaling-chart', sizes().map(([ranks]) => `${wholeNumber.format(ranks)} ranks`), series,
    (ms) => formatTime(ms * 1e6), {stacked: true, unit: 'ms', nameWidth: 14});
}

/** A job of graphs: nothing is known of the traces they are of. */
function fillJobOfGraphs() {
  byId('title').textContent = 'Job of graphs';
  document.title = 'nadi convert: job of graphs';
  byId('subtitle').textContent = whatIfSentence(data.what_if).trim();
  for (const section of ['cards', 'use', 'edges', 'linking']) show(section, false);
  fillNavigation();
}

function fillRank() {
  fillHead();
  fillCards();
  showLanes(rank.drawn, (lane) => {
    const report = rank.lanes.find(([name]) => name === lane.name || name.startsWith(lane.name + ' ('));
    return report ? report[0] : lane.name;
  });
  fillLaneUse(usesOf(rank));
  fillEdges();
  fillLinking();
  fillFindings(rank.findings);
  drawLaneUse(usesOf(rank));
  drawEdges();
  fillNavigation();
}

watchLanes();
fillRanks();
fillJob();
fillScaling();
if (rank) fillRank();
else fillJobOfGraphs();
keepDrawn(() => {
  if (rank) {
    drawLanes();
    drawLaneUse(usesOf(rank));
    drawEdges();
  }
  drawScaling();
});
