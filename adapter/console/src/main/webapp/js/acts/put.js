// Put by hand.

import {path, post} from '../data/api.js';
import {isValue, tokens} from '../data/json.js';
import {refreshNow} from '../data/live.js';
import {takesOption} from '../data/model.js';
import {taskHref} from '../data/router.js';
import {durationOf, wholeNumber} from '../data/typed.js';
import {field, openDialog, required, select} from '../ui/dialog.js';
import {el, replace} from '../ui/html.js';

/** Opens the dialog that puts a task into a tube. `from` has data and options to begin with. */
export function openPut(tube, from = {}) {
  const text = (placeholder, value = '') =>
    el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder, value});
  const inputs = {
    data: el('textarea', {rows: '9', spellcheck: 'false', value: from.data ?? ''}),
    contentType: select(
      [
        ['application/json', 'JSON'],
        ['text/plain', 'Text'],
      ],
      from.contentType || 'application/json',
    ),
    onConflict: select(
      [
        ['KEEP', 'keep the existing task'],
        ['REPLACE', 'replace it'],
        ['FAIL', 'refuse this put'],
      ],
      'KEEP',
    ),
    headers: el('textarea', {rows: '2', spellcheck: 'false', placeholder: 'name: value'}),
    pri: text('of the tube'),
    delay: text('of the tube'),
    ttl: text('of the tube'),
    ttr: text('of the tube'),
    utube: text('none'),
    key: text('none'),
  };
  // A field has LF for each line end. Data that was not changed is sent as it was.
  const shown = inputs.data.value;
  const data = () => (inputs.data.value === shown ? (from.data ?? '') : inputs.data.value);
  const check = el('p', {class: 'faint', 'aria-live': 'polite'});
  const verify = () => replace(check, advice(inputs));
  inputs.data.addEventListener('input', verify);
  inputs.contentType.addEventListener('change', verify);
  verify();
  openDialog({
    title: `Put a task into ${tube.name}`,
    subject: [],
    wide: true,
    verb: 'Put',
    fields: fieldsOf(tube, inputs, check),
    act: async () => {
      const answer = await post(`${path('tubes', tube.name)}/tasks`, {...bodyOf(inputs), data: data()});
      refreshNow();
      const id = answer && (answer.id ?? (answer.task && answer.task.id));
      return id === undefined || id === null
        ? `Put: a task into ${tube.name}.`
        : placed(tube.name, String(id));
    },
  });
}

/** A field of an option that the type of the tube refuses is not there. */
function fieldsOf(tube, inputs, check) {
  const optional = (option, label) => takesOption(tube, option) && field(label, inputs[option]);
  return [
    el('div', {}, field('Data', inputs.data), check),
    el(
      'div',
      {class: 'columns'},
      field('Content type', inputs.contentType),
      optional('pri', 'Priority'),
      optional('delay', 'Delay'),
      optional('ttl', 'Time to live'),
      optional('ttr', 'Time to run'),
      optional('utube', 'Sub-queue'),
    ),
    el(
      'div',
      {class: 'columns two'},
      field('Unique key', inputs.key),
      field('If a task has this key', inputs.onConflict),
    ),
    field('Headers', inputs.headers, 'One per line'),
  ];
}

function advice(inputs) {
  const data = inputs.data.value;
  if (inputs.contentType.value !== 'application/json' || data.trim() === '') {
    return '';
  }
  const read = tokens(data);
  return read && isValue(read.tokens)
    ? 'Valid JSON. Numbers keep their digits.'
    : 'This is no valid JSON yet.';
}

function bodyOf(inputs) {
  const body = {
    data: inputs.data.value,
    contentType: inputs.contentType.value,
  };
  if (body.contentType === 'application/json') {
    required(
      inputs.data,
      'JSON has at least one value. For a task without data, choose the content type Text.',
    );
  }
  if (body.contentType === 'application/json' && advice(inputs).startsWith('This')) {
    inputs.data.focus();
    throw Object.assign(new Error('The data is no valid JSON. Mend it, or choose the content type Text.'), {
      title: 'Wrong value.',
    });
  }
  ['utube', 'key'].forEach((name) => set(body, name, inputs[name].value.trim()));
  ['ttl', 'ttr', 'delay']
    .filter((name) => inputs[name].value.trim() !== '')
    .forEach((name) => set(body, name, durationOf(inputs[name], name)));
  if (inputs.pri.value.trim() !== '') {
    body.pri = wholeNumber(inputs.pri, 'priority');
  }
  if (body.key) {
    body.onConflict = inputs.onConflict.value;
  }
  return {...body, ...headersOf(inputs.headers)};
}

function set(body, name, value) {
  if (value !== '') {
    body[name] = value;
  }
}

function headersOf(input) {
  const lines = input.value.split('\n').filter((line) => line.trim() !== '');
  const wrong = lines.find((line) => !/^[^:]+:/.test(line));
  if (wrong !== undefined) {
    input.focus();
    throw Object.assign(new Error(`'${wrong}' is no header; write name: value.`), {title: 'Wrong value.'});
  }
  return lines.length === 0
    ? {}
    : {
        headers: Object.fromEntries(
          lines.map((line) => {
            const at = line.indexOf(':');
            return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
          }),
        ),
      };
}

function placed(tube, id) {
  return el(
    'p',
    {class: 'note good'},
    el('span', {}, 'Put as task ', el('a', {href: taskHref(tube, id)}, id), '.'),
  );
}
