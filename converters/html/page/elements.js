// Parts of the document. Text from traces comes in as text, never as markup.
const byId = (id) => document.getElementById(id);

/** An element with attributes and children (elements or text). */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const markupOf = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'};
const escapeMarkup = (text) => String(text).replace(/[&<>"']/g, (letter) => markupOf[letter]);

/** A number with what it is; tone: '', 'alarm' or 'calm'. */
function addCard(parent, value, label, tone = '') {
  parent.append(make('div', {class: 'card ' + tone}, make('b', {}, value), make('span', {}, label)));
}

/** Where the time of devices goes, ns. */
function addTimeCards(parent, {length, computation, communication, copies, idle}) {
  for (const [value, label] of [[computation, 'computation'], [communication, 'exposed communication'], [copies, 'exposed copies'], [idle, 'idle']])
    addCard(parent, formatShare(value, length) || '–', `${label}: ${formatTime(value)}`);
}

/** A legend of [colour variable, text]. */
function fillLegend(element, entries) {
  element.replaceChildren(...entries.map(([colour, text]) =>
    make('span', {}, make('i', {style: `background: var(--${colour})`}), text)));
}

/** Links to the sections that are shown. */
function fillNavigation() {
  const links = [...document.querySelectorAll('main section[id]:not(.hidden)')]
    .map((section) => [section.id, section.querySelector('h2')])
    .filter(([, title]) => title)
    .map(([id, title]) => make('a', {href: '#' + id}, title.dataset.short || title.textContent));
  byId('navigation').replaceChildren(...links);
}

const show = (id, isShown) => byId(id).classList.toggle('hidden', !isShown);
const fileOf = (path) => path.split('/').pop();
const isNarrow = () => window.matchMedia('(max-width: 760px)').matches;
