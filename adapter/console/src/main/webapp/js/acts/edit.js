// Edit, and retry: a new task with other data takes the place of an old one. The difference is seen before it is sent.

import {path, post} from '../data/api.js';
import {diff, fold} from '../data/diff.js';
import {count, number} from '../data/format.js';
import {isValue, pieces, tokens} from '../data/json.js';
import {go, taskHref} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {durationOf, wholeNumber} from '../data/typed.js';
import {field, openDialog, reasonInput, required} from '../ui/dialog.js';
import {el, replace} from '../ui/html.js';
import {note, stateTag} from '../ui/parts.js';
import {hexDump} from '../ui/taskdata.js';
import {visible} from '../ui/text.js';

const EDITABLE = ['buried', 'ready', 'delayed'];
const MOST_LINES = 600;
const PAUSE = 200;

/** Returns whether the user can edit a task in its state. */
export function canEdit(task) {
  return hasRight('OPERATE', task.tube) && EDITABLE.includes(task.state);
}

/** Returns what an edit of a task is: only a BURIED one is retried by it. */
export function editLabel({state}) {
  return state === 'buried' ? 'Edit and retry' : 'Edit';
}

/** Opens the dialog for a task that was read whole. `done` is called when the new task is there. */
export function openEdit(task, done) {
  const source = sourceOf(task.data);
  const data = el('textarea', {
    rows: '11',
    spellcheck: 'false',
    value: source.shown,
    disabled: !source.editable,
  });
  source.shown = data.value; // A field has LF for each line end.
  const pri = text(String(task.pri ?? 0));
  const delay = text('', 'none');
  const reason = reasonInput();
  const check = el('p', {class: 'faint', 'aria-live': 'polite'});
  const difference = el('div', {class: 'stack tight'});
  let timer = 0;
  const draw = () => {
    replace(check, source.json ? advice(data.value) : '');
    replace(difference, differenceOf(source.shown, data.value));
  };
  data.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(draw, PAUSE);
  });
  draw();
  openDialog({
    title: `${editLabel(task)} task ${task.id}`,
    subject: subject(task),
    wide: true,
    fields: [
      source.editable ? el('div', {}, field('Data', data), check) : bytesField(source),
      source.editable &&
        !source.json &&
        source.raw.replaceAll(source.ends, '\n') !== source.shown &&
        note('info', 'The text has line ends of several kinds. If you change it, all become LF.'),
      source.editable && difference,
      el('div', {class: 'columns two'}, field('Priority', pri), field('Delay', delay)),
      field('Reason', reason),
    ].filter(Boolean),
    verb: task.state === 'buried' ? 'Retry edited' : 'Put edited',
    opened: () => data.setSelectionRange(0, 0),
    act: async () => {
      const body = {
        ...(source.kept ? {} : {...dataOf(source, data), ...typeOf(task)}),
        ...(pri.value.trim() === String(task.pri ?? 0) ? {} : {pri: wholeNumber(pri, 'priority')}),
        ...(delay.value.trim() === '' ? {} : {delay: durationOf(delay, 'delay')}),
        reason: required(reason, 'An act needs a reason.'),
      };
      const answer = await post(`${path('tasks', task.tube, task.id)}/edit`, body);
      done?.();
      go(taskHref(answer.tube || task.tube, String(answer.id)));
      return `Task ${answer.id} takes the place of task ${task.id}.`;
    },
  });
}

function text(value, placeholder = '') {
  return el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', value, placeholder});
}

