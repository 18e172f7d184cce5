// A new tube.

import {post} from '../data/api.js';
import {refreshNow} from '../data/live.js';
import {takesOption} from '../data/model.js';
import {go, tubeHref} from '../data/router.js';
import {durationOf, fieldsOf, wholeNumber} from '../data/typed.js';
import {field, openDialog, required, select} from '../ui/dialog.js';
import {el} from '../ui/html.js';
import {changedLimits, isStrict, limitFields, limitInputs, strictBox} from './tubechange.js';

const TYPES = [
  ['fifo', 'fifo: first in, first out'],
  ['fifottl', 'fifottl: with priority, ttl, ttr and delay'],
  ['limfifottl', 'limfifottl: like fifottl, with a capacity'],
  ['utube', 'utube: sub-queues, one task at a time each'],
  ['utubettl', 'utubettl: sub-queues with priority, ttl, ttr and delay'],
];

/** Opens the dialog for a new tube. */
export function openCreate() {
  const text = (placeholder) =>
    el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder});
  const inputs = {
    name: text('orders'),
    pri: text('0'),
    ttl: text('infinite'),
    ttr: text('the ttl'),
    delay: text('0s'),
    capacity: text('none'),
    searchable: text('customer.id, order'),
    ...limitInputs({}),
  };
  const type = select(TYPES, 'fifottl');
  const optional = {
    pri: field('Priority', inputs.pri),
    capacity: field('Capacity', inputs.capacity),
    delay: field('Delay', inputs.delay),
    ttl: field('Time to live', inputs.ttl),
    ttr: field('Time to run', inputs.ttr),
  };
  const defaults = el('p', {class: 'faint'}, 'Defaults of the puts. Durations such as 500ms, 1.5s, 10m, 2h or 1d.');
  const strict = strictBox(false);
  const showOptional = () => {
    Object.entries(optional).forEach(([name, element]) => {
      element.hidden = !takesOption({type: type.value}, name);
    });
    defaults.hidden = Object.values(optional).every((element) => element.hidden);
    strict.hidden = !takesOption({type: type.value}, 'utube');
  };
  type.addEventListener('change', showOptional);
  showOptional();
  const temporary = el('input', {type: 'checkbox', id: 'f-temporary'});
  openDialog({
    title: 'New tube',
    subject: [],
    fields: [
      field('Name', inputs.name, '1 to 32 of A-Z a-z 0-9 _ -, first a letter'),
      field('Type', type),
      el(
        'div',
        {class: 'columns'},
        Object.values(optional),
      ),
      defaults,
      field(
        'Searchable fields',
        inputs.searchable,
        'Of JSON data. Searches find their values at once; each costs a row per task.',
      ),
      strict,
      limitFields(inputs),
      el(
        'div',
        {class: 'row'},
        temporary,
        el('label', {for: 'f-temporary'}, 'Temporary: a crash of the database removes its tasks'),
      ),
    ],
    verb: 'Create',
    act: async () => {
      const definition = {
        name: required(inputs.name, 'A tube needs a name.'),
        type: type.value,
        temporary: temporary.checked,
        strict: !strict.hidden && isStrict(strict),
        ...options(inputs, type.value),
        ...changedLimits(inputs, {}),
      };
      await post('tubes', definition);
      go(tubeHref(definition.name));
      refreshNow();
      return `Created: tube ${definition.name}.`;
    },
  });
}

function options(inputs, type) {
  const result = {};
  const given = (name) => takesOption({type}, name) && inputs[name].value.trim() !== '';
  ['pri', 'capacity']
    .filter(given)
    .forEach((name) => {
      result[name] = wholeNumber(inputs[name], name);
    });
  ['ttl', 'ttr', 'delay']
    .filter(given)
    .forEach((name) => {
      result[name] = durationOf(inputs[name], name);
    });
  const searchable = fieldsOf(inputs.searchable);
  return searchable.length === 0 ? result : {...result, searchable};
}
