// Pieces of lanes: read from the data, and joined to what the screen shows.
const pieceKinds = ['host', 'call', 'kernel', 'copy', 'communication', 'delay'];
const pieceTexts = ['host op', 'blocking call', 'kernel', 'copy', 'communication', 'unexplained wait'];

/** [{begin, end, kind, name, nodes, ns}] in ns from the start of the drawing. */
function readPieces(numbers) {
  const pieces = [];
  let begin = 0;
  for (let i = 0; i < numbers.length; i += 6) {
    begin += numbers[i];
    const [, length, kind, name, nodes, ns] = numbers.slice(i, i + 6);
    pieces.push({begin, end: begin + length, kind, name: data.names[name], nodes, ns});
  }
  return pieces;
}

/** The pieces between two times; those too narrow to be told apart (ns per pixel) become one. */
function piecesInView(pieces, from, to, nsPerPixel) {
  const shown = [];
  const least = 1.5 * nsPerPixel;
  let open = null;
  for (const piece of pieces) {
    if (piece.end < from || piece.begin > to) continue;
    const isNarrow = piece.end - piece.begin < least;
    if (open && isNarrow && piece.begin - open.end < nsPerPixel && piece.end - open.begin < 4 * least) {
      joinPiece(open, piece);
      continue;
    }
    open = isNarrow ? {...piece, longest: piece.ns, byKind: {[piece.kind]: piece.ns}} : null;
    shown.push(open || piece);
  }
  return shown;
}

function joinPiece(open, piece) {
  open.end = Math.max(open.end, piece.end);
  open.nodes += piece.nodes;
  open.ns += piece.ns;
  open.byKind[piece.kind] = (open.byKind[piece.kind] || 0) + piece.ns;
  if (piece.ns > open.longest) {
    open.longest = piece.ns;
    open.name = piece.name;
  }
  for (const kind of Object.keys(open.byKind))
    if (open.byKind[kind] > open.byKind[open.kind]) open.kind = Number(kind);
}
