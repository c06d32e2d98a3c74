// The page of a profile.
const stepOf = ([rank, device, step, length, computation, waiting, transfer, hiddenCommunication, copies, hiddenCopies, idle]) =>
  ({rank, device, step, length, computation, waiting, transfer, hiddenCommunication, copies, hiddenCopies, idle,
    idleSum: idle.reduce((sum, ns) => sum + ns, 0)});
const times = {steps: data.steps.map(stepOf).filter((one) => one.step !== null), devices: data.devices.map(stepOf)};
const hasDevices = new Set(data.devices.map(([rank, device]) => rank + '/' + device)).size > new Set(data.devices.map(([rank]) => rank)).size;
const hasRanks = data.ranks_count > 1;
const mostBars = 48;

/** What a device does, at the bottom of its bar first; what is hidden has a bar of its own beneath. */
const parts = [
  {label: 'computation', colour: 'kernel', of: (one) => one.computation},
  {label: data.knows_waiting ? 'communication: transfer' : 'communication, with its waiting', colour: 'communication', of: (one) => one.transfer},
  {label: 'communication: waiting for a rank', colour: 'waiting', of: (one) => one.waiting},
  {label: 'copies', colour: 'copy', of: (one) => one.copies},
  ...data.causes.map((cause, place) => ({label: 'idle: ' + cause, colour: 'idle-' + place, of: (one) => one.idle[place]})),
  {label: 'hidden communication', colour: 'hidden-communication', isHidden: true, of: (one) => one.hiddenCommunication},
  {label: 'hidden copies', colour: 'hidden-copy', isHidden: true, of: (one) => one.hiddenCopies},
];

const choice = {rank: '', span: times.steps.length > 0 && times.steps.length <= mostBars ? 'steps' : 'devices'};
const chosenTimes = () => times[choice.span].filter((one) => choice.rank === '' || one.rank === Number(choice.rank));

function placeText(one) {
  const words = [];
  if (hasRanks) words.push(`rank ${one.rank}`);
  if (hasDevices) words.push(`device ${one.device}`);
  if (one.step !== null) words.push(`step ${one.step}`);
  return words.join(', ') || 'whole trace';
}

const leftOut = (name, what) => data.left_out[name] > 0 ? ` ${wholeNumber.format(data.left_out[name])} ${what} are left out of this page.` : '';
const sumOf = (list, value) => list.reduce((sum, one) => sum + value(one), 0);
const shareKind = (part, whole) => whole > 0 ? 100 * part / whole : 0;

function fillHead() {
  const [first] = data.ranks;
  byId('title').textContent = hasRanks ? `${wholeNumber.format(data.ranks_count)} ranks` : first ? fileOf(first[1]) : '';
  document.title = 'nadi profile: ' + byId('title').textContent;
  byId('subtitle').textContent = (!first ? '' : !hasRanks ? first[1] :
    `${first[1]} and ${wholeNumber.format(data.ranks_count - 1)} more${data.clock ? `; clocks by ${data.clock}` : ''}.`) +
    whatIfSentence(data.what_if);
}

/** Where the time goes, what of it was lost, how long it is. */
function fillCards() {
  const cards = byId('cards');
  const all = times.devices;
  addTimeCards(cards, {
    length: sumOf(all, (one) => one.length), computation: sumOf(all, (one) => one.computation),
    communication: sumOf(all, (one) => one.transfer + one.waiting), copies: sumOf(all, (one) => one.copies),
    idle: sumOf(all, (one) => one.idleSum),
  });
  for (const [, kind, count, places] of data.findings.filter(([severity]) => severity === 'loss').slice(0, 3))
    addCard(cards, wholeNumber.format(count), `lost (${kind})` + (places.length > 0 ? `: ${places[0]}` : ''), 'alarm');
  addCard(cards, formatTime(Math.max(0, ...all.map((one) => one.length))), all.length > 1 ? 'longest device' : 'device, from its first row to its last');
  if (times.steps.length > 0)
    addCard(cards, formatTime(sumOf(times.steps, (one) => one.length) / times.steps.length), `mean step of ${wholeNumber.format(times.steps.length)}`);
}

