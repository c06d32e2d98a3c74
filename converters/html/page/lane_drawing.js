// Draws rows of a timeline into canvases: pieces, the axis with steps, the critical path, arrows.

/** A canvas as large as it is shown, in its pixels of the screen; its context, which counts in CSS pixels. */
function prepareCanvas(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = '11px ' + getComputedStyle(document.body).fontFamily;
  return context;
}

/** Black or white, what reads better on a colour like "#228833". */
function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((place) => parseInt(colour.slice(place, place + 2), 16));
  return 0.3 * red + 0.59 * green + 0.11 * blue > 118 ? '#000000' : '#ffffff';
}

/** The colour, paler the more of a joined piece is gaps. */
function shade(colour, piece) {
  return colour + Math.round(255 * (0.3 + 0.7 * densityOf(piece))).toString(16).padStart(2, '0');
}

/** The part of a piece in which its nodes run. */
const densityOf = (piece) => piece.nodes > 1 ? Math.min(1, piece.ns / Math.max(1, piece.end - piece.begin)) : 1;

/** Colours and scales of one drawing. view: lanesView. */
function startDrawing(view, width, height) {
  const names = [...pieceKinds, 'ink', 'muted', 'line', 'accent', 'card', 'stripe', 'path'];
  const colours = Object.fromEntries(names.map((name) => [name, colourOf(name)]));
  const nsPerPixel = (view.to - view.from) / width;
  return {
    context: prepareCanvas(byId('lanes-chart'), width, height), width, height, colours, nsPerPixel,
    top: view.scroll, xOf: (ns) => (ns - view.from) / nsPerPixel,
  };
}

function drawRows(view, drawing) {
  const shown = view.rows.filter((row) => row.y + row.height > drawing.top && row.y < drawing.top + drawing.height);
  let pieces = 0;
  for (const row of shown) {
    drawRowGround(view, drawing, row);
    const bands = bandsOf(view.drawn, row).map((band) =>
      ({...band, shown: piecesInView(band.pieces, view.from, view.to, drawing.nsPerPixel)}));
    for (const layer of [0, 1, 2])
      for (const band of bands)
        for (const piece of band.shown) if (layerOf(piece) === layer) drawPiece(view, drawing, row, band, piece);
    pieces += bands.reduce((sum, band) => sum + band.shown.length, 0);
  }
  byId('lanes-chart').dataset.bars = pieces;
}

function drawRowGround(view, {context, width, top, colours, xOf}, row) {
  const y = row.y - top;
  context.globalAlpha = 1;
  if (row.lane === null) {
    context.fillStyle = colours.stripe;
    context.fillRect(0, y, width, row.height);
  }
  context.fillStyle = colours.line;
  context.fillRect(0, y + row.height - 1, width, 1);
  for (const [, ns] of view.drawn.ranks[row.rank].steps)
    if (ns >= view.from && ns <= view.to) context.fillRect(Math.round(xOf(ns)), y, 1, row.height);
}

/** Waits are beneath all else, communication above. */
const layerOf = ({kind}) => kind === delayKind ? 0 : kind === communicationKind ? 2 : 1;

/** Communication too narrow to be seen is two pixels wide, but it, and such with gaps, are lower: they hide no kernel. */
function drawPiece(view, drawing, row, band, piece) {
  const {context, width, top, colours, xOf} = drawing;
  const x = Math.round(Math.max(-2, xOf(piece.begin)));
  const end = Math.round(Math.min(width + 2, xOf(piece.end)));
  const isTick = piece.kind === communicationKind && (end - x < 2 || densityOf(piece) < 0.5);
  let y = Math.round(row.y - top + row.height * band.top), height = Math.round(row.height * band.height);
  if (isTick && row.lane) {
    y += Math.round(height / 2);
    height -= Math.round(height / 2);
  }
  if (piece.kind === delayKind && piece.nodes > 1) {  // there is work among them
    y += Math.round(height / 3);
    height = Math.round(height / 3);
  }
  context.globalAlpha = view.hits && !view.hits.names.has(piece.name) ? 0.2 : 1;
  context.fillStyle = shade(colours[pieceKinds[piece.kind]], piece);
  context.fillRect(x, y, Math.max(isTick ? 2 : 1, end - x - (end - x > 3 && piece.nodes === 1 ? 1 : 0)), height);
  if (view.chosen && isChosen(view, row, piece)) {
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.strokeRect(x - 1, y - 1, Math.max(2, end - x) + 1, height + 2);
  }
  if (end - x > 36 && height >= 11) drawName(drawing, piece, Math.max(0, x), Math.min(width, end), y, height);
}

function drawName({context, colours}, piece, x, end, y, height) {
  const room = Math.floor((end - x - 8) / 5.6);
  if (room < 4) return;
  context.fillStyle = inkOn(colours[pieceKinds[piece.kind]]);
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillText(cutText(pieceTitle(piece), room), x + 4, y + height / 2 + 1, end - x - 6);
}

