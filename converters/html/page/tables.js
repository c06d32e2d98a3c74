// Tables by DataTables: they sort by a click on a column's title.

/** How a kind of column shows its value; the value itself is what it sorts by. */
const columnKinds = {
  name: {class: 'name', html: (value, show) => `<span title="${escapeMarkup(value)}">${escapeMarkup(show ? show(value) : value)}</span>`},
  text: {class: 'text', html: escapeMarkup},
  lines: {class: 'text lines', html: escapeMarkup},
  word: {class: '', html: escapeMarkup},
  tag: {class: '', html: (value) => value === '' ? '' : `<span class="tag ${escapeMarkup(value)}">${escapeMarkup(value)}</span>`},
  count: {class: 'number', html: formatCount},
  ms: {class: 'number', html: (value) => value === null ? '–' : formatMs(value)},
  share: {class: 'number', html: (value) => oneDecimal.format(value)},
  id: {class: 'number', html: (value) => value === null ? '–' : String(value)},
  rate: {class: 'number', html: (value) => value === null ? '–' : formatCount(value)},
  bytes: {class: 'number', html: formatBytes},
  countDifference: {class: 'number', html: (value) => toned(value, withSign(value, formatCount))},
  msDifference: {class: 'number', html: (value) => value === null ? '' : formatMsDifference(Math.round(value / 1e3) * 1e3)},
  change: {class: 'number', html: (value) => toned(value, formatChange(value))},
};

const formatMsDifference = (ns) => toned(ns, withSign(ns, formatMs));
const toned = (value, text) => value === 0 ? `<span class="faint">${text}</span>` :
  `<span class="${value > 0 ? 'more' : 'less'}">${text}</span>`;

/**
 * Fills the table of that id. columns: [{title, kind, value: function of the row,
 * isWide: not shown on a phone; show: of names the part to show}]; options:
 * {order: [[column, 'desc']], rows: per page (0 = all), isSearched: with a field that chooses rows}.
 */
function fillTable(id, columns, rows, options = {}) {
  const rowsPerPage = options.rows === undefined ? 25 : options.rows;
  const isPaged = rowsPerPage > 0 && rows.length > rowsPerPage;
  if ($.fn.dataTable.isDataTable('#' + id)) {
    $('#' + id).DataTable().destroy();
    byId(id).replaceChildren();
  }
  return $('#' + id).DataTable({
    data: rows,
    columns: columns.map((column) => {
      const kind = columnKinds[column.kind];
      const isNumber = kind.class === 'number';
      return {
        title: column.title, className: kind.class + (column.isWide ? ' wide' : ''), type: isNumber ? 'num' : 'string',
        data: column.value,
        orderSequence: isNumber ? ['desc', 'asc'] : ['asc', 'desc'],
        // DataTables reads as markup what it searches in, too.
        render: (value, use) => use === 'display' ? kind.html(value, column.show) : use === 'filter' ? escapeMarkup(value) : value,
      };
    }),
    order: options.order || [],
    paging: isPaged, info: isPaged,
    pageLength: rowsPerPage || 25,
    lengthMenu: [...new Set([10, 25, rowsPerPage || 25, 100, 500])].sort((a, b) => a - b),
    deferRender: true, autoWidth: false, searching: true,
    dom: (options.isSearched && isPaged ? '<"toolbar"f>' : '') + '<"scroll"t><"foot"ilp>',
    language: {
      search: '', searchPlaceholder: 'holds …',
      info: '_START_ to _END_ of _TOTAL_ rows', infoEmpty: 'no rows', infoFiltered: '(of _MAX_)',
      lengthMenu: '_MENU_ per page', paginate: {previous: '‹', next: '›'}, zeroRecords: 'No row is chosen.',
      emptyTable: 'No rows.', thousands: ',',
    },
  });
}

/** How far each rank's clock was moved, and where one has it, its drift, from two places of a row. */
function shiftColumns(rows, place) {
  const columns = [{title: 'Clock shift ms', kind: 'ms', value: (row) => row[place]}];
  if (rows.some((row) => row[place + 1] !== 0))
    columns.push({title: 'Clock drift ppm', kind: 'share', isWide: true, value: (row) => 1e6 * row[place + 1]});
  return columns;
}

/** The table of findings: [severity, kind, count, [places]]. */
function fillFindings(findings) {
  const ranks = {loss: 0, warning: 1, info: 2};
  const sorted = [...findings].sort((a, b) => ranks[a[0]] - ranks[b[0]]);
  show('findings', findings.length > 0);
  fillTable('findings-table', [
    {title: 'Severity', kind: 'tag', value: (row) => row[0]},
    {title: 'Code', kind: 'text', value: (row) => row[1]},
    {title: 'Count', kind: 'count', value: (row) => row[2]},
    {title: 'First places', kind: 'text', value: (row) => row[3].join(' · ')},
  ], sorted, {rows: 0});
}
