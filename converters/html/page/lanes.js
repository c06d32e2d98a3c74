// Lanes over time: a bar per node or group of nodes, with a range of time that one can choose.
const lanesView = {drawn: null, from: 0, to: 1, titles: []};

/** Shows a drawing of the data; titleOf: the title of one of its lanes. */
function showLanes(drawn, titleOf) {
  show('lanes', Boolean(drawn) && drawn.lanes.length > 0);
  lanesView.drawn = drawn;
  if (!drawn) return;
  for (const lane of drawn.lanes) lane.read = lane.read || readPieces(lane.pieces);
  lanesView.titles = drawn.lanes.map(titleOf);
  byId('lanes-note').textContent = lanesNote(drawn);
  fillLegend(byId('lanes-legend'), pieceKinds
    .map((kind, place) => [kind, pieceTexts[place], place])
    .filter(([, , place]) => drawn.lanes.some((lane) => lane.read.some((piece) => piece.kind === place))));
  setRange(0, drawn.span_ns);
}

function lanesNote(drawn) {
  let note = 'Drag across the lanes to look closer. Empty: waiting that dependencies explain. Paler: many nodes with gaps between them.';
  if (drawn.resolution_ns > 0)
    note += ` Nodes shorter than ${formatTime(drawn.resolution_ns)} are joined with their neighbours, to keep the file small.`;
  if (drawn.lanes_left_out > 0) note += ` ${wholeNumber.format(drawn.lanes_left_out)} less busy lanes are left out.`;
  return note;
}

function setRange(from, to) {
  const {drawn} = lanesView;
  if (!drawn) return;
  const span = Math.max(1, drawn.span_ns);
  const length = Math.min(span, Math.max(to - from, 100));
  lanesView.from = Math.min(Math.max(0, from), span - length);
  lanesView.to = lanesView.from + length;
  drawLanes();
}

function drawLanes() {
  const {drawn, from, to, titles} = lanesView;
  if (!drawn || drawn.lanes.length === 0) return;
  const unit = unitFor(to);
  const width = Math.max(200, byId('lanes-chart').parentNode.clientWidth - 120);
  const bars = drawn.lanes.map((lane) => piecesInView(lane.read, from, to, (to - from) / width));
  const least = 1.2 * (to - from) / width;  // so that every bar is seen
  const datasets = pieceKinds.map((kind, place) => ({
    label: pieceTexts[place], grouped: false, backgroundColor: (context) => context.raw ? shade(colourOf(kind), context.raw.piece) : '',
    barThickness: 15, borderWidth: 0, borderSkipped: false,
    data: bars.flatMap((pieces, lane) => pieces.filter((piece) => piece.kind === place).map((piece) => ({
      x: [piece.begin / unit.ns, Math.max(piece.end, piece.begin + least) / unit.ns], y: lane, piece,
    }))),
  }));
  byId('lanes-chart').dataset.bars = bars.reduce((sum, pieces) => sum + pieces.length, 0);
  byId('lanes-range').textContent = `${formatTime(from)} to ${formatTime(to)} of ${formatTime(drawn.span_ns)}`;
  drawChart('lanes-chart', drawn.lanes.length * 25 + 50, lanesConfiguration(datasets, unit));
}

/** The colour, paler the more of a joined piece is gaps. */
function shade(colour, piece) {
  const density = piece.nodes > 1 ? Math.min(1, piece.ns / Math.max(1, piece.end - piece.begin)) : 1;
  return colour + Math.round(255 * (0.3 + 0.7 * density)).toString(16).padStart(2, '0');
}

function lanesConfiguration(datasets, unit) {
  const {from, to, titles} = lanesView;
  const widest = isNarrow() ? 14 : 30;
  return {
    type: 'bar',
    data: {labels: titles.map((title, place) => place), datasets},
    options: {
      indexAxis: 'y',
      scales: {
        x: {min: from / unit.ns, max: to / unit.ns, title: {display: true, text: unit.name},
          ticks: {maxTicksLimit: isNarrow() ? 4 : 9, maxRotation: 0, includeBounds: false}},
        y: {grid: {display: false}, ticks: {autoSkip: false, crossAlign: 'far', color: colourOf('ink'),
          callback: (value, place) => cutText(titles[place], widest)}},
      },
      interaction: {mode: 'point'},
      plugins: {tooltip: {filter: (item, place) => place === 0, callbacks: {
        title: (items) => items.length > 0 ? wrapText(pieceTitle(items[0].raw.piece)) : '',
        label: (item) => pieceLines(item.raw.piece, titles[item.raw.y]),
      }}},
    },
  };
}

const pieceTitle = (piece) => (piece.name || pieceTexts[piece.kind]) +
  (piece.nodes > 1 ? ` and ${wholeNumber.format(piece.nodes - 1)} more` : '');

function pieceLines(piece, lane) {
  const length = piece.end - piece.begin;
  const lines = [`${lane}: ${pieceTexts[piece.kind]}, ${formatTime(length)} from ${formatTime(piece.begin)}`];
  if (piece.nodes > 1) lines.push(`${wholeNumber.format(piece.nodes)} nodes, ${formatTime(piece.ns)} of it`);
  return lines;
}

/** Buttons, and dragging with a mouse or pen. */
function watchLanes() {
  const move = (part) => {
    const by = part * (lanesView.to - lanesView.from);
    setRange(lanesView.from + by, lanesView.to + by);
  };
  const zoom = (factor) => {
    const half = (lanesView.to - lanesView.from) / 2 * factor;
    const middle = (lanesView.from + lanesView.to) / 2;
    setRange(middle - half, middle + half);
  };
  byId('lanes-all').addEventListener('click', () => setRange(0, lanesView.drawn.span_ns));
  byId('lanes-in').addEventListener('click', () => zoom(0.5));
  byId('lanes-out').addEventListener('click', () => zoom(2));
  byId('lanes-left').addEventListener('click', () => move(-0.5));
  byId('lanes-right').addEventListener('click', () => move(0.5));
  watchDragging(byId('lanes-chart'));
}

function watchDragging(canvas) {
  let start = null;
  const mark = make('div', {class: 'selection hidden'});
  canvas.parentNode.append(mark);
  const placeOf = (event) => event.clientX - canvas.getBoundingClientRect().left;
  const timeAt = (place) => charts['lanes-chart'].scales.x.getValueForPixel(place) * unitFor(lanesView.to).ns;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch' || event.button !== 0) return;
    start = placeOf(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (start === null) return;
    const place = placeOf(event);
    mark.classList.toggle('hidden', Math.abs(place - start) < 4);
    mark.style.left = Math.min(start, place) + 'px';
    mark.style.width = Math.abs(place - start) + 'px';
  });
  canvas.addEventListener('pointerup', (event) => {
    if (start === null) return;
    const [from, to] = [start, placeOf(event)].sort((a, b) => a - b).map(timeAt);
    const isDrag = Math.abs(placeOf(event) - start) >= 4;
    start = null;
    mark.classList.add('hidden');
    if (isDrag) setRange(from, to);
  });
}