/** The path as a line beneath the pieces on it, with arrows where it goes on at another rank. */
function drawPathLines(view, drawing) {
  const {context, top, width, colours, xOf} = drawing;
  context.globalAlpha = 1;
  context.fillStyle = context.strokeStyle = colours.path;
  let before = null;
  for (const stretch of view.drawn.stretches) {
    const row = view.rowOf(stretch.rank, stretch.lane);
    const isInView = stretch.end >= view.from && stretch.begin <= view.to;
    const x = Math.max(-2, xOf(stretch.begin)), end = Math.min(width + 2, xOf(stretch.end));
    if (row && isInView) {
      context.fillRect(Math.round(x), Math.round(row.y - top + row.height * 0.86), Math.max(1, Math.round(end) - Math.round(x)), 3);
      const isWide = end - x > 6 || (before && xOf(before.end) - xOf(before.begin) > 6);
      if (before && before.row !== row && (before.rank !== stretch.rank || isWide) && stretch.begin >= view.from)
        drawArrow(drawing, x, before.row, row, before.rank !== stretch.rank);
    }
    before = row ? {...stretch, row} : null;
  }
}

/** From the line of one row up or down to that of another. */
function drawArrow({context, top}, x, from, to, hasHead, x2 = x) {
  const lineOf = (row) => row.y - top + row.height * 0.9;
  const y = lineOf(from), end = lineOf(to);
  context.lineWidth = hasHead ? 1.5 : 1;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x2, end);
  context.stroke();
  if (!hasHead) return;
  const angle = Math.atan2(end - y, x2 - x);
  context.beginPath();
  context.moveTo(x2, end);
  for (const side of [-0.45, 0.45]) context.lineTo(x2 - 9 * Math.cos(angle + side), end - 9 * Math.sin(angle + side));
  context.fill();
}

/** Communications that meet: from the one that began last to those it held up; of a message from its send. */
function drawMeetings(view, drawing) {
  const {context, colours, xOf} = drawing;
  const chosen = view.chosen && view.chosen.meeting;
  const shown = view.showsMeetings ? view.drawn.met : [];
  let arrows = 0;
  const draw = (meeting, colour) => {
    context.globalAlpha = 1;
    context.strokeStyle = context.fillStyle = colour;
    const from = meeting.isMessage ? meeting.members[0] : meeting.last;
    const rowFrom = view.rowOf(from.rank, from.lane);
    if (!rowFrom || meeting.members.every((member) => member.end < view.from || member.begin > view.to)) return;
    for (const member of meeting.members) {
      const row = view.rowOf(member.rank, member.lane);
      if (member === from || !row || row === rowFrom) continue;
      drawArrow(drawing, xOf(from.begin), rowFrom, row, true, xOf(meeting.isMessage ? member.end : from.begin));
      ++arrows;
    }
    context.beginPath();
    context.arc(xOf(from.begin), rowFrom.y - drawing.top + rowFrom.height * 0.9, 3.5, 0, 7);
    context.fill();
  };
  for (const meeting of shown) if (meeting !== chosen) draw(meeting, colours.communication);
  if (chosen) draw(chosen, colours.accent);
  byId('lanes-chart').dataset.arrows = arrows;
}

/** The axis: times, and where each step begins on the host, of which a device may be behind. */
function drawAxis(view, width) {
  const height = 38;
  const context = prepareCanvas(byId('lanes-axis'), width, height);
  const ns = view.to - view.from, xOf = (time) => (time - view.from) / ns * width;
  const tick = niceLength(ns / Math.max(2, Math.floor(width / 95)));
  const unit = unitFor(view.to);
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(tick / unit.ns) - 1e-9)));
  context.fillStyle = colourOf('muted');
  context.textBaseline = 'alphabetic';
  for (let time = Math.ceil(view.from / tick) * tick; time <= view.to; time += tick) {
    context.fillRect(Math.round(xOf(time)), height - 5, 1, 5);
    const text = `${(time / unit.ns).toFixed(digits)} ${unit.name}`;
    const half = context.measureText(text).width / 2;
    context.textAlign = xOf(time) < half ? 'left' : xOf(time) > width - half ? 'right' : 'center';
    context.fillText(text, xOf(time), height - 9);
  }
  drawSteps(view, context, xOf);
}

function drawSteps(view, context, xOf) {
  const starts = new Map();
  for (const one of view.drawn.ranks)
    for (const [step, ns] of one.steps) starts.set(step, Math.min(ns, starts.get(step) ?? Infinity));
  context.fillStyle = colourOf('ink');
  context.textAlign = 'left';
  let until = -Infinity, marks = 0;
  for (const [step, ns] of [...starts].sort((a, b) => a[1] - b[1])) {
    if (ns < view.from || ns > view.to) continue;
    const x = Math.round(xOf(ns)), text = `step ${step} (host)`;
    context.fillRect(x, 0, 1, 13);
    ++marks;
    if (x < until) continue;
    context.fillText(text, x + 4, 11);
    until = x + context.measureText(text).width + 12;
  }
  byId('lanes-axis').dataset.steps = marks;
}

/** 1, 2 or 5 times a power of ten, at least as long. */
function niceLength(ns) {
  const power = Math.pow(10, Math.floor(Math.log10(Math.max(1, ns))));
  return [1, 2, 5, 10].find((factor) => factor * power >= ns) * power;
}
