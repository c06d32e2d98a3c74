// Pieces of lanes: read from the data, and joined to what the screen shows.
const pieceKinds = ['host', 'call', 'kernel', 'copy', 'communication', 'delay'];
const pieceTexts = ['host op', 'blocking call', 'kernel', 'copy', 'communication', 'unexplained wait'];
const communicationKind = pieceKinds.indexOf('communication');
const delayKind = pieceKinds.indexOf('delay');

/** [{begin, end, kind, node, name, nodes, ns}] in ns from the start of the drawing; node: of `nodes`. */
function readPieces(numbers, nodes) {
  const pieces = [];
  let begin = 0;
  for (let i = 0; i < numbers.length; i += 6) {
    begin += numbers[i];
    const [, length, kind, node, count, ns] = numbers.slice(i, i + 6);
    pieces.push({begin, end: begin + length, kind, node: nodes[node], name: nodes[node].name, nodes: count, ns});
  }
  return pieces;
}

/** What the page tells of a node. */
const readNode = ([id, name, kind, step, correlation, around, shapes, communication, edgesLeftOut, edges]) => ({
  id, name: data.names[name], kind: data.names[kind], step, correlation, around: data.names[around], shapes: data.names[shapes],
  communication: data.names[communication], edgesLeftOut, edges,
});

/** [{id, name, reason}] of the edges into a node. */
function readEdges({edges}) {
  const read = [];
  for (let i = 0; i < edges.length; i += 3) read.push({id: edges[i], name: data.names[edges[i + 1]], reason: data.names[edges[i + 2]]});
  return read;
}

/**
 * The pieces between two times; those too narrow to be told apart (ns per pixel) become one, of the kind
 * that took most of them. Communication and waits each join their like alone.
 */
function piecesInView(pieces, from, to, nsPerPixel) {
  const shown = [];
  const least = 1.5 * nsPerPixel;
  const open = {};  // by what joins
  for (const piece of pieces) {
    if (piece.end < from || piece.begin > to) continue;
    const isNarrow = piece.end - piece.begin < least;
    const like = piece.kind === communicationKind || piece.kind === delayKind ? piece.kind : 'work';
    const before = open[like];
    if (before && isNarrow && piece.begin - before.end < nsPerPixel && piece.end - before.begin < 4 * least) {
      joinPiece(before, piece);
      continue;
    }
    open[like] = isNarrow ? {...piece, longest: piece, byKind: {[piece.kind]: piece.ns}} : null;
    shown.push(open[like] || piece);
  }
  return shown;
}

function joinPiece(open, piece) {
  open.end = Math.max(open.end, piece.end);
  open.nodes += piece.nodes;
  open.ns += piece.ns;
  open.byKind[piece.kind] = (open.byKind[piece.kind] || 0) + piece.ns;
  if (piece.ns > open.longest.ns) {
    open.longest = piece;
    open.name = piece.name;
    open.node = piece.node;
  }
  for (const kind of Object.keys(open.byKind))
    if (open.byKind[kind] > open.byKind[open.kind]) open.kind = Number(kind);
}
