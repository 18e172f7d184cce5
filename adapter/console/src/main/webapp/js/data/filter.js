// The text of a filter as conditions, and suggestions while one types. The server alone says what a filter means.

import {STATES} from './model.js';

/** The fields, with an example and a few words. */
export const FIELDS = [
  ['tube', 'tube:orders', 'the name of the tube'],
  ['state', 'state:buried', 'ready, delayed, taken, buried, done'],
  ['error', 'error:Timeout*', 'the last failure, class or message'],
  ['failure', 'failure:2f9c01d45be7a836', 'the kind of the last failure'],
  ['key', 'key:order-7781', 'the unique key'],
  ['utube', 'utube:customer-17', 'the sub-queue'],
  ['id', 'id:4711', 'the id of the task'],
  ['age', 'age>10m', 'the time since the put'],
  ['held', 'held>5m', 'the time since the take'],
  ['due', 'due<1h', 'the time until the next deadline'],
  ['attempts', 'attempts>=3', 'takes since the put or the last retry'],
  ['taken', 'taken>1', 'how often it was taken'],
  ['buried', 'buried>0', 'how often it was buried'],
  ['pri', 'pri<10', 'the priority, smaller first'],
  ['node', 'node:app-2', 'the server that holds it'],
  ['session', 'session:2f9c*', 'the session that holds it'],
  ['type', 'type:application/json', 'the content type'],
  ['data', 'data.customer.id:42', 'a value inside JSON data'],
  ['text', 'text:printer', 'a word in id, key, sub-queue, failure or data'],
];
const NUMERIC = new Set(['age', 'held', 'due', 'attempts', 'taken', 'buried', 'pri']);

const TIMES = new Set(['age', 'held', 'due']);
const SIGNS = {'>': 'more than', '>=': 'at least', '<': 'less than', '<=': 'at most', ':': 'exactly'};

/**
 * Returns the conditions of a filter, each with its position. White space inside quotes is part of a condition.
 *
 * @param {string} text
 * @returns {{text: string, from: number, to: number}[]}
 */
export function split(text) {
  const found = [];
  let from = -1;
  let quoted = false;
  for (let at = 0; at <= text.length; at++) {
    const c = text[at];
    if (quoted && c === '\\' && at + 1 < text.length) {
      at++; // An escaped quote ends nothing.
    } else if (at === text.length || (!quoted && /\s/.test(c))) {
      if (from >= 0) {
        found.push({text: text.slice(from, at), from, to: at});
      }
      from = -1;
    } else {
      from = from < 0 ? at : from;
      quoted = quoted !== (c === '"');
    }
  }
  return found;
}

/** Returns whether a condition is finished: it has a sign and a value, and its quotes are closed. */
export function isComplete(text) {
  return /^-?[a-z][^:<>=]*(?::|<=?|>=?)./i.test(text) && !/\\?"/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ''));
}

/** Returns a condition as the server reads it: a word without a field is looked for anywhere. */
export function withField(text) {
  const [, minus, rest] = /^(-?)(.*)$/s.exec(text);
  return /^[^"]*[:<>=]/.test(rest) || isField(rest) ? text : `${minus}text:${rest}`;
}

function isField(text) {
  return FIELDS.some(([field]) => text.toLowerCase() === field || text.toLowerCase().startsWith(`${field}.`));
}

/** Returns a value as a condition writes it: with quotes, if it needs them. */
export function quote(value) {
  return /[\s,"\\*:<>=]/.test(value) || value === '' ? `"${value.replace(/[\\"*]/g, '\\$&')}"` : value;
}

/**
 * Returns suggestions for what is being typed.
 *
 * @param {string} typed
 * @param {string[]} tubes
 * @param {string[]} [fields] those of the data that an index finds
 * @returns {{text: string, shown: string, hint: string, ends: boolean}[]} `ends` if the condition is then finished
 */
export function suggest(typed, tubes, fields = []) {
  const path = /^(-?)data\.([^:<>=]*)$/i.exec(typed);
  if (path) {
    return fields
      .filter((field) => field.toLowerCase().startsWith(path[2].toLowerCase()))
      .map((field) => `${path[1]}data.${field}:`)
      .map((text) => ({text, shown: text, hint: 'found at once', ends: false}));
  }
  const match = /^(-?)([a-z]*)(:(.*))?$/is.exec(typed);
  if (!match) {
    return /^\d+$/.test(typed)
      ? [{text: `id:${typed}`, shown: `id:${typed}`, hint: 'the task of this id', ends: true}]
      : [];
  }
  const [, minus, name, colon, value = ''] = match;
  if (colon === undefined) {
    const prefix = name.toLowerCase();
    if (NUMERIC.has(prefix)) {
      return operators(minus, prefix);
    }
    return FIELDS.filter(([field]) => field.startsWith(prefix)).map(([field, example, hint]) => ({
      text: minus + field + (NUMERIC.has(field) ? '>' : field === 'data' ? '.' : ':'),
      shown: minus + example,
      hint,
      ends: false,
    }));
  }
  // After a comma, a further value is typed
  const before = value.slice(0, value.lastIndexOf(',') + 1);
  const begun = value.slice(before.length).toLowerCase();
  return values(name.toLowerCase(), tubes)
    .filter((v) => v.toLowerCase().includes(begun) && v !== value && !before.split(',').includes(v))
    .slice(0, 12)
    .map((v) => ({
      text: `${minus}${name}:${before}${quote(v)}`,
      shown: `${minus}${name}:${before}${v}`,
      hint: '',
      ends: true,
    }));
}

/** The comparisons of a field that has an order; a time has no "exactly". */
function operators(minus, field) {
  const example = FIELDS.find(([name]) => name === field)[1].replace(/^[a-z]+[<>=]+/, '');
  const signs = TIMES.has(field) ? ['>', '>=', '<', '<='] : ['>', '>=', '<', '<=', ':'];
  return signs.map((sign) => ({
    text: minus + field + sign,
    shown: `${minus}${field}${sign}${example}`,
    hint: SIGNS[sign],
    ends: false,
  }));
}

function values(field, tubes) {
  const known = {
    tube: tubes,
    state: STATES,
    type: ['application/json', 'text/plain', 'application/octet-stream'],
  };
  return known[field] || [];
}

/** Returns whether a condition names exactly one state. */
export function isOneState(text, state) {
  return text.toLowerCase() === `state:${state}`;
}

/** Returns the tubes that a filter names; null if it allows any. */
export function tubesNamed(filter) {
  return namesOf(
    split(filter).map(({text}) => text),
    'tube',
  );
}

/** Returns the values that conditions of a field give; null if none does, or if one of them has a wildcard. */
export function namesOf(conditions, field) {
  const found = conditions.filter((text) => text.toLowerCase().startsWith(`${field}:`));
  const names = found.flatMap((text) => text.slice(field.length + 1).split(','));
  return found.length === 0 || names.some((name) => /[*"]/.test(name)) ? null : names;
}
