// Times as elements.

import {duration, now} from '../data/format.js';
import {el} from './html.js';

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const DAY = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Returns a time element: the viewer's zone as text, UTC as title. */
export function time(iso, none = '–') {
  const millis = Date.parse(iso || '');
  if (Number.isNaN(millis)) {
    return el('span', {class: 'faint'}, none);
  }
  return el('time', {datetime: iso, title: utc(millis)}, local(millis));
}

/** Returns a time with its milliseconds, and how long ago it was. */
export function exactTime(iso) {
  const millis = Date.parse(iso || '');
  return Number.isNaN(millis)
    ? null
    : [
        el('time', {datetime: iso, title: utc(millis)}, `${local(millis)}.${String(millis % 1_000).padStart(3, '0')}`),
        el('span', {class: 'faint'}, millis > now() ? ' in ' : ' ', age(iso), millis > now() ? '' : ' ago'),
      ];
}

/** Returns a time element that says how long ago a time was, or how long it is until then. */
export function age(iso, none = '–') {
  const millis = Date.parse(iso || '');
  if (Number.isNaN(millis)) {
    return el('span', {class: 'faint'}, none);
  }
  return el(
    'time',
    {datetime: iso, title: `${local(millis)}\n${utc(millis)}`},
    duration(Math.abs(now() - millis)),
  );
}

function local(millis) {
  const sameDay = new Date(millis).toDateString() === new Date().toDateString();
  return (sameDay ? CLOCK : DAY).format(millis);
}

function utc(millis) {
  return `${new Date(millis).toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}
