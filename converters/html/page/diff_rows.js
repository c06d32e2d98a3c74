// The rows of a diff: what is chosen of them, for bars and table alike.

/** What a row is called where there is little room: of a path its last call. */
const labelOf = (name) => data.by === 'call-path' ? name.split(' > ').pop() : name;

/** Rows as [name, change, controls, tests, own: significant, control ns, test ns, inclusive: the same], means per sample. */
const diffRows = data.rows.map(([name, change, controlCount, testCount, ...times]) => ({
  name, label: labelOf(name), change: data.changes[change][0], controlCount, testCount,
  countDifference: testCount - controlCount, own: timesOf(times), inclusive: timesOf(times.slice(3)),
}));
function timesOf([significant, controlNs, testNs]) {
  return {significant, controlNs, testNs, nsDifference: testNs - controlNs};
}
const isStep = (row) => row.label.startsWith('ProfilerStep');
const hasSteps = diffRows.some(isStep);
const hasSpread = diffRows.some((row) => row.own.significant !== null);

const choice = {measure: 'own', time: 'own', top: 10, order: 'difference', text: '', steps: false, significant: false,
  groups: new Set(data.changes.map(([name]) => name))};

function isChosen(row) {
  return choice.groups.has(row.change) &&
    (choice.steps || !isStep(row)) &&
    (!choice.significant || row[choice.time].significant === true) &&
    row.name.toLowerCase().includes(choice.text);
}

/** The rows of the bars: the first `top` of those chosen. */
function topRows() {
  const isTime = choice.measure !== 'count';
  const control = (row) => isTime ? row[choice.time].controlNs : row.controlCount;
  const test = (row) => isTime ? row[choice.time].testNs : row.testCount;
  const key = choice.order === 'difference' ?
    (row) => Math.abs(test(row) - control(row)) : (row) => Math.max(test(row), control(row));
  return diffRows.filter(isChosen).sort((a, b) => key(b) - key(a)).slice(0, choice.top)
    .map((row) => ({name: row.name, label: row.label, control: control(row), test: test(row)}));
}

/** The table's rows with the times that are chosen as their own fields. */
const chosenTimes = () => diffRows.map((row) => ({...row, ...row[choice.time]}));

/** Changes of the toolbar go to choice, then to each of `listeners`. */
function watchChoice(listeners) {
  const changed = () => listeners.forEach((listener) => listener());
  const watch = (id, event, take) => byId(id).addEventListener(event, () => { take(byId(id)); changed(); });
  watch('measure', 'change', (element) => {
    choice.measure = element.value;
    if (element.value !== 'count') choice.time = element.value;
  });
  watch('top', 'change', (element) => choice.top = Number(element.value));
  watch('order', 'change', (element) => choice.order = element.value);
  watch('filter', 'input', (element) => choice.text = element.value.toLowerCase());
  watch('steps', 'change', (element) => choice.steps = element.checked);
  watch('significant', 'change', (element) => choice.significant = element.checked);
  for (const [name, count] of data.changes) {
    const box = make('input', {type: 'checkbox', id: 'group-' + name.replace(' ', '-'), checked: ''});
    byId('groups').append(make('label', {}, box, `${name} (${wholeNumber.format(count)})`));
    box.addEventListener('change', () => {
      if (box.checked) choice.groups.add(name); else choice.groups.delete(name);
      changed();
    });
  }
}
