// The rows of a timeline: a header for each rank where there are several, and its lanes where it is unfolded.
const headerHeight = 30, laneHeight = 20;

/** Reads a drawing once: pieces, nodes and steps of each rank, the path, and which communications meet. */
function readDrawn(drawn) {
  if (drawn.isRead) return;
  drawn.isRead = true;
  for (const one of drawn.ranks) {
    one.nodes = one.nodes.map(readNode);
    for (const lane of one.lanes) lane.read = readPieces(lane.pieces, one.nodes);
    one.isFolded = drawn.ranks.length > 1;
  }
  const [begin, ...stretches] = drawn.path;
  let at = begin;
  drawn.stretches = [];
  for (let i = 0; i < stretches.length; i += 3) {
    const [rank, lane, length] = stretches.slice(i, i + 3);
    drawn.stretches.push({rank, lane, begin: at, end: at + length});
    at += length;
  }
  drawn.met = drawn.meetings.map(readMeeting);
}

/** {name, isMessage, members: [{rank, lane, begin, end}], last: the member that began last}. */
function readMeeting([name, isMessage, numbers]) {
  const members = [];
  for (let i = 0; i < numbers.length; i += 4) {
    const [rank, lane, begin, length] = numbers.slice(i, i + 4);
    members.push({rank, lane, begin, end: begin + length});
  }
  const last = members.reduce((latest, member) => member.begin > latest.begin ? member : latest);
  return {name: data.names[name], isMessage, members, last};
}

/** The lanes of the run whose path is drawn: they stand for a rank that is folded. */
const mainLanes = (drawn, one) => one.lanes.filter((lane) => lane.run === drawn.run);

/** [{rank: its place, lane: null of headers, y, height}]. */
function layOutRows(drawn) {
  const rows = [];
  let y = 0;
  const add = (row, height) => {
    rows.push({...row, y, height});
    y += height;
  };
  drawn.ranks.forEach((one, rank) => {
    if (drawn.ranks.length > 1) add({rank, lane: null}, headerHeight);
    if (!one.isFolded || drawn.ranks.length === 1) for (const lane of one.lanes) add({rank, lane}, laneHeight);
  });
  return rows;
}

/** Finds the row on which a lane of the main run is drawn: its own, the header of a folded rank, or none. */
function rowFinder(drawn, rows) {
  const own = new Map(), headers = new Map();
  for (const row of rows) {
    if (row.lane === null) headers.set(row.rank, row);
    else if (row.lane.run === drawn.run) own.set(`${row.rank}/${row.lane.lane}`, row);
  }
  return (rank, lane) => own.get(`${rank}/${lane}`) || (drawn.ranks[rank] && drawn.ranks[rank].isFolded ? headers.get(rank) : undefined);
}

/** What a row draws: [{pieces, top, height}], parts of its height. A header has computation above, the rest beneath. */
function bandsOf(drawn, row) {
  if (row.lane) return [{pieces: row.lane.read, top: 0.1, height: 0.75}];
  if (!row.bands) {
    const lanes = mainLanes(drawn, drawn.ranks[row.rank]);
    const devices = lanes.filter((lane) => lane.is_device);
    const pieces = (devices.length > 0 ? devices : lanes).map((lane) => lane.read.filter((piece) => piece.kind !== delayKind));
    const isMoving = (piece) => piece.kind === communicationKind || pieceKinds[piece.kind] === 'copy';
    row.bands = pieces.flatMap((all) => [
      {pieces: all.filter((piece) => !isMoving(piece)), top: 0.1, height: 0.4},
      {pieces: all.filter(isMoving), top: 0.5, height: 0.35},
    ]);
  }
  return row.bands;
}