function drawTime() {
  const shown = chosenTimes().slice(0, mostBars);
  const unit = unitFor(Math.max(0, ...shown.map((one) => one.length)));
  const series = parts.map(({label, colour, isHidden, of}) =>
    ({label, colour, stack: isHidden ? 'hidden' : 'exposed', values: shown.map((one) => of(one) / unit.ns)}))
    .filter((one) => one.values.some((value) => value > 0));
  fillLegend(byId('time-legend'), series.map((one) => [one.colour, one.label]));
  drawBars('time-chart', shown.map(placeText), series, (value, place) =>
    `${formatTime(value * unit.ns)} (${formatShare(value * unit.ns, shown[place].length)})`, {stacked: true, unit: unit.name, nameWidth: 24});
}

function fillTime() {
  const chosen = chosenTimes();
  byId('time-note').textContent = 'What the device did: computation, else communication, else copies, else nothing; these add up to the length. ' +
    'Beneath: communication and copies that this hides.' +
    (chosen.length > mostBars ? ` Bars are drawn of the first ${mostBars} of ${wholeNumber.format(chosen.length)}.` : '') + leftOut('steps', 'steps');
  const share = (title, value, isWide = true) => ({title: title + ' %', kind: 'share', isWide, value: (one) => shareKind(value(one), one.length)});
  fillTable('time-table', [
    ...(hasRanks ? [{title: 'Rank', kind: 'id', value: (one) => one.rank}] : []),
    ...(hasDevices ? [{title: 'Device', kind: 'id', isWide: true, value: (one) => one.device}] : []),
    ...(choice.span === 'steps' ? [{title: 'Step', kind: 'id', value: (one) => one.step}] : []),
    {title: 'Length ms', kind: 'ms', value: (one) => one.length},
    share('Computation', (one) => one.computation),
    share('Communication', (one) => one.transfer + one.waiting, false),
    ...(data.knows_waiting ? [share('of it waiting', (one) => one.waiting)] : []),
    share('Copies', (one) => one.copies),
    share('Idle', (one) => one.idleSum, false),
    {title: 'Hidden communication ms', kind: 'ms', isWide: true, value: (one) => one.hiddenCommunication},
  ], chosen, {rows: 10});
}

function showTimes() {
  fillTime();
  drawTime();
}

function watchTimes() {
  const ranks = [...new Set(data.devices.map(([rank]) => rank))];
  show('rank-label', ranks.length > 1);
  show('span-label', times.steps.length > 0);
  byId('rank').append(make('option', {value: ''}, 'all'), ...ranks.map((rank) => make('option', {value: rank}, String(rank))));
  byId('span').value = choice.span;
  for (const id of ['rank', 'span'])
    byId(id).addEventListener('change', () => {
      choice[id] = byId(id).value;
      showTimes();
    });
}

const rankColumn = (place, isWide = false) => hasRanks ? [{title: 'Rank', kind: 'id', isWide, value: (row) => row[place]}] : [];
const name = (title, place, isWide = false) => ({title, kind: 'name', isWide, value: (row) => row[place]});
const count = (title, place, isWide = false) => ({title, kind: 'count', isWide, value: (row) => row[place]});
const id = (title, place) => ({title, kind: 'id', value: (row) => row[place]});
const ms = (title, place, isWide = false) => ({title: title + ' ms', kind: 'ms', isWide, value: (row) => row[place]});
const shareOf = (place, whole, title = '%') => ({title, kind: 'share', value: (row) => shareKind(row[place], whole)});

/** Shows the section of that name with its table where data[name] has rows. */
function fillSection(name, columns, options = {}) {
  show(name, data[name].length > 0);
  if (data[name].length > 0) fillTable(name + '-table', columns, data[name], {isSearched: true, ...options});
}

