// All ranks over time on one clock: what is shown of them, and the controls.
const lanesView = {
  drawn: null, from: 0, to: 1, scroll: 0, rows: [], rowOf: () => undefined, laneTitle: (lane) => lane.name,
  chosen: null,  // {rank, lane, piece, meeting}
  hits: null, hit: -1, showsMeetings: false, showsPath: true,
};

const mostHeight = 560;  // pixels of rows; of more the rest is scrolled to

/** Builds the section once. */
function makeLanes() {
  const button = (id, text, label) => make('button', {id: 'lanes-' + id, type: 'button', ...(label ? {'aria-label': label, title: label} : {})}, text);
  const check = (id, text) => make('label', {id: `lanes-${id}-label`}, make('input', {type: 'checkbox', id: 'lanes-' + id}), text);
  byId('lanes').append(
    make('p', {class: 'note', id: 'lanes-note'}),
    make('div', {class: 'toolbar'},
      button('all', 'All'), button('in', '+', 'Closer'), button('out', '−', 'Farther'), button('left', '‹', 'Earlier'), button('right', '›', 'Later'),
      button('unfold', 'Unfold all'),
      check('path', 'Critical path'), check('meetings', 'Collectives and messages'),
      make('input', {type: 'search', id: 'lanes-search', placeholder: 'find a name …', 'aria-label': 'Find a name; Enter goes to the next'}),
      make('span', {id: 'lanes-hits', class: 'faint', 'aria-live': 'polite'}), make('span', {id: 'lanes-range', class: 'faint'})),
    make('p', {class: 'legend', id: 'lanes-legend'}),
    make('div', {class: 'timeline', role: 'group', tabindex: '0', id: 'lanes-keys', 'aria-label': 'Timeline: arrows move, + and − zoom, 0 shows all'},
      make('div', {class: 'axis'}, make('canvas', {id: 'lanes-axis'})),
      make('div', {class: 'rows', id: 'lanes-rows'},
        make('div', {class: 'labels', id: 'lanes-labels'}),
        make('canvas', {id: 'lanes-chart', role: 'img', 'aria-label': 'Nodes of each lane over time'}))),
    make('div', {class: 'piece hidden', id: 'lanes-piece'}));
  document.body.append(make('div', {class: 'tip hidden', id: 'lanes-tip'}));
}

/** Shows a drawing of the data; laneTitle: the title of one of its lanes. */
function showLanes(drawn, laneTitle = (lane) => lane.name) {
  const hasLanes = Boolean(drawn) && drawn.ranks.some((one) => one.lanes.length > 0);
  show('lanes', hasLanes);
  Object.assign(lanesView, {drawn: hasLanes ? drawn : null, laneTitle, chosen: null, hits: null, hit: -1});
  if (!hasLanes) return;
  readDrawn(drawn);
  document.querySelector('#lanes h2').textContent = drawn.ranks.length > 1 ? 'All ranks over time' : 'Lanes over time';
  byId('lanes-path').checked = lanesView.showsPath;
  show('lanes-path-label', drawn.stretches.length > 0);
  show('lanes-meetings-label', drawn.met.length > 0);
  show('lanes-unfold', drawn.ranks.length > 1);
  byId('lanes-note').textContent = lanesNote(drawn);
  const kinds = new Set(drawn.ranks.flatMap((one) => one.lanes.flatMap((lane) => lane.read.map((piece) => piece.kind))));
  fillLegend(byId('lanes-legend'), [
    ...pieceKinds.map((kind, place) => [kind, pieceTexts[place], place]).filter(([, , place]) => kinds.has(place)),
    ...(drawn.stretches.length > 0 ? [['path', 'critical path, a line beneath']] : []),
  ]);
  showPiece(lanesView);
  layOutLanes();
  setRange(0, drawn.span_ns);
}

