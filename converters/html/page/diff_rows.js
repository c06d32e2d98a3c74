// The rows of a diff: what is chosen of them, for bars and table alike.

/** What a row is called where there is little room: of a path its last call. */
const labelOf = (name) => data.by === 'call-path' ? name.split(' > ').pop() : name;

/** Rows as [name, change, significant, controls, tests, control ns, test ns], means per sample. */
const diffRows = data.rows.map(([name, change, significant, controlCount, testCount, controlNs, testNs]) => ({
  name, label: labelOf(name), change: data.changes[change][0], significant, controlCount, testCount, controlNs, testNs,
  countDifference: testCount - controlCount, nsDifference: testNs - controlNs,
}));
const isStep = (row) => row.label.startsWith('ProfilerStep');
const hasSteps = diffRows.some(isStep);
const hasSpread = diffRows.some((row) => row.significant !== null);

const choice = {measure: 'time', top: 10, order: 'difference', text: '', steps: false, significant: false,
  groups: new Set(data.changes.map(([name]) => name))};

function isChosen(row) {
  return choice.groups.has(row.change) &&
    (choice.steps || !isStep(row)) &&
    (!choice.significant || row.significant === true) &&
    row.name.toLowerCase().includes(choice.text);
}

/** The rows of the bars: the first `top` of those chosen. */
function topRows() {
  const isTime = choice.measure === 'time';
  const control = (row) => isTime ? row.controlNs : row.controlCount;
  const test = (row) => isTime ? row.testNs : row.testCount;
  const key = choice.order === 'difference' ?
    (row) => Math.abs(test(row) - control(row)) : (row) => Math.max(test(row), control(row));
  return diffRows.filter(isChosen).sort((a, b) => key(b) - key(a)).slice(0, choice.top)
    .map((row) => ({name: row.name, label: row.label, control: control(row), test: test(row)}));
}

/** Changes of the toolbar go to choice, then to each of `listeners`. */
function watchChoice(listeners) {
  const changed = () => listeners.forEach((listener) => listener());
  const watch = (id, event, take) => byId(id).addEventListener(event, () => { take(byId(id)); changed(); });
  watch('measure', 'change', (element) => choice.measure = element.value);
  watch('top', 'change', (element) => choice.top = Number(element.value));
  watch('order', 'change', (element) => choice.order = element.value);
  watch('filter', 'input', (element) => choice.text = element.value.toLowerCase());
  watch('steps', 'change', (element) => choice.steps = element.checked);
  watch('significant', 'change', (element) => choice.significant = element.checked);
  for (const [name, count] of data.changes) {
    const box = make('input', {type: 'checkbox', id: 'group-' + name, checked: ''});
    byId('groups').append(make('label', {}, box, `${name} (${wholeNumber.format(count)})`));
    box.addEventListener('change', () => {
      if (box.checked) choice.groups.add(name); else choice.groups.delete(name);
      changed();
    });
  }
}
