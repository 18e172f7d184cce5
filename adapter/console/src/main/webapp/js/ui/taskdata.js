// The data of a task, by its type: JSON, text, or bytes as hex.

import {bytes, number} from '../data/format.js';
import {isValue, pieces, tokens} from '../data/json.js';
import {el, icon, replace} from './html.js';
import {copyButton, note} from './parts.js';
import {visible, visibleNodes} from './text.js';

const MOST_TOKENS = 20_000;
const MOST_TEXT = 100_000;
const MOST_BYTES = 16_384;
const PER_LINE = 16;

/** Returns a panel's content for the data of a task, with its buttons. */
export function dataView(data, download) {
  if (!data || (data.size === 0 && !data.text)) {
    return {buttons: null, element: el('p', {class: 'soft'}, 'The task has no data.'), title: 'Data'};
  }
  if (data.masked && (data.text === null || data.text === undefined)) {
    return {
      buttons: null,
      element: note(
        'info',
        'This data is no JSON, so secret values in it cannot be found and hidden. Reading it needs the right OPERATE.',
      ),
      title: `Data, ${bytes(data.size)}`,
    };
  }
  const view = data.text !== null && data.text !== undefined ? textView(data) : bytesView(data);
  const buttons = el(
    'div',
    {class: 'row'},
    view.copy && copyButton('Copy data', view.copy),
    download && el('a', {class: 'button small', href: download, download: ''}, icon('download'), 'Download'),
  );
  const cut =
    data.truncated &&
    note(
      'info',
      `This is the beginning of ${bytes(data.size)}.${download ? ' Download has all of it.' : ''}`,
    );
  const masked =
    data.masked && note('info', 'Values of secret names are hidden. They need the right OPERATE.');
  return {
    buttons,
    element: el('div', {class: 'stack tight'}, masked, cut, view.element),
    title: `Data, ${bytes(data.size)} of ${view.kind}`,
  };
}

function textView(data) {
  const json = /json/i.test(data.type || data.contentType || '') || /^\s*[[{]/.test(data.text);
  const read = json ? tokens(data.text) : null;
  if (read && (data.truncated || isValue(read.tokens))) {
    return {kind: 'JSON', copy: data.text, element: jsonBlock(read.tokens)};
  }
  const broken = json && /json/i.test(data.type || '') && !data.truncated;
  return {
    kind: 'text',
    copy: data.text,
    element: el(
      'div',
      {class: 'stack tight'},
      broken && note('warn', 'The type says JSON, but the data is no valid JSON. It is shown as text.'),
      textBlock(data.text),
    ),
  };
}

function jsonBlock(list) {
  const block = el('pre', {tabindex: '0', class: 'code', 'aria-label': 'Data as JSON'});
  const show = (most) => {
    replace(
      block,
      pieces(list.slice(0, most)).map(({text, kind}) =>
        kind === 'blank' ? text : el('span', {class: `json-${kind}`}, visible(text)),
      ),
    );
  };
  show(MOST_TOKENS);
  if (list.length <= MOST_TOKENS) {
    return block;
  }
  // Further parts come without colours: a million elements would stop the browser.
  return withMore(block, `The first ${number(MOST_TOKENS)} of ${number(list.length)} values and signs.`, () =>
    replace(
      block,
      visible(
        pieces(list)
          .map(({text}) => text)
          .join(''),
      ),
    ),
  );
}

function textBlock(text) {
  const block = el(
    'pre',
    {tabindex: '0', class: 'code wrap', 'aria-label': 'Data as text'},
    visibleNodes(text.slice(0, MOST_TEXT)),
  );
  return text.length <= MOST_TEXT
    ? block
    : withMore(block, `The first ${number(MOST_TEXT)} of ${number(text.length)} characters.`, () =>
        replace(block, visibleNodes(text)),
      );
}

function withMore(block, text, more) {
  const line = el(
    'div',
    {class: 'row'},
    el('span', {class: 'faint grow'}, text),
    el(
      'button',
      {
        type: 'button',
        class: 'small',
        on: {
          click: () => {
            more();
            line.remove();
          },
        },
      },
      'Show all',
    ),
  );
  return el('div', {class: 'stack tight'}, block, line);
}

function bytesView(data) {
  const values =
    data.hex !== undefined && data.hex !== null ? fromHex(data.hex) : fromBase64(data.base64 || '');
  const shown = values.slice(0, MOST_BYTES);
  const block = el('pre', {tabindex: '0', class: 'code', 'aria-label': 'Data as hex'}, hexDump(shown));
  const rest =
    values.length > shown.length &&
    el('p', {class: 'faint'}, `The first ${bytes(shown.length)} of ${bytes(values.length)}.`);
  return {
    kind: data.type && data.type !== 'application/octet-stream' ? data.type : 'bytes, as hex',
    copy: null,
    element: el('div', {class: 'stack tight'}, block, rest),
  };
}

function fromHex(text) {
  const digits = text.replace(/\s+/g, '');
  return Array.from({length: Math.floor(digits.length / 2)}, (_, i) =>
    parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

function fromBase64(text) {
  return Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** Returns bytes as lines of offset, hex digits and printable characters. */
export function hexDump(values) {
  const lines = [];
  for (let at = 0; at < values.length; at += PER_LINE) {
    const row = values.slice(at, at + PER_LINE);
    const hex = row.map((b) => b.toString(16).padStart(2, '0'));
    const halves = [hex.slice(0, 8).join(' '), hex.slice(8).join(' ')].join('  ').padEnd(PER_LINE * 3 + 1);
    const text = row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : '·')).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${halves} ${text}`);
  }
  return lines.join('\n');
}