/** What is shown, and what is folded or left out. */
function lanesNote(drawn) {
  const sentences = ['The wheel, + and − zoom; dragging and the arrow keys move; dragging along the axis chooses a time; a click on a piece tells what it is.'];
  if (drawn.ranks.length > 1)
    sentences.push('All ranks are on one clock. A click on a rank unfolds its threads and streams; folded, computation of all its streams is above, communication and copies beneath' +
      (drawn.run ? `, as ${drawn.run}.` : '.'));
  const coarsest = Math.max(...drawn.ranks.map((one) => one.resolution_ns));
  if (coarsest > 0)
    sentences.push(`Nodes shorter than ${formatTime(coarsest)} are joined with their neighbours, to keep the file small; a joined piece has the colour of what took most of it, is paler the more of it is gaps, and is found by the name of its longest node.`);
  const lanesLeftOut = drawn.ranks.reduce((sum, one) => sum + one.lanes_left_out, 0);
  if (lanesLeftOut > 0) sentences.push(`${wholeNumber.format(lanesLeftOut)} less busy lanes are left out.`);
  if (drawn.ranks_left_out > 0) sentences.push(`Lanes are drawn of the first ${drawn.ranks.length} ranks.`);
  if (drawn.meetings_left_out > 0) sentences.push(`${wholeNumber.format(drawn.meetings_left_out)} shorter communications have no arrows.`);
  return sentences.join(' ');
}

function layOutLanes() {
  const view = lanesView;
  view.rows = layOutRows(view.drawn);
  view.rowOf = rowFinder(view.drawn, view.rows);
  const several = view.drawn.ranks.length > 1;
  const longest = Math.max(0, ...view.drawn.ranks.flatMap((one) => one.lanes.map((lane) => view.laneTitle(lane).length)));
  byId('lanes-keys').style.setProperty('--labels', isNarrow() ? '6.5rem' : `${Math.min(18, Math.max(7, 0.46 * longest + (several ? 2.5 : 1.5)))}rem`);
  byId('lanes-labels').replaceChildren(...view.rows.map((row) => {
    const one = view.drawn.ranks[row.rank];
    const place = `top: ${row.y}px; height: ${row.height}px`;
    if (row.lane) {
      const title = view.laneTitle(row.lane);
      return make('span', {style: place, title, class: several ? 'inner' : ''}, shortTitle(title));
    }
    const label = make('button', {type: 'button', style: place, 'aria-expanded': String(!one.isFolded)}, `${one.isFolded ? '▸' : '▾'} rank ${one.rank}`);
    label.addEventListener('click', () => fold(row.rank, !one.isFolded));
    return label;
  }));
  const last = view.rows[view.rows.length - 1];
  byId('lanes-labels').style.height = last.y + last.height + 'px';
  byId('lanes-rows').style.height = Math.min(last.y + last.height, mostHeight) + 'px';
  byId('lanes-unfold').textContent = view.drawn.ranks.some((one) => one.isFolded) ? 'Unfold all' : 'Fold all';
}

/** On a phone "d0 s7" of "device 0 stream 7". */
const shortTitle = (title) => isNarrow() ? title.replace(/^device (\d+) stream /, 'd$1 s').replace(/^stream /, 's').replace(/^thread /, 't') : title;

function fold(rank, isFolded) {
  lanesView.drawn.ranks[rank].isFolded = isFolded;
  layOutLanes();
  drawLanes();
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
  const view = lanesView;
  if (!view.drawn) return;
  const rows = byId('lanes-rows'), width = Math.max(100, rows.clientWidth - byId('lanes-labels').offsetWidth);
  view.scroll = rows.scrollTop;
  const drawing = startDrawing(view, width, rows.clientHeight);
  drawRows(view, drawing);
  if (view.showsPath) drawPathLines(view, drawing);
  drawMeetings(view, drawing);
  drawAxis(view, width);
  byId('lanes-range').textContent = `${formatTime(view.from)} to ${formatTime(view.to)} of ${formatTime(view.drawn.span_ns)}`;
}

/** The piece under a place of the canvas, or at most three pixels beside it; what is drawn on top comes first. */
function pieceAt(x, y) {
  const view = lanesView;
  const nsPerPixel = (view.to - view.from) / byId('lanes-chart').clientWidth, time = view.from + x * nsPerPixel;
  const row = view.rows.find((one) => y + view.scroll >= one.y && y + view.scroll < one.y + one.height);
  if (!row) return null;
  const within = (y + view.scroll - row.y) / row.height;
  const bands = bandsOf(view.drawn, row).filter((band) => row.lane || (within < 0.5) === (band.top < 0.5));
  const far = (piece) => Math.max(0, piece.begin - time, time - piece.end) / nsPerPixel;
  const near = bands.flatMap((band) => band.pieces).filter((piece) => far(piece) <= 3);
  const order = (piece) => far(piece) - 2 * layerOf(piece);
  const piece = near.sort((a, b) => order(a) - order(b))[0];
  if (!piece) return null;
  const lane = row.lane || mainLanes(view.drawn, view.drawn.ranks[row.rank]).find((one) => one.read.includes(piece));
  return {rank: row.rank, lane, piece};
}