function fillProblems() {
  fillSection('problems', [
    {title: 'What', kind: 'text', value: (row) => row[0]},
    {title: 'Where', kind: 'text', isWide: true, value: (row) => row[1]},
    {title: 'What to do', kind: 'text', value: (row) => row[2]},
    {title: '% of time', kind: 'share', isWide: true, value: (row) => row[3] > 0 ? 100 * row[3] : null},
  ], {isSearched: false, rows: 10});
}

function fillIdle() {
  fillSection('idle', [
    ...rankColumn(0),
    {title: 'Cause', kind: 'word', value: (row) => row[1]},
    name('What', 2), count('Times', 3, true), ms('Idle', 4), shareOf(4, sumOf(times.devices, (one) => one.idleSum), '% of idle'),
  ], {rows: 10});
}

function fillCollectives() {
  byId('collectives-note').textContent = 'Waiting: of all members, until the last one began. Transfer: from then to the last end. ' +
    'Algorithm and bus bandwidth as nccl-tests define them.' +
    (data.collectives.some((row) => row[3] < row[2]) ? ' Members: those of which traces were given, of all of the group.' : '') + leftOut('collectives', 'that took least');
  const hasGroups = data.collectives.some((row) => row[1] !== '');
  fillSection('collectives', [
    {title: 'Kind', kind: 'word', value: (row) => row[0]},
    ...(hasGroups ? [{title: 'Group', kind: 'text', isWide: true, value: (row) => row[1]}] : []),
    {title: 'Members', kind: 'word', isWide: true, value: (row) => row[3] < row[2] ? `${row[3]} of ${row[2]}` : row[3] === 1 ? '1 known' : `${row[3]}`},
    {title: 'Bytes', kind: 'bytes', isWide: true, value: (row) => row[4]},
    {title: 'Last rank', kind: 'id', isWide: true, value: (row) => row[5]},
    ms('Waiting', 6),
    {title: 'Who waited', kind: 'lines', isWide: true, value: (row) => row[7].map(([rank, ns]) => `rank ${rank}: ${formatTime(ns)}`).join('\n')},
    ms('Transfer', 8),
    {title: 'Algorithm GB/s', kind: 'rate', isWide: true, value: (row) => row[9] || null},
    {title: 'Bus GB/s', kind: 'rate', isWide: true, value: (row) => row[10] || null},
  ], {rows: 10});
  watchCollectives();
}

/** A click on a collective shows it in the timeline. */
function watchCollectives() {
  if (!lanesView.drawn || data.collectives.length === 0) return;
  byId('collectives-note').textContent += ' A click on one shows it in the timeline.';
  $('#collectives-table').addClass('leads').on('click', 'tbody tr', function showCollective() {
    const row = $('#collectives-table').DataTable().row(this).data();
    if (!row) return;
    const begin = row[11] - data.drawn.origin_ns;
    chooseMeeting(begin, begin + row[12]);
    showTime(begin, begin + row[12]);
    byId('lanes').scrollIntoView();
  });
}

function fillWaiting() {
  fillSection('waiting', [id('Rank', 0), count('Times last', 1), ms('Made others wait', 2), ms('Waited', 3)],
    {isSearched: false, order: [[2, 'desc']]});
}

function fillPath() {
  byId('path-note').textContent = `The chain of ${formatTime(data.path_ns)} that decides how long the ${hasRanks ? 'job' : 'trace'} takes, by what its time is.` +
    leftOut('path', 'parts that took least');
  fillSection('path', [
    {title: 'Kind', kind: 'word', value: (row) => row[0]},
    name('What', 1), ...rankColumn(2, true), count('Pieces', 3, true), ms('Time', 4), shareOf(4, data.path_ns),
  ], {rows: 15});
}

function drawFamilies() {
  const shown = data.families.slice(0, 12);
  const unit = unitFor(Math.max(0, ...shown.map((row) => row[2])));
  drawBars('families-chart', shown.map(([family]) => family),
    [{label: 'device time', colour: 'kernel', values: shown.map((row) => row[2] / unit.ns)}],
    (value) => formatTime(value * unit.ns), {unit: unit.name, nameWidth: 18});
}

