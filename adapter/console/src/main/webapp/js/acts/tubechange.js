// The defaults of a tube, and its history. Only what differs is sent.

import {patch, path} from '../data/api.js';
import {refreshNow} from '../data/live.js';
import {takesOption} from '../data/model.js';
import {durationOf, fieldsOf, typedOf, wholeNumber} from '../data/typed.js';
import {field, openDialog, reasonInput, required, select} from '../ui/dialog.js';
import {el} from '../ui/html.js';

const HISTORIES = [
  ['OFF', 'off: none is kept'],
  ['FAILURES', 'failures: failed deliveries only'],
  ['ALL', 'all: each event of a task'],
];
const DEFAULTS = [
  ['pri', 'Priority', '0'],
  ['ttl', 'Time to live', 'infinite'],
  ['ttr', 'Time to run', 'the ttl'],
  ['delay', 'Delay', 'none'],
];

/**
 * Opens the dialog that changes a tube.
 *
 * @param {Object} tube as the server returns it, or its name alone
 * @param {{history?: string, done?: () => void}} [options] `history` is what the dialog offers instead of the present one
 */
export function openChange(tube, {history, done = refreshNow} = {}) {
  const known = String(tube.history || 'OFF').toUpperCase();
  const inputs = inputsOf(tube, history || known);
  const strict = strictBox(tube.strict);
  const hasStrict = takesOption(tube, 'utube') && Boolean(tube.type) && !history;
  const reason = reasonInput();
  const hasDefaults = /ttl$/.test(tube.type || 'fifottl') && !history;
  openDialog({
    title: history ? `Keep the history of ${tube.name}` : `Change tube ${tube.name}`,
    subject: el(
      'p',
      {},
      history
        ? 'From now on each event of a task is a row, on all servers: who put it, each take with server and bean, each failure. Events of before are not known.'
        : 'All servers follow within seconds. Tasks that the tube has now keep their values.',
    ),
    fields: [
      hasDefaults &&
        el(
          'div',
          {class: 'columns two'},
          DEFAULTS.map(([name, label]) => field(label, inputs[name])),
        ),
      hasDefaults && el('p', {class: 'faint'}, 'Durations such as 500ms, 1.5s, 10m, 2h or 1d.'),
      el(
        'div',
        {class: 'columns two'},
        field('History', inputs.history),
        field('Kept for', inputs.historyRetention, '1 minute to 3,650 days'),
      ),
      !history &&
        !tube.temporary &&
        field(
          'Searchable fields',
          inputs.searchable,
          'Of JSON data. Searches find their values at once; each costs a row per task.',
        ),
      hasStrict && strict,
      !history && limitFields(inputs),
      field('Reason', reason),
    ].filter(Boolean),
    verb: history ? 'Keep history' : 'Change',
    act: async () => {
      const change = changed(inputs, tube, hasDefaults, hasStrict && isStrict(strict));
      await patch(path('tubes', tube.name), {
        ...change,
        reason: required(reason, 'A change needs a reason.'),
      });
      done();
      return `Changed: tube ${tube.name}.`;
    },
  });
}

/**
 * Returns the inputs of the limits of takes.
 *
 * @param {{maxTaken?: number, maxRate?: number, ratePeriod?: string}} tube
 */
export function limitInputs({maxTaken, maxRate, ratePeriod}) {
  const text = (value, placeholder) =>
    el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', value, placeholder});
  return {
    maxTaken: text(String(maxTaken ?? ''), 'no limit'),
    maxRate: text(String(maxRate ?? ''), 'no limit'),
    ratePeriod: text(typedOf(ratePeriod), '1s'),
  };
}

/** Returns the fields of the limits of takes. */
export function limitFields(inputs) {
  return el(
    'div',
    {class: 'columns'},
    field('Most TAKEN', inputs.maxTaken, 'on all servers together'),
    field('Most takes', inputs.maxRate, 'in each window of the period'),
    field('Period', inputs.ratePeriod),
  );
}

/**
 * Returns the limits of takes that differ, as the API takes them: 0 for no limit.
 *
 * @param {Object} inputs
 * @param {{maxTaken?: number, maxRate?: number, ratePeriod?: string}} tube
 */
export function changedLimits(inputs, tube) {
  const given = (input, name) => (input.value.trim() === '' ? 0 : wholeNumber(input, name));
  const change = {};
  const maxTaken = given(inputs.maxTaken, 'most TAKEN');
  if (maxTaken !== (tube.maxTaken ?? 0)) {
    change.maxTaken = maxTaken;
  }
  const maxRate = given(inputs.maxRate, 'most takes');
  const isSamePeriod = maxRate === 0 || inputs.ratePeriod.value.trim() === typedOf(tube.ratePeriod);
  if (maxRate !== (tube.maxRate ?? 0) || !isSamePeriod) {
    change.maxRate = maxRate;
    if (maxRate > 0) {
      change.ratePeriod = durationOf(inputs.ratePeriod, 'period');
    }
  }
  return change;
}

/** Returns the choice of strict order. */
export function strictBox(checked) {
  const box = el('input', {type: 'checkbox', id: 'f-strict', checked: Boolean(checked)});
  return el(
    'div',
    {class: 'row'},
    box,
    el('label', {for: 'f-strict'}, 'Strict order: a task that failed holds the later ones of its sub-queue'),
  );
}

/** @param {HTMLElement} choice */
export function isStrict(choice) {
  return choice.querySelector('input').checked;
}

function inputsOf(tube, history) {
  const text = (value, placeholder) =>
    el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', value, placeholder});
  const present = {pri: String(tube.pri ?? 0)};
  ['ttl', 'ttr', 'delay'].forEach((name) => {
    present[name] = typedOf(tube[name]);
  });
  return {
    ...Object.fromEntries(DEFAULTS.map(([name, , placeholder]) => [name, text(present[name], placeholder)])),
    history: select(HISTORIES, history),
    historyRetention: text(typedOf(tube.historyRetention), '7d'),
    searchable: text((tube.searchable || []).join(', '), 'customer.id, order'),
    ...limitInputs(tube),
  };
}

/** Returns the members that differ; throws if none does. */
function changed(inputs, tube, hasDefaults, strict) {
  const change = {};
  const durations = [...(hasDefaults ? ['ttl', 'ttr', 'delay'] : []), 'historyRetention'];
  durations
    .filter((name) => inputs[name].value.trim() !== typedOf(tube[name]))
    .forEach((name) => {
      change[name] = durationOf(inputs[name], name === 'historyRetention' ? 'time' : name);
    });
  if (hasDefaults && inputs.pri.value.trim() !== String(tube.pri ?? 0)) {
    change.pri = wholeNumber(inputs.pri, 'priority');
  }
  if (inputs.history.value !== String(tube.history || 'OFF').toUpperCase()) {
    change.history = inputs.history.value;
  }
  const searchable = fieldsOf(inputs.searchable);
  if (searchable.join() !== (tube.searchable || []).join()) {
    change.searchable = searchable;
  }
  Object.assign(change, changedLimits(inputs, tube));
  if (strict !== Boolean(tube.strict)) {
    change.strict = strict;
  }
  if (Object.keys(change).length === 0) {
    throw Object.assign(new Error('All values are as before.'), {title: 'Nothing to change.'});
  }
  return change;
}
