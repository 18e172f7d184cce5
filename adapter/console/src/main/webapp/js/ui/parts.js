// The parts that pages share: tags, bars, sparklines, tables, and what a page shows while it has no data.

import {number, short} from '../data/format.js';
import {STATES} from '../data/model.js';
import {el, icon, replace, setText, svg} from './html.js';

const WIDTH = 120;
const HEIGHT = 28;
const LEAST = 20;
const MOST = 150;

/** Returns the tag of a task's state. */
export function stateTag(state) {
  return el('span', {class: `tag ${STATES.includes(state) ? state : ''}`}, state || 'unknown');
}

/** Returns the tag of a tube's mode; null for an open tube. */
export function modeTag(tube) {
  if (tube.mode === 'OPEN') {
    return null;
  }
  const why = [tube.modeBy && `by ${tube.modeBy}`, tube.modeReason].filter(Boolean).join(': ');
  return el(
    'span',
    {class: 'tag warn', title: why},
    icon(tube.mode === 'PAUSED' ? 'pause' : 'drain'),
    tube.mode.toLowerCase(),
  );
}

/** Returns a bar with the shares of a tube's tasks by state, and a function that sets new numbers. */
export function stateBar() {
  const pieces = STATES.map((state) => el('i', {class: state}));
  const element = el('div', {class: 'bar', role: 'img'}, pieces);
  const update = (tube) => {
    const total = STATES.reduce((sum, state) => sum + tube[state], 0);
    STATES.forEach((state, i) => {
      pieces[i].style.setProperty('--n', String(total === 0 ? 0 : tube[state] / total));
      pieces[i].hidden = tube[state] === 0;
    });
    const text = STATES.filter((state) => tube[state] > 0)
      .map((state) => `${number(tube[state])} ${state}`)
      .join(', ');
    element.setAttribute('aria-label', text || 'no tasks');
    element.title = text || 'no tasks';
  };
  return {element, update};
}

/** Returns the key to the colours of the states. */
export function stateKey() {
  return el(
    'ul',
    {class: 'key', 'aria-label': 'Colours of the states'},
    STATES.map((state) => el('li', {}, el('i', {class: state}), state)),
  );
}

/** Returns a sparkline of puts (line) and acks (area) per second, and a function that sets new numbers. */
export function sparkline(label) {
  const area = svg('path', {class: 'area'});
  const line = svg('path', {class: 'line'});
  const element = spark(label, '', area, line);
  let last = null;
  const update = (series) => {
    if (series === last) {
      return;
    }
    last = series;
    const shown = smooth(series.slice(-MOST));
    const top = Math.max(0.5, ...shown.flatMap((s) => [s.puts, s.acks]));
    area.setAttribute(
      'd',
      shape(
        shown.map((s) => s.acks),
        top,
        true,
      ),
    );
    line.setAttribute(
      'd',
      shape(
        shown.map((s) => s.puts),
        top,
        false,
      ),
    );
  };
  return {element, update};
}

/** Returns bars of failures per hour, the earliest first. */
export function hourBars(hours) {
  const top = Math.max(1, ...hours);
  const sum = hours.reduce((all, n) => all + n, 0);
  const label = `${number(sum)} failed in the last ${hours.length} hours, ${number(hours.at(-1) || 0)} in the last one`;
  const wide = WIDTH / Math.max(1, hours.length);
  const bars = hours.map((n, i) => {
    const high = n === 0 ? 0 : Math.max(1.5, (n / top) * HEIGHT);
    const ago = hours.length - i;
    return svg(
      'g',
      {},
      svg('title', {}, `${number(n)} failed, ${ago} to ${ago - 1} h ago`),
      svg('rect', {class: 'blank', x: (i * wide).toFixed(1), y: 0, width: wide.toFixed(1), height: HEIGHT}),
      svg('rect', {
        class: 'hour',
        x: (i * wide).toFixed(1),
        y: (HEIGHT - high).toFixed(1),
        width: (wide * 0.75).toFixed(1),
        height: high.toFixed(1),
      }),
    );
  });
  return el(
    'div',
    {class: 'trend'},
    el('div', {class: 'faint', 'aria-hidden': 'true'}, `${short(top)} per h`),
    spark(label, ' bars', ...bars),
    el(
      'div',
      {class: 'faint ends', 'aria-hidden': 'true'},
      el('span', {}, `${hours.length} h ago`),
      el('span', {}, 'now'),
    ),
  );
}

function spark(label, cls, ...children) {
  return svg(
    'svg',
    {
      class: `spark${cls}`,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': label,
    },
    ...children,
  );
}

function smooth(series) {
  return series.map((_, i) => {
    const near = series.slice(Math.max(0, i - 2), i + 1);
    const mean = (kind) => near.reduce((sum, s) => sum + s[kind], 0) / near.length;
    return {puts: mean('puts'), acks: mean('acks')};
  });
}