function fillKernels() {
  const has = (place) => data.kernels.some((row) => row[place] !== null);
  byId('kernels-note').textContent = `Device time is ${formatTime(data.device_ns)} in all; rows of several streams at once each count.` +
    (has(8) ? ' Operations and bytes are from the shapes of the op that launched the kernel.' : '') + leftOut('kernels', 'kernels that took least');
  if (data.kernels.length > 0)
    fillTable('families-table', [
      {title: 'Family', kind: 'word', value: (row) => row[0]}, count('Rows', 1, true), ms('Time', 2), shareOf(2, data.device_ns),
    ], data.families, {rows: 12});
  fillSection('kernels', [
    name('Kernel', 0),
    {title: 'Family', kind: 'word', isWide: true, value: (row) => row[1]},
    name('Mostly by op', 2, true), count('Rows', 3, true), ms('Time', 4), shareOf(4, data.device_ns),
    ...(has(7) ? [{title: 'TFLOP/s', kind: 'rate', isWide: true, value: (row) => row[7]}] : []),
    ...(has(8) ? [{title: 'GB/s', kind: 'rate', isWide: true, value: (row) => row[8]}] : []),
    ...(has(9) ? [{title: 'Roofline %', kind: 'rate', isWide: true, value: (row) => row[9] === null ? null : 100 * row[9]}] : []),
    ms('Mean', 5, true), ms('Longest', 6, true),
  ], {rows: 15});
}

function fillOps() {
  byId('ops-note').textContent = 'Own: host work outside of the ops inside, without what a call blocked. ' +
    'With callees: from begin to end. Device: rows launched at or below. An op inside another of its name counts in own time alone.' + leftOut('ops', 'ops that took least');
  fillSection('ops', [
    name('Op', 0), count('Calls', 1, true), ms('Own', 2), shareOf(2, data.host_ns, '% of host'), ms('With callees', 3, true),
    count('Rows', 4, true), ms('Device', 5), shareOf(5, data.device_ns, '% of device'),
  ], {rows: 15});
}

function fillRanks() {
  show('ranks', hasRanks);
  if (!hasRanks) return;
  fillTable('ranks-table', [id('Rank', 0), name('Trace', 1), count('Nodes', 2, true), count('Device rows', 3, true), ...shiftColumns(data.ranks, 4)], data.ranks, {rows: 10, order: [[0, 'asc']]});
}

function fillCalls() {
  const calls = data.calls.map(([parent, name, isDevice, count, own, host, rows, device]) =>
    ({parent, name, isDevice, count, own, host, rows, device}));
  const time = (of, isWide = false) => ({isWide, html: (call) => call[of] > 0 ? formatMs(call[of]) : ''});
  fillTree(calls, [
    {title: 'Calls', isWide: true, html: (call) => formatCount(call.count)},
    {title: 'Own ms', ...time('own', true)}, {title: 'With callees ms', ...time('host')},
    {title: 'Rows', isWide: true, html: (call) => call.rows > 0 ? formatCount(call.rows) : ''},
    {title: 'Device ms', ...time('device')},
  ], (call) => call.host + call.device);
  byId('calls-note').textContent = 'Ops, annotations and calls by the path from the outermost one, the longest first; steps together. ' +
    'Own: host work outside of the calls inside; with callees: from begin to end; device: rows launched at or below.' + leftOut('calls', 'calls that took least');
}

fillHead();
fillCards();
watchTimes();
fillTime();
watchLanes();
showLanes(data.drawn);
fillProblems();
fillIdle();
fillCollectives();
fillWaiting();
fillPath();
fillKernels();
fillOps();
fillCalls();
fillRanks();
fillFindings(data.findings);
keepDrawn(() => {
  drawTime();
  drawLanes();
  if (data.kernels.length > 0) drawFamilies();
});
fillNavigation();
