// Text of others: signs that would not be seen, or that would turn the text around, are shown by their codes.

import {el} from './html.js';
import {time} from './time.js';

// Control characters but tab and line end, zero-width and bidirectional signs, the byte order mark.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const MOST_MARKED = 2_000;
const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Returns a text in which each unseen sign is its code, such as \u202e. */
export function visible(text) {
  return String(text).replace(UNSEEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the same as nodes: the codes look different from a text that has the same letters. */
export function visibleNodes(text) {
  const signs = text.match(UNSEEN) || [];
  if (signs.length > MOST_MARKED) {
    return [visible(text)];
  }
  return text
    .split(UNSEEN)
    .flatMap((part, i) => [
      part,
      signs[i] && el('span', {class: 'unseen', title: 'A sign that is not seen'}, visible(signs[i])),
    ]);
}

/** Returns a sentence of the server whose UTC times are in the viewer's zone. */
export function withTimes(text) {
  return visible(text)
    .split(INSTANT)
    .map((part) => (INSTANT.test(part) ? time(part) : part));
}
