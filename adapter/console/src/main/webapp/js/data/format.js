// Numbers, durations and times as text.

const WHOLE = new Intl.NumberFormat('en');
const ONE = new Intl.NumberFormat('en', {maximumFractionDigits: 1});
const SHORT = new Intl.NumberFormat('en', {notation: 'compact', maximumFractionDigits: 1});
/** @type {[string, number][]} */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];
const TYPED = {ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000};

let ahead = 0;

/** Sets the server's time, so that a wrong clock of the viewer makes no wrong ages. */
export function setServerTime(iso) {
  const time = Date.parse(iso);
  ahead = Number.isNaN(time) ? 0 : time - Date.now();
}

/** Returns the server's time, in milliseconds. */
export function now() {
  return Date.now() + ahead;
}

/** Returns a whole number with separators. */
export function number(value) {
  return Number.isFinite(value) ? WHOLE.format(value) : '–';
}

/** Returns a number of at most four digits, such as 1.2M. */
export function short(value) {
  return !Number.isFinite(value) ? '–' : Math.abs(value) < 10_000 ? WHOLE.format(value) : SHORT.format(value);
}

/** Returns a number per second. */
export function rate(value) {
  if (!Number.isFinite(value)) {
    return '–';
  }
  return value === 0
    ? '0'
    : value < 0.1
      ? '< 0.1'
      : value < 10
        ? ONE.format(value)
        : short(Math.round(value));
}

/** Returns a word with its number: "1 task", "2 tasks". */
export function count(value, word) {
  return `${number(value)} ${word}${value === 1 ? '' : 's'}`;
}

/** Returns a size in bytes. */
export function bytes(value) {
  if (value < 1024) {
    return `${number(value)} B`;
  }
  return value < 1_048_576 ? `${ONE.format(value / 1024)} KiB` : `${ONE.format(value / 1_048_576)} MiB`;
}

/** Returns a duration with its two largest units. A duration below zero is zero. */
export function duration(millis) {
  if (!Number.isFinite(millis)) {
    return '–';
  }
  if (millis < 1000) {
    return millis > 0 ? `${Math.max(1, Math.round(millis))} ms` : '0 s';
  }
  let rest = Math.round(millis / 1000) * 1000;
  const parts = [];
  const first = UNITS.findIndex(([, size]) => rest >= size);
  for (const [unit, size] of UNITS.slice(first, first + 2)) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) {
      parts.push(`${number(amount)} ${unit}`);
    }
  }
  return parts.join(' ');
}

/** Returns the milliseconds of an ISO-8601 duration; NaN if it is none. */
export function isoMillis(text) {
  const match = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text || '');
  if (!match) {
    return NaN;
  }
  const [d, h, m, s] = match.slice(1).map((part) => Number(part || 0));
  return d * 86_400_000 + h * 3_600_000 + m * 60_000 + Math.round(s * 1000);
}

/** Returns the milliseconds since a time, never below zero; NaN if it is none. */
export function since(iso) {
  return Math.max(0, now() - Date.parse(iso || ''));
}

/** Returns an ISO-8601 duration as words, or the text for none. */
export function isoDuration(text, none = 'infinite') {
  return text === null || text === undefined || text === '' ? none : duration(isoMillis(text));
}

/**
 * Returns the ISO-8601 duration that was typed as 500ms, 1.5s, 10m, 2h or 1d, or as ISO-8601; null if it is none.
 *
 * @param {string} text
 */
export function typedDuration(text) {
  const trimmed = text.trim();
  if (/^P(?=.)/.test(trimmed) && Number.isFinite(isoMillis(trimmed))) {
    return trimmed;
  }
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)$/.exec(trimmed);
  return match ? `PT${Number(((Number(match[1]) * TYPED[match[2]]) / 1000).toFixed(3))}S` : null;
}

/** Returns the words "4 min ago" or "in 4 min". */
export function relative(iso) {
  const millis = Date.parse(iso || '') - now();
  if (Number.isNaN(millis)) {
    return '';
  }
  return Math.abs(millis) < 1000 ? 'now' : millis < 0 ? `${duration(-millis)} ago` : `in ${duration(millis)}`;
}

/** Returns an ISO-8601 time as an input of the type datetime-local has it; an empty text for none. */
export function localOf(iso) {
  const at = new Date(iso || NaN);
  return Number.isNaN(at.getTime())
    ? ''
    : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Returns the value of such an input as an ISO-8601 time in UTC; an empty text for none. */
export function isoOf(local) {
  const at = new Date(local || NaN);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