function shape(values, top, closed) {
  if (values.length < 2) {
    return '';
  }
  const step = WIDTH / (Math.max(LEAST, values.length) - 1);
  const left = WIDTH - (values.length - 1) * step;
  const points = values.map(
    (v, i) => `${(left + i * step).toFixed(1)} ${(HEIGHT - 1 - (v / top) * (HEIGHT - 4)).toFixed(1)}`,
  );
  const open = `M${points.join('L')}`;
  return closed ? `${open}L${WIDTH} ${HEIGHT - 1}L${left.toFixed(1)} ${HEIGHT - 1}Z` : open;
}

/**
 * Returns a table. Its parts have roles, because a narrow page shows its rows as cards.
 *
 * @param {string} caption
 * @param {(string|{text: string, class?: string, title?: string, sort?: string, hidden?: boolean, node?: Node})[]} heads
 */
export function table(caption, heads, props = {}) {
  const body = el('tbody', {role: 'rowgroup'});
  const cells = heads.map((head) => {
    const h = typeof head === 'string' ? {text: head} : head;
    return el(
      'th',
      {scope: 'col', role: 'columnheader', class: h.class, title: h.title},
      h.node || (h.hidden ? el('span', {class: 'visually-hidden'}, h.text) : h.text),
    );
  });
  const element = el(
    'table',
    {role: 'table', ...props},
    el('caption', {}, caption),
    el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, cells)),
    body,
  );
  return {element, body, cells};
}

/** Returns a cell. On a narrow page its label stands beside it. */
export function cell(label, props, ...children) {
  return el('td', {role: 'cell', 'data-label': label, ...props}, children);
}

/** Returns the head of a row. */
export function rowHead(props, ...children) {
  return el('th', {scope: 'row', role: 'rowheader', ...props}, children);
}

/** Returns a panel with a heading. */
export function panel(title, extra, ...children) {
  return el(
    'section',
    {class: 'panel'},
    el('div', {class: 'panel-head'}, el('h2', {}, title), extra),
    children,
  );
}

/** Returns a list of names and values; null values are left out. */
export function facts(entries) {
  return el(
    'dl',
    {class: 'facts'},
    entries
      .filter(Boolean)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  );
}

/** Returns what a page shows if there is nothing to show. */
export function empty(title, text, ...more) {
  return el(
    'div',
    {class: 'empty'},
    icon('empty'),
    el('h2', {}, title),
    text && el('p', {class: 'soft'}, text),
    more,
  );
}

/** Returns what a page shows while it loads. It appears after a moment only. */
export function loading(lines = 6) {
  return el(
    'div',
    {class: 'loading', role: 'status'},
    el('span', {class: 'visually-hidden'}, 'Loading'),
    Array.from({length: lines}, () => el('i', {})),
  );
}

/** Returns what a page shows if its data cannot be had. */
export function failed(problem, again) {
  const titles = {
    0: 'The server does not answer',
    403: 'You have no right to this',
    404: 'Not found',
    503: 'The adapter is not running',
  };
  return el(
    'div',
    {class: 'empty bad', role: 'alert'},
    icon('failures'),
    el('h2', {}, titles[problem.status] || problem.title || 'The call failed'),
    el('p', {class: 'soft break'}, problem.message),
    again && el('button', {type: 'button', on: {click: again}}, icon('refresh'), 'Try again'),
  );
}

/** Returns a note: a sentence in a coloured box. */
export function note(tone, ...children) {
  return el(
    'div',
    {class: `note ${tone}`},
    icon(tone === 'good' ? 'check' : tone === 'info' ? 'info' : 'failures'),
    el('div', {class: 'grow break'}, children),
  );
}

/** Returns a button that copies a text. */
export function copyButton(label, text, props = {}) {
  const caption = el('span', {}, label);
  const button = el('button', {type: 'button', class: 'small', ...props}, icon('copy'), caption);
  button.addEventListener('click', async () => {
    setText(caption, (await copy(typeof text === 'function' ? text() : text)) ? 'Copied' : 'Copy failed');
    setTimeout(() => setText(caption, label), 1600);
  });
  return button;
}

/**
 * Returns buttons of which one is pressed, and a function that presses another one.
 *
 * @param {string} label
 * @param {[string, string][]} options values with their labels
 * @param {string} chosen
 * @param {(value: string) => void} changed
 */
export function choice(label, options, chosen, changed) {
  const buttons = options.map(([value, text]) =>
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        'aria-pressed': String(value === chosen),
        on: {click: () => changed(value)},
      },
      text,
    ),
  );
  const element = el('div', {class: 'switch', role: 'group', 'aria-label': label}, buttons);
  const show = (value) =>
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(options[i][0] === value)));
  return {element, show};
}

/** Says a text to screen readers, politely. */
export function announce(text) {
  const region = document.getElementById('announce');
  replace(region);
  setTimeout(() => setText(region, text), 50);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (e) {
    return copyBySelection(text); // Without TLS a browser has no clipboard.
  }
}

function copyBySelection(text) {
  const area = el('textarea', {class: 'visually-hidden', value: text});
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
