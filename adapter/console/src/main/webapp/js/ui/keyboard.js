// Keys: the same on all pages. None acts while one types, or while a dialog is open.

import {refreshNow} from '../data/live.js';
import {go, href} from '../data/router.js';
import {el, find, findAll, focused, icon} from './html.js';

/** @type {[string, [string[], string][]][]} */
const KEYS = [
  [
    'Everywhere',
    [
      [['?'], 'this help'],
      [['/'], 'the filter'],
      [['r'], 'refresh now'],
      [['Esc'], 'close, or leave a field'],
    ],
  ],
  [
    'Go to',
    [
      [['g', 'o'], 'Overview'],
      [['g', 't'], 'Tasks'],
      [['g', 'f'], 'Failures'],
      [['g', 's'], 'Servers'],
      [['g', 'c'], 'Schedules'],
      [['g', 'p'], 'Operations'],
      [['g', 'a'], 'Audit'],
    ],
  ],
  [
    'Rows',
    [
      [['j'], 'next row'],
      [['k'], 'previous row'],
      [['↓', '↑'], 'the same, from a row'],
      [['Enter'], 'open the row'],
      [['x'], 'select the row'],
    ],
  ],
];
const EXAMPLES = [
  ['state:ready,delayed', 'either of them'],
  ['age>10m', 'compares; 500ms, 2h, 1d'],
  ['error:"no answer*"', 'quotes, and * for any text'],
  ['-key:*', 'not: without a key'],
  ['data.customer.id:42', 'a value in JSON'],
];
const PLACES = {o: '', t: 'tasks', f: 'failures', c: 'schedules', s: 'servers', p: 'operations', a: 'audit'};

let goes = 0;

/** Begins to listen. */
export function start() {
  document.addEventListener('keydown', (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      document.querySelector('dialog[open]') ||
      typing(event.target)
    ) {
      if (event.key === 'Escape' && typing(event.target) && !event.defaultPrevented) {
        focused().blur();
      }
      return;
    }
    if (handle(event)) {
      event.preventDefault();
    }
  });
}

function handle(event) {
  const {key} = event;
  if (Date.now() - goes < 1_500 && key in PLACES) {
    goes = 0;
    go(href(PLACES[key]));
    return true;
  }
  goes = key === 'g' ? Date.now() : 0;
  const onRow = document.activeElement && document.activeElement.matches('tr[tabindex]');
  switch (key) {
    case '?':
      return openHelp();
    case '/':
      return focus('[data-filter]');
    case 'r':
      return Boolean(refreshNow({rows: true}));
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case 'ArrowDown':
      return onRow && move(1);
    case 'ArrowUp':
      return onRow && move(-1);
    case 'Enter':
      return onRow && press('a[href]');
    case 'x':
      return onRow && press('input[type=checkbox]');
    default:
      return false;
  }
}

function typing(target) {
  return target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]');
}

function focus(selector) {
  const found = document.querySelector(selector);
  if (found) {
    found.focus();
  }
  return Boolean(found);
}

function press(selector) {
  const found = find(selector, focused());
  if (found) {
    found.click();
  }
  return Boolean(found);
}

function move(step) {
  const rows = findAll('main tr[tabindex]').filter((row) => !row.hidden);
  const at = rows.indexOf(focused().closest('tr[tabindex]'));
  const row =
    rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))];
  if (row) {
    row.focus();
    row.scrollIntoView({block: 'nearest'});
  }
  return Boolean(row);
}

/** Opens the help. */
export function openHelp() {
  const close = el(
    'button',
    {type: 'button', class: 'plain square', 'aria-label': 'Close', on: {click: () => dialog.close()}},
    icon('close'),
  );
  const keys = KEYS.map(([title, rows]) =>
    section(
      title,
      rows.map(([names, text]) => [names.map((name) => el('kbd', {}, name)), text]),
    ),
  );
  const filter = section(
    'Filter',
    EXAMPLES.map(([example, text]) => [el('code', {}, example), text]),
  );
  const dialog = el(
    'dialog',
    {class: 'help', 'aria-labelledby': 'help-title'},
    el('header', {}, el('h2', {id: 'help-title'}, 'Keys and help'), close),
    el(
      'div',
      {class: 'help-body'},
      el('div', {class: 'stack'}, keys[0], keys[2]),
      el('div', {class: 'stack'}, keys[1], filter),
    ),
    el(
      'p',
      {class: 'faint help-foot'},
      'The address of a page has its whole view: filter, order and place. Times are in your zone; UTC is in their tooltips.',
    ),
  );
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('keydown', (event) => event.key === '?' && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
  return true;
}

function section(title, rows) {
  const list = rows.map(([name, text]) => el('div', {}, el('dt', {}, name), el('dd', {}, text)));
  return el('section', {}, el('h3', {}, title), el('dl', {class: 'keys'}, list));
}
