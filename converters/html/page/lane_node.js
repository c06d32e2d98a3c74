// A piece that was clicked: what the page knows of its node, and the search for names.

const pieceTitle = (piece) => (piece.kind === delayKind && piece.node.kind !== 'delay' ? `unexplained wait before ${piece.name}` : piece.name || pieceTexts[piece.kind]) +
  (piece.nodes > 1 ? ` and ${wholeNumber.format(piece.nodes - 1)} more` : '');

function pieceLines(piece, lane) {
  const lines = [`${lane}: ${pieceTexts[piece.kind]}, ${formatTime(piece.end - piece.begin)} from ${formatTime(piece.begin)}`];
  if (piece.nodes > 1) lines.push(`${wholeNumber.format(piece.nodes)} nodes, ${formatTime(piece.ns)} of it`);
  return lines;
}

/** A gap is of another kind than the node that it stands before. */
const isChosen = (view, row, piece) => piece.node === view.chosen.piece.node &&
  (piece.kind === delayKind) === (view.chosen.piece.kind === delayKind);

/** As a shell takes it. */
const shellText = (word) => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
const aroundCommand = (one, node) => `nadi graph ${one.input.map(shellText).join(' ')} --around ${node.id} --output node-${node.id}.svg`;

/** The pieces of a rank that the page holds, by id of their longest node; gaps left out. */
function piecesById(one) {
  if (!one.byId) {
    one.byId = new Map();
    for (const lane of one.lanes)
      for (const piece of lane.read)
        if (piece.kind !== delayKind && !one.byId.has(piece.node.id)) one.byId.set(piece.node.id, {piece, lane});
  }
  return one.byId;
}

const overlap = (a, b) => Math.max(0, Math.min(a.end, b.end) - Math.max(a.begin, b.begin));

/** [[what, text]] of a piece. */
function attributesOf(view, rank, lane, piece) {
  const {node} = piece;
  const onPath = view.drawn.stretches.filter((stretch) => stretch.rank === rank && stretch.lane === lane.lane && lane.run === view.drawn.run)
    .reduce((sum, stretch) => sum + overlap(stretch, piece), 0);
  return [
    ['Node', `${node.id}, ${node.kind}`],
    ['Rank and lane', `rank ${view.drawn.ranks[rank].rank}, ${view.laneTitle(lane)}`],
    ['Kind', pieceTexts[piece.kind]],
    ['Time', `${formatTime(piece.end - piece.begin)} from ${formatTime(piece.begin)} on`],
    ['Inside of', node.around],
    ['Step', node.step >= 0 ? String(node.step) : ''],
    ['Shapes', node.shapes],
    ['Communication', node.communication],
    ['Correlation', node.correlation >= 0 ? String(node.correlation) : ''],
    ['On the critical path', onPath > 0 ? `for ${formatTime(onPath)}` : ''],
  ].filter(([, text]) => text !== '');
}

function showPiece(view) {
  show('lanes-piece', Boolean(view.chosen));
  if (!view.chosen) return;
  const {rank, lane, piece} = view.chosen;
  const one = view.drawn.ranks[rank];
  const rows = attributesOf(view, rank, lane, piece).map(([what, text]) => make('tr', {}, make('th', {}, what), make('td', {class: 'text'}, text)));
  const joined = piece.nodes > 1 ? `Stands for ${wholeNumber.format(piece.nodes)} nodes shorter than ${formatTime(one.resolution_ns)}; the longest of them is shown here, and the page does not hold the others. ` : '';
  byId('lanes-piece').replaceChildren(
    make('h3', {}, pieceTitle(piece)),
    make('p', {class: 'note'}, joined + 'This command draws the node and what is around it:'),
    make('pre', {class: 'scroll', id: 'piece-command'}, aroundCommand(one, piece.node)),
    make('div', {class: 'halves'},
      make('div', {class: 'scroll'}, make('table', {id: 'piece-table'}, make('tbody', {}, ...rows))),
      make('div', {class: 'scroll'}, ...edgesOf(view, one, rank, piece.node))),
    ...membersOf(view));
}

/** The edges into a node; a source that the page holds is a button that goes there. */
function edgesOf(view, one, rank, node) {
  const edges = readEdges(node);
  if (edges.length === 0) return [make('p', {class: 'note'}, 'It depends on nothing.')];
  const rows = edges.map(({id, name, reason}) => {
    const held = piecesById(one).get(id);
    const label = cutText(name, 60);
    const source = held ? make('button', {type: 'button', class: 'link', title: name}, label) : make('span', {title: name}, label);
    if (held) source.addEventListener('click', () => choosePiece(rank, held.lane, held.piece, true));
    return make('tr', {}, make('td', {class: 'text'}, source), make('td', {class: 'number'}, String(id)), make('td', {}, reason));
  });
  const table = make('table', {id: 'piece-edges'},
    make('thead', {}, make('tr', {}, make('th', {}, 'Depends on'), make('th', {class: 'number'}, 'Node'), make('th', {}, 'Evidence'))),
    make('tbody', {}, ...rows));
  return node.edgesLeftOut > 0 ? [table, make('p', {class: 'note'}, `And on ${wholeNumber.format(node.edgesLeftOut)} more.`)] : [table];
}

/** Who took part in the communication that was chosen. */
function membersOf(view) {
  const {meeting} = view.chosen;
  if (!meeting) return [];
  const rows = meeting.members.map((member) => make('tr', {},
    make('td', {class: 'number'}, String(view.drawn.ranks[member.rank].rank)),
    make('td', {class: 'number'}, formatTime(member.begin)), make('td', {class: 'number'}, formatTime(member.end - member.begin)),
    make('td', {class: 'number'}, member === meeting.last ? 'began last' : formatTime(meeting.last.begin - member.begin))));
  return [make('div', {class: 'scroll'}, make('table', {class: 'small', id: 'piece-members'},
    make('thead', {}, make('tr', {}, make('th', {class: 'number'}, 'Rank'), make('th', {class: 'number'}, 'Began at'), make('th', {class: 'number'}, 'Took'), make('th', {class: 'number'}, 'Before the last'))),
    make('tbody', {}, ...rows)))];
}

/** The communication of which a piece is a member. */
const meetingOf = (view, rank, lane, piece) => piece.kind !== communicationKind || lane.run !== view.drawn.run ? undefined :
  view.drawn.met.find(({members}) => members.some((member) =>
    member.rank === rank && member.lane === lane.lane && member.begin <= piece.end && member.end >= piece.begin && overlap(member, piece) > 0));

/** {names, pieces: [{rank, lane, piece}] by begin} of names that hold the text; null of no text. */
function findHits(drawn, text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return null;
  const pieces = drawn.ranks.flatMap((one, rank) => one.lanes.flatMap((lane) =>
    lane.read.filter((piece) => piece.kind !== delayKind && piece.name.toLowerCase().includes(wanted)).map((piece) => ({rank, lane, piece}))));
  pieces.sort((a, b) => a.piece.begin - b.piece.begin);
  return {names: new Set(pieces.map(({piece}) => piece.name)), pieces};
}
