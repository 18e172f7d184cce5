// A new tube.

import {post} from '../data/api.js';
import {refreshNow} from '../data/live.js';
import {go, tubeHref} from '../data/router.js';
import {durationOf, fieldsOf, wholeNumber} from '../data/typed.js';
import {field, openDialog, required, select} from '../ui/dialog.js';
import {el} from '../ui/html.js';

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
  };
  const type = select(TYPES, 'fifottl');
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
        field('Priority', inputs.pri),
        field('Capacity', inputs.capacity),
        field('Delay', inputs.delay),
        field('Time to live', inputs.ttl),
        field('Time to run', inputs.ttr),
      ),
      el('p', {class: 'faint'}, 'Defaults of the puts. Durations such as 500ms, 1.5s, 10m, 2h or 1d.'),
      field(
        'Searchable fields',
        inputs.searchable,
        'Of JSON data. Searches find their values at once; each costs a row per task.',
      ),
      el(
        'div',
        {class: 'row'},
        temporary,
        el('label', {for: 'f-temporary'}, 'Temporary: each server keeps its tasks in memory'),
      ),
    ],
    verb: 'Create',
    act: async () => {
      const definition = {
        name: required(inputs.name, 'A tube needs a name.'),
        type: type.value,
        temporary: temporary.checked,
        ...options(inputs),
      };
      await post('tubes', definition);
      go(tubeHref(definition.name));
      refreshNow();
      return `Created: tube ${definition.name}.`;
    },
  });
}

function options(inputs) {
  const result = {};
  ['pri', 'capacity']
    .filter((name) => inputs[name].value.trim() !== '')
    .forEach((name) => {
      result[name] = wholeNumber(inputs[name], name);
    });
  ['ttl', 'ttr', 'delay']
    .filter((name) => inputs[name].value.trim() !== '')
    .forEach((name) => {
      result[name] = durationOf(inputs[name], name);
    });
  const searchable = fieldsOf(inputs.searchable);
  return searchable.length === 0 ? result : {...result, searchable};
}