/** Shows what is known of a piece; isShown: brings it into view, too. */
function choosePiece(rank, lane, piece, isShown = false) {
  const view = lanesView;
  view.chosen = {rank, lane, piece, meeting: meetingOf(view, rank, lane, piece)};
  showPiece(view);
  if (isShown) bringIntoView(rank, lane, piece);
  else drawLanes();
}

/** Chooses the communication with these times, as a click on the member that began last does. */
function chooseMeeting(begin, end) {
  const {drawn} = lanesView;
  const found = drawn.met.find(({members}) =>
    Math.min(...members.map((member) => member.begin)) === begin && Math.max(...members.map((member) => member.end)) === end);
  if (!found) return unchoose();
  const lane = mainLanes(drawn, drawn.ranks[found.last.rank]).find((one) => one.lane === found.last.lane);
  const piece = lane && lane.read.find((one) => one.kind === communicationKind && overlap(one, found.last) > 0);
  if (piece) choosePiece(found.last.rank, lane, piece);
}

function bringIntoView(rank, lane, {begin, end}) {
  const view = lanesView;
  if (view.drawn.ranks[rank].isFolded) {
    view.drawn.ranks[rank].isFolded = false;
    layOutLanes();
  }
  const row = view.rows.find((one) => one.rank === rank && one.lane === lane);
  const rows = byId('lanes-rows');
  if (row && (row.y < rows.scrollTop || row.y + row.height > rows.scrollTop + rows.clientHeight))
    rows.scrollTop = row.y - rows.clientHeight / 2;
  showTime(begin, end);
}

/** Goes where a time is seen, closer where it would be a speck. */
function showTime(begin, end) {
  const length = Math.max(end - begin, Math.min(lanesView.to - lanesView.from, 30 * (end - begin)));
  const middle = (begin + end) / 2;
  setRange(middle - length * 0.6, middle + length * 0.6);
}

function unchoose() {
  lanesView.chosen = null;
  showPiece(lanesView);
  drawLanes();
}

function search(text) {
  const view = lanesView;
  view.hits = findHits(view.drawn, text);
  view.hit = -1;
  byId('lanes-hits').textContent = view.hits ? `${wholeNumber.format(view.hits.pieces.length)} found` : '';
  drawLanes();
}

function nextHit(by) {
  const view = lanesView, found = view.hits ? view.hits.pieces : [];
  if (found.length === 0) return;
  view.hit = (view.hit + by + found.length) % found.length;
  byId('lanes-hits').textContent = `${wholeNumber.format(view.hit + 1)} of ${wholeNumber.format(found.length)}`;
  const {rank, lane, piece} = found[view.hit];
  choosePiece(rank, lane, piece, true);
}

function moveRange(part) {
  const by = part * (lanesView.to - lanesView.from);
  setRange(lanesView.from + by, lanesView.to + by);
}

/** Around the middle, or a place from 0 to 1 of what is shown. */
function zoomRange(factor, place = 0.5) {
  const {from, to} = lanesView, at = from + place * (to - from);
  setRange(at - (at - from) * factor, at + (to - at) * factor);
}

/** Buttons, keys, wheel, and dragging. */
function watchLanes() {
  makeLanes();
  const click = (id, act) => byId('lanes-' + id).addEventListener('click', act);
  click('all', () => setRange(0, lanesView.drawn.span_ns));
  click('in', () => zoomRange(0.5));
  click('out', () => zoomRange(2));
  click('left', () => moveRange(-0.5));
  click('right', () => moveRange(0.5));
  click('unfold', () => {
    const isFolded = !lanesView.drawn.ranks.some((one) => one.isFolded);
    for (const one of lanesView.drawn.ranks) one.isFolded = isFolded;
    layOutLanes();
    drawLanes();
  });
  for (const [id, member] of [['path', 'showsPath'], ['meetings', 'showsMeetings']])
    byId('lanes-' + id).addEventListener('change', () => {
      lanesView[member] = byId('lanes-' + id).checked;
      drawLanes();
    });
  byId('lanes-search').addEventListener('input', () => search(byId('lanes-search').value));
  byId('lanes-search').addEventListener('keydown', (event) => { if (event.key === 'Enter') nextHit(event.shiftKey ? -1 : 1); });
  byId('lanes-rows').addEventListener('scroll', drawLanes);
  window.addEventListener('resize', () => {
    if (!lanesView.drawn) return;
    layOutLanes();
    drawLanes();
  });
  watchKeys(byId('lanes-keys'));
  watchWheel(byId('lanes-chart'));
  watchPointer(byId('lanes-chart'));
  watchAxis(byId('lanes-axis'));
}

