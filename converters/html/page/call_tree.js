// The tree of calls: rows come into being when their caller is opened, the biggest first.
const shownAtOnce = 12;
let callColumns, sizeOfCall;

function callRow(call, depth) {
  const toggle = call.children.length > 0 ?
    make('button', {type: 'button', class: 'open', 'aria-expanded': 'false', 'aria-label': 'Open'}, '▸') :
    make('span', {class: 'leaf'});
  const device = call.isDevice ? [make('span', {class: 'device', title: 'device row'}, 'GPU')] : [];
  const text = make('span', {class: 'text', title: call.name}, call.name);
  const name = make('div', {style: `padding-left: ${Math.min(depth, 24) * 0.9}rem`}, toggle, ...device, text);
  const row = make('tr', {'aria-level': depth + 1}, make('td', {class: 'call'}, name));
  for (const column of callColumns) {
    const cell = make('td', {class: 'number' + (column.isWide ? ' wide' : '')});
    cell.innerHTML = column.html(call);  // digits only
    row.append(cell);
  }
  row.call = call;
  row.depth = depth;
  if (call.children.length > 0)
    toggle.addEventListener('click', () => call.isOpen ? closeCall(row) : openCall(row));
  return row;
}

function markOpen(row, isOpen) {
  row.call.isOpen = isOpen;
  const toggle = row.querySelector('button');
  toggle.setAttribute('aria-expanded', isOpen);
  toggle.textContent = isOpen ? '▾' : '▸';
}

function openCall(row) {
  if (row.call.isOpen) return;
  markOpen(row, true);
  insertChildren(row, row, 0);
}

/** The next children of the row's call, behind `last`. */
function insertChildren(row, last, from) {
  const children = row.call.children;
  const isLast = children.length - from <= shownAtOnce + 3;
  const rows = children.slice(from, isLast ? children.length : from + shownAtOnce).map((child) => callRow(child, row.depth + 1));
  last.after(...rows);
  const rest = children.length - from - rows.length;
  if (rest <= 0) return;
  const button = make('button', {type: 'button'}, `${wholeNumber.format(rest)} more`);
  const more = make('tr', {}, make('td', {class: 'call', colspan: 1 + callColumns.length}, button));
  more.depth = row.depth + 1;
  rows[rows.length - 1].after(more);
  button.addEventListener('click', () => {
    insertChildren(row, more, from + rows.length);
    more.remove();
  });
}

function fillRoots(root) {
  const first = make('tr');
  byId('tree').tBodies[0].replaceChildren(first);
  insertChildren({call: root, depth: -1}, first, 0);
  first.remove();
}

function closeCall(row) {
  for (let next = row.nextSibling; next && next.depth > row.depth; next = row.nextSibling) {
    if (next.call) next.call.isOpen = false;
    next.remove();
  }
  markOpen(row, false);
}

/** Opens from the root those calls that hold at least a tenth of the biggest, 60 rows at most. */
function openBiggest() {
  const rows = [...byId('tree').tBodies[0].rows];
  const least = 0.1 * Math.max(...rows.map((row) => row.call ? sizeOfCall(row.call) : 0));
  for (let place = 0; place < rows.length && byId('tree').tBodies[0].rows.length < 60; ++place) {
    const row = rows[place];
    if (!row.call || row.call.children.length === 0 || sizeOfCall(row.call) < least) continue;
    openCall(row);
    for (let next = row.nextSibling; next && next.depth > row.depth; next = next.nextSibling)
      if (next.depth === row.depth + 1) rows.push(next);
  }
}

/**
 * Fills the tree. calls: [{parent, name, isDevice, …}], the root first, parents before children;
 * columns: [{title, html: digits of a call, isWide: not shown on a phone}]; size: of a call, by which
 * siblings are sorted.
 */
function fillTree(calls, columns, size) {
  show('calls', calls.length > 1);
  if (calls.length <= 1) return;
  [callColumns, sizeOfCall] = [columns, size];
  for (const call of calls) call.children = [];
  for (let place = 1; place < calls.length; ++place) calls[calls[place].parent].children.push(calls[place]);
  for (const call of calls) call.children.sort((a, b) => size(b) - size(a));
  const head = make('tr', {}, make('th', {}, 'Call'),
    ...columns.map(({title, isWide}) => make('th', {class: 'number' + (isWide ? ' wide' : '')}, title)));
  byId('tree').replaceChildren(make('thead', {}, head), make('tbody'));
  fillRoots(calls[0]);
  byId('open-biggest').addEventListener('click', openBiggest);
  byId('close-all').addEventListener('click', () => [...byId('tree').tBodies[0].rows]
    .filter((row) => row.depth === 0 && row.call && row.call.isOpen).forEach(closeCall));
  openBiggest();
}
