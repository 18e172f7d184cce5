// Values that are typed into fields.

import {isoMillis, typedDuration} from './format.js';

/** @type {[string, number][]} */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** Returns an ISO-8601 duration as one types it, such as 90s or 1d; an empty text for none. */
export function typedOf(iso) {
  const millis = isoMillis(iso);
  if (!Number.isFinite(millis)) {
    return '';
  }
  const [unit, size] = UNITS.find(([name, s]) => (millis === 0 ? name === 's' : millis % s === 0));
  return `${millis / size}${unit}`;
}

/** Returns the ISO-8601 duration of an input; throws if it is none. */
export function durationOf(input, name) {
  const value = typedDuration(input.value);
  input.setAttribute('aria-invalid', String(value === null));
  if (value === null) {
    input.focus();
    throw Object.assign(
      new Error(`'${input.value}' is no duration; write the ${name} as 500ms, 1.5s, 10m, 2h or 1d.`),
      {title: 'Wrong value.'},
    );
  }
  return value;
}

/** Returns the whole number of an input; throws if it is none. */
export function wholeNumber(input, name) {
  const value = input.value.trim();
  const fits = /^\d{1,10}$/.test(value);
  input.setAttribute('aria-invalid', String(!fits));
  if (!fits) {
    input.focus();
    throw Object.assign(new Error(`'${value}' is no whole number; write the ${name} with digits.`), {
      title: 'Wrong value.',
    });
  }
  return Number(value);
}

/** Returns the fields of the data that an input names with commas between them; a comma in quotes belongs to a field. */
export function fieldsOf(input) {
  return (input.value.match(/(?:"(?:[^"\\]|\\.)*"|[^,"]|")+/g) || [])
    .map((field) => field.trim())
    .filter((field) => field !== '');
}