function watchKeys(element) {
  const acts = {
    ArrowLeft: () => moveRange(-0.2), a: () => moveRange(-0.2), ArrowRight: () => moveRange(0.2), d: () => moveRange(0.2),
    '+': () => zoomRange(0.5), '=': () => zoomRange(0.5), w: () => zoomRange(0.5), '-': () => zoomRange(2), s: () => zoomRange(2),
    0: () => setRange(0, lanesView.drawn.span_ns), Escape: unchoose, n: () => nextHit(1), N: () => nextHit(-1),
  };
  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
}

/** Zooms where the pointer is; farther than all there is scrolls the page. Sideways, and with Shift, it moves. */
function watchWheel(canvas) {
  canvas.addEventListener('wheel', (event) => {
    const isAll = lanesView.to - lanesView.from >= lanesView.drawn.span_ns;
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
    if (isAll && (sideways !== 0 || event.deltaY > 0)) return;
    event.preventDefault();
    if (sideways !== 0) moveRange(sideways / canvas.clientWidth);
    else zoomRange(Math.pow(1.002, Math.max(-400, Math.min(400, event.deltaY))), event.offsetX / canvas.clientWidth);
  }, {passive: false});
}

function watchPointer(canvas) {
  let start = null;  // {x, y, from, to, scroll} where a button went down
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    start = {x: event.clientX, y: event.clientY, from: lanesView.from, to: lanesView.to, scroll: byId('lanes-rows').scrollTop, isDrag: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!start) return showTip(event);
    const x = event.clientX - start.x, y = event.clientY - start.y;
    start.isDrag = start.isDrag || Math.abs(x) > 3 || Math.abs(y) > 3;
    if (!start.isDrag) return;
    show('lanes-tip', false);
    if (event.pointerType === 'mouse') byId('lanes-rows').scrollTop = start.scroll - y;
    const by = x / canvas.clientWidth * (start.to - start.from);
    setRange(start.from - by, start.to - by);
  });
  canvas.addEventListener('pointerup', (event) => {
    const isClick = start && !start.isDrag;
    start = null;
    if (!isClick) return;
    const found = pieceAt(event.offsetX, event.offsetY);
    if (found) choosePiece(found.rank, found.lane, found.piece);
    else unchoose();
  });
  canvas.addEventListener('pointercancel', () => { start = null; });
  canvas.addEventListener('pointerleave', () => show('lanes-tip', false));
  canvas.addEventListener('dblclick', (event) => {
    const found = pieceAt(event.offsetX, event.offsetY);
    if (found) showTime(found.piece.begin, found.piece.end);
  });
}

function showTip(event) {
  const found = pieceAt(event.offsetX, event.offsetY);
  show('lanes-tip', Boolean(found));
  if (!found) return;
  const tip = byId('lanes-tip'), {piece, lane, rank} = found;
  const place = lanesView.drawn.ranks.length > 1 ? `rank ${lanesView.drawn.ranks[rank].rank}, ` : '';
  tip.replaceChildren(make('b', {}, cutText(pieceTitle(piece), 200)), ...pieceLines(piece, place + lanesView.laneTitle(lane)).map((line) => make('div', {}, line)));
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 4)) + 'px';
  tip.style.top = (event.clientY + tip.offsetHeight + 24 > window.innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18) + 'px';
}

/** Dragging along the axis chooses the time to be shown. */
function watchAxis(canvas) {
  let start = null;
  const mark = make('div', {class: 'selection hidden'});
  canvas.parentNode.append(mark);
  const placeOf = (event) => event.clientX - canvas.getBoundingClientRect().left;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    start = placeOf(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (start === null) return;
    mark.classList.toggle('hidden', Math.abs(placeOf(event) - start) < 4);
    mark.style.left = canvas.offsetLeft + Math.min(start, placeOf(event)) + 'px';
    mark.style.width = Math.abs(placeOf(event) - start) + 'px';
  });
  canvas.addEventListener('pointerup', (event) => {
    if (start === null) return;
    const nsPerPixel = (lanesView.to - lanesView.from) / canvas.clientWidth;
    const [from, to] = [start, placeOf(event)].sort((a, b) => a - b);
    start = null;
    mark.classList.add('hidden');
    if (to - from >= 4) setRange(lanesView.from + from * nsPerPixel, lanesView.from + to * nsPerPixel);
  });
}
