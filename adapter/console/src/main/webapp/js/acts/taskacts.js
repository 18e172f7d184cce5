// The acts on tasks: on one, or on the selected ones.

import {path, post} from '../data/api.js';
import {count, number} from '../data/format.js';
import {taskHref} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {durationOf} from '../data/typed.js';
import {openDialog, field, reasonInput, required} from '../ui/dialog.js';
import {el, icon} from '../ui/html.js';
import {note, stateTag} from '../ui/parts.js';

const AT_ONCE = 4;
const MOST_NAMED = 10;

/** The acts by their names in the API, with the states that they fit, in the order of the buttons. */
export const ACTS = [
  {
    name: 'dig',
    label: 'Retry',
    states: ['buried'],
    main: true,
    text: 'The task becomes READY in its old place. Its attempts count from 0 again.',
  },
  {
    name: 'release',
    label: 'Release',
    states: ['taken'],
    text: 'The task becomes READY in its old place. If its holder still works on it, the holder’s ack fails.',
    fields: ['delay'],
  },
  {
    name: 'requeue',
    label: 'Requeue',
    states: ['taken'],
    text: 'The task becomes READY at the end of its priority. If its holder still works on it, the holder’s ack fails.',
  },
  {
    name: 'touch',
    label: 'Touch',
    states: ['taken'],
    text: 'The holder’s deadline and the ttl grow by the increment.',
    fields: ['increment'],
  },
  {name: 'done', label: 'Mark done', states: ['taken'], text: 'The task is DONE, as by an ack with a result, which is kept for its ttl.'},
  {
    name: 'bury',
    label: 'Bury',
    states: ['ready', 'delayed', 'taken'],
    text: 'The task is set aside until it is retried. Its ttl continues.',
  },
  {
    name: 'cancel',
    label: 'Cancel',
    states: ['taken'],
    text: 'The task’s holder is asked to end it. If its bean fails or its server dies, the task is removed and not retried.',
  },
  {
    name: 'delete',
    label: 'Delete',
    states: ['ready', 'delayed', 'taken', 'buried', 'done'],
    danger: true,
    text: 'The task is gone for ever. If it is TAKEN, its holder’s ack fails.',
  },
];

/** Returns the acts that fit at least one of these tasks, each with the tasks that it fits; none without the right. */
export function actsFor(tasks) {
  const own = tasks.filter((task) => hasRight('OPERATE', task.tube));
  return ACTS.map((act) => ({act, tasks: own.filter((task) => act.states.includes(task.state))})).filter(
    (found) => found.tasks.length > 0,
  );
}

/** Returns the buttons of the acts that fit these tasks. `done` is called after each act. */
export function actButtons(tasks, done) {
  return actsFor(tasks).map(({act, tasks: fitting}) =>
    el(
      'button',
      {
        type: 'button',
        class: [act.main && 'primary', act.danger && 'danger'].filter(Boolean).join(' '),
        'data-act': act.name,
        on: {click: () => openAct(act, fitting, tasks.length, done)},
      },
      `${act.label}${tasks.length > 1 ? ` ${number(fitting.length)}` : ''}…`,
    ),
  );
}

