// Numbers as text. Times come in ns.
const wholeNumber = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const shortNumber = new Intl.NumberFormat('en-US', {maximumFractionDigits: 2});
const threeDecimals = new Intl.NumberFormat('en-US', {minimumFractionDigits: 3, maximumFractionDigits: 3});
const oneDecimal = new Intl.NumberFormat('en-US', {minimumFractionDigits: 1, maximumFractionDigits: 1});

const formatCount = (count) => shortNumber.format(count);
const formatMs = (ns) => threeDecimals.format(ns / 1e6);

/** "+3", "−3", "0" from a number and the text of its absolute value. */
const withSign = (number, format) => (number > 0 ? '+' : number < 0 ? '−' : '') + format(Math.abs(number));

/** The unit in which the largest of the values reads well: {name, ns}. */
function unitFor(largestNs) {
  const units = [{name: 's', ns: 1e9}, {name: 'ms', ns: 1e6}, {name: 'µs', ns: 1e3}];
  return units.find((unit) => largestNs >= unit.ns) || {name: 'ns', ns: 1};
}

/** "12.345 ms". */
function formatTime(ns) {
  if (ns === 0) return '0';
  const unit = unitFor(Math.abs(ns));
  const value = ns / unit.ns;
  return (unit.ns === 1 ? wholeNumber : threeDecimals).format(value) + ' ' + unit.name;
}
/** "4.7 MB". */
function formatBytes(bytes) {
  const unit = [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']].find(([size]) => bytes >= size);
  return unit ? `${oneDecimal.format(bytes / unit[0])} ${unit[1]}` : `${bytes}`;
}
const formatSignedTime = (ns) => withSign(ns, formatTime);

/** What one side does not have is null there. */
const differenceOf = (from, to) => from === null || to === null ? null : to - from;
/** Change in percent of `from`: Infinity for what is new, -Infinity for what is gone. */
function changeOf(from, to) {
  if (from === to) return 0;
  if (to === null) return -Infinity;
  return from === null || from === 0 ? Infinity : 100 * (to - from) / from;
}
function formatChange(percent) {
  if (percent === Infinity) return 'new';
  if (percent === -Infinity) return 'gone';
  return percent === 0 ? '' : withSign(percent, (value) => oneDecimal.format(value)) + ' %';
}
const formatShare = (part, whole) => whole > 0 ? oneDecimal.format(100 * part / whole) + ' %' : '';

/** "30 pattern, 2 timing" from [[name, count]]. */
const formatInferences = (counts) => counts.map(([name, count]) => `${wholeNumber.format(count)} ${name}`).join(', ');

/** Of graphs that have the times of "kernels=2". */
const whatIfSentence = (changes) => changes ? ` The times are those of a what-if, ${changes}: nobody measured them.` : '';

const cutText = (text, most) => text.length <= most ? text : text.slice(0, most - 1) + '…';