/** Returns the data as it is edited: JSON is pretty printed, with all digits of its numbers. */
function sourceOf(data) {
  if (data && data.masked) {
    return {editable: false, kept: 'Values of the data are hidden from you. The new task has the same data.'};
  }
  if (data && data.truncated) {
    return {
      editable: false,
      kept: 'The data is too large to be edited here. The new task has the same; for other data put a new task.',
    };
  }
  if (data && data.size > 0 && typeof data.text !== 'string') {
    return {editable: false, shown: '', hex: (data.hex || '').replace(/\s+/g, '')};
  }
  const raw = (data && data.text) || '';
  const json = /json/i.test((data && data.type) || '');
  const read = json ? tokens(raw) : null;
  return {
    editable: true,
    json,
    raw,
    ends: endsOf(raw),
    shown: read && isValue(read.tokens) ? pretty(read.tokens) : raw,
  };
}

/** Returns the line end of a text: CRLF only if each line has it. */
function endsOf(raw) {
  return raw.includes('\r\n') && !/(?:^|[^\r])\n/.test(raw) ? '\r\n' : '\n';
}

function typeOf({data, contentType}) {
  const type = (data && data.type) || contentType;
  return type ? {contentType: type} : {};
}

function pretty(list) {
  return pieces(list)
    .map((piece) => piece.text)
    .join('');
}

function advice(value) {
  const read = tokens(value);
  return read && isValue(read.tokens)
    ? 'Valid JSON. Numbers keep their digits.'
    : 'This is no valid JSON yet.';
}

/** Data that was not changed is sent as it was, white space included. */
function dataOf(source, input) {
  if (!source.editable) {
    return {
      base64: btoa(
        bytesOf(source.hex)
          .map((b) => String.fromCharCode(b))
          .join(''),
      ),
    };
  }
  if (!source.json) {
    return {data: input.value === source.shown ? source.raw : input.value.replace(/\n/g, source.ends)};
  }
  const read = tokens(input.value);
  if (!read || !isValue(read.tokens)) {
    input.setAttribute('aria-invalid', 'true');
    input.focus();
    throw Object.assign(new Error('The data is no valid JSON. Mend it, then retry.'), {
      title: 'Wrong value.',
    });
  }
  return {data: input.value === source.shown ? source.raw : read.tokens.join('')};
}

function bytesOf(hex) {
  return Array.from({length: hex.length / 2}, (_, i) => parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

function bytesField(source) {
  return source.kept
    ? note('info', source.kept)
    : el(
        'div',
        {class: 'stack tight'},
        el('p', {class: 'faint'}, 'The data is bytes. The new task has the same.'),
        el('pre', {class: 'code', tabindex: '0', 'aria-label': 'Data as hex'}, hexDump(bytesOf(source.hex))),
      );
}

function subject(task) {
  return [
    el(
      'p',
      {},
      'Tube ',
      el('b', {}, task.tube),
      ', task ',
      el('code', {}, task.id),
      ' ',
      stateTag(task.state),
    ),
    el(
      'p',
      {class: 'soft'},
      'A new task is put with this data, and the old one is deleted, both or neither. The new task names the old one in a header.',
    ),
  ];
}

function differenceOf(before, after) {
  const list = diff(before, after);
  const added = list.filter((line) => line.sign === '+').length;
  const removed = list.filter((line) => line.sign === '-').length;
  if (added + removed === 0) {
    return el('p', {class: 'faint'}, 'The data is as before.');
  }
  const rows = fold(list);
  return [
    el('p', {class: 'field-label'}, `Difference: ${count(added, 'line')} added, ${number(removed)} removed`),
    el(
      'pre',
      {class: 'code diff', tabindex: '0', 'aria-label': 'Difference of the data'},
      rows.slice(0, MOST_LINES).map(lineOf),
      rows.length > MOST_LINES &&
        el('span', {class: 'equal'}, `… ${count(rows.length - MOST_LINES, 'row')} more`),
    ),
  ];
}

function lineOf(line) {
  return line.equal
    ? el('span', {class: 'equal'}, `… ${count(line.equal, 'equal line')}\n`)
    : el(
        'span',
        {class: {'+': 'added', '-': 'removed', ' ': 'same'}[line.sign]},
        `${line.sign} ${visible(line.text)}\n`,
      );
}