function openAct(act, tasks, selected, done) {
  const reason = reasonInput();
  const inputs = Object.fromEntries(
    (act.fields || []).map((name) => [
      name,
      el('input', {type: 'text', placeholder: name === 'delay' ? '0s' : '1m', autocomplete: 'off'}),
    ]),
  );
  openDialog({
    title: `${act.label} ${tasks.length === 1 ? `task ${tasks[0].id}` : count(tasks.length, 'task')}`,
    subject: [
      subject(tasks),
      el(
        'p',
        {},
        act.text
          .replace(/^The task is/, tasks.length > 1 ? 'Each task is' : 'The task is')
          .replace(/^The task becomes/, tasks.length > 1 ? 'Each task becomes' : 'The task becomes'),
      ),
      tasks.length < selected &&
        note(
          'info',
          `${count(selected - tasks.length, 'selected task')} in another state ${selected - tasks.length === 1 ? 'is' : 'are'} left out.`,
        ),
    ],
    fields: [
      ...Object.entries(inputs).map(([name, input]) =>
        field(name === 'delay' ? 'Delay' : 'Increment', input, 'Such as 500ms, 1.5s, 10m, 2h or 1d'),
      ),
      field('Reason', reason),
    ],
    verb: tasks.length === 1 ? act.label : `${act.label} ${count(tasks.length, 'task')}`,
    danger: act.danger,
    act: async (progress, closed) => {
      const body = {reason: required(reason, 'An act needs a reason.'), ...durations(inputs)};
      const {refused, begun} = await onEach(
        tasks,
        (task) => post(`${path('tasks', task.tube, task.id)}/${act.name}`, body),
        progress,
        closed,
      );
      done();
      return outcome(act, tasks.slice(0, begun), refused, tasks.length - begun);
    },
  });
}

function subject(tasks) {
  const tubes = [...new Set(tasks.map((task) => task.tube))];
  return [
    el(
      'p',
      {},
      tubes.length === 1 ? 'Tube ' : 'Tubes ',
      tubes.slice(0, 5).map((tube, i) => [i > 0 && ', ', el('b', {}, tube)]),
      tubes.length > 5 && ` and ${tubes.length - 5} more`,
    ),
    el(
      'ul',
      {class: 'chips'},
      tasks
        .slice(0, MOST_NAMED)
        .map((task) => el('li', {class: 'chip'}, el('code', {}, task.id), ' ', stateTag(task.state))),
      tasks.length > MOST_NAMED &&
        el('li', {class: 'chip soft'}, `and ${number(tasks.length - MOST_NAMED)} more`),
    ),
  ];
}

function durations(inputs) {
  const set = Object.entries(inputs).filter(([, input]) => input.value.trim() !== '');
  return Object.fromEntries(set.map(([name, input]) => [name, durationOf(input, name)]));
}

/**
 * Calls a function for each task, a few at a time, until the dialog is closed or the session has ended. Returns the
 * refused ones with their problems, and how many were begun.
 */
async function onEach(tasks, call, progress, closed) {
  const refused = [];
  let signedOut = false;
  let next = 0;
  let ended = 0;
  const worker = async () => {
    while (next < tasks.length && !closed.aborted && !signedOut) {
      const task = tasks[next++];
      await call(task).catch((problem) => {
        signedOut ||= problem.status === 401;
        refused.push({task, problem});
      });
      ended++;
      progress(`${number(ended)} of ${number(tasks.length)}`, ended / tasks.length);
    }
  };
  await Promise.all(Array.from({length: Math.min(AT_ONCE, tasks.length)}, worker));
  return {refused, begun: next};
}

/** @param {number} left how many were not begun, because the dialog was closed or the session has ended */
function outcome(act, tasks, refused, left) {
  const done = tasks.length - refused.length;
  if (refused.length === 0 && left === 0) {
    return tasks.length === 1
      ? `${act.label}: task ${tasks[0].id}.`
      : `${act.label}: ${count(done, 'task')}.`;
  }
  if (tasks.length === 1 && left === 0) {
    throw refused[0].problem;
  }
  return el(
    'div',
    {class: 'stack tight'},
    note(
      done > 0 ? 'warn' : 'bad',
      el(
        'b',
        {},
        `${count(done, 'task')} done, ${number(refused.length)} refused${left > 0 ? `, ${number(left)} not begun` : ''}.`,
      ),
    ),
    el(
      'ul',
      {class: 'refused'},
      refused
        .slice(0, 50)
        .map(({task, problem}) =>
          el(
            'li',
            {},
            el('a', {href: taskHref(task.tube, task.id)}, `${task.tube} / ${task.id}`),
            ' ',
            el('span', {class: 'soft'}, problem.message),
          ),
        ),
    ),
    refused.length > 50 &&
      el('p', {class: 'faint'}, icon('info'), ` and ${number(refused.length - 50)} more`),
  );
}
