// The acts on a tube: pause, drain, resume, truncate, drop, and a new tube.

import {path, post, query, remove} from './api.js';
import {durationOf} from './acts.js';
import {field, openDialog, reasonInput, required} from './dialog.js';
import {count, number} from './format.js';
import {el, icon} from './html.js';
import {refreshNow} from './live.js';
import {note} from './parts.js';
import {go, href, tubeHref} from './router.js';
import {hasRight} from './session.js';

const MODES = {
  pause: {
    label: 'Pause',
    icon: 'pause',
    from: ['OPEN', 'DRAINING'],
    text: 'No task is taken or delivered, on all servers and over restarts. Puts go on. Tasks that are held now may end.',
  },
  drain: {
    label: 'Drain',
    icon: 'drain',
    from: ['OPEN', 'PAUSED'],
    text: 'Each put fails, on all servers and over restarts. Takes and deliveries go on until the tube is empty.',
  },
  resume: {
    label: 'Resume',
    icon: 'play',
    from: ['PAUSED', 'DRAINING'],
    text: 'The tube accepts puts and takes again, on all servers.',
  },
};

/** Returns the buttons that change the mode of a tube. */
export function modeButtons(tube) {
  if (!hasRight('OPERATE')) {
    return [];
  }
  return Object.entries(MODES)
    .filter(([, mode]) => mode.from.includes(tube.mode))
    .map(([name, mode]) =>
      el(
        'button',
        {
          type: 'button',
          class: name === 'resume' ? 'primary' : '',
          'data-act': name,
          on: {click: () => openMode(name, mode, tube)},
        },
        icon(mode.icon),
        `${mode.label}…`,
      ),
    );
}

function openMode(name, mode, tube) {
  const reason = reasonInput();
  openDialog({
    title: `${mode.label} tube ${tube.name}`,
    subject: [holding(tube), el('p', {}, mode.text)],
    fields: name === 'resume' ? [] : [field('Reason', reason)],
    verb: `${mode.label} ${tube.name}`,
    act: async () => {
      await post(
        `${path('tubes', tube.name)}/${name}`,
        name === 'resume' ? {} : {reason: required(reason, `A ${name} needs a reason.`)},
      );
      refreshNow();
      return `${mode.label}: tube ${tube.name}.`;
    },
  });
}

function holding(tube) {
  return el(
    'p',
    {},
    'Tube ',
    el('b', {}, tube.name),
    ` has ${count(tube.total ?? 0, 'task')}: ${number(tube.ready)} ready, ${number(tube.taken)} taken.`,
  );
}

/** Returns the buttons of an administrator. */
export function adminButtons(tube) {
  if (!hasRight('ADMIN')) {
    return [];
  }
  return [
    el(
      'button',
      {type: 'button', class: 'danger', 'data-act': 'truncate', on: {click: () => openTruncate(tube)}},
      'Truncate…',
    ),
    el(
      'button',
      {type: 'button', class: 'danger', 'data-act': 'drop', on: {click: () => openDrop(tube)}},
      'Drop…',
    ),
  ];
}

function confirmation(tube) {
  return el('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: tube.name});
}

function checkName(input, tube) {
  if (required(input, 'Type the name of the tube.') !== tube.name) {
    input.setAttribute('aria-invalid', 'true');
    throw Object.assign(new Error(`The name of the tube is ${tube.name}.`), {title: 'Another name.'});
  }
}

function openTruncate(tube) {
  const reason = reasonInput();
  const name = confirmation(tube);
  openDialog({
    title: `Truncate tube ${tube.name}`,
    subject: [
      holding(tube),
      note(
        'bad',
        `All ${count(tube.total ?? 0, 'task')} of the tube are deleted for ever, those that are held included.`,
      ),
    ],
    fields: [field('Name of the tube', name, 'Type it to confirm'), field('Reason', reason)],
    verb: 'Delete all tasks',
    danger: true,
    act: async () => {
      checkName(name, tube);
      await post(`${path('tubes', tube.name)}/truncate`, {
        reason: required(reason, 'A truncate needs a reason.'),
        confirm: tube.name,
      });
      refreshNow();
      return `Truncated: tube ${tube.name}.`;
    },
  });
}

function openDrop(tube) {
  const force = el('input', {type: 'checkbox', id: 'f-force'});
  const name = confirmation(tube);
  openDialog({
    title: `Drop tube ${tube.name}`,
    subject: [
      holding(tube),
      el(
        'p',
        {},
        'The tube is removed with all its tasks. Without force, a tube with TAKEN tasks is refused.',
      ),
    ],
    fields: [
      el('div', {class: 'row'}, force, el('label', {for: 'f-force'}, 'Force: drop it with its TAKEN tasks')),
      field('Name of the tube', name, 'Type it to confirm'),
    ],
    verb: `Drop ${tube.name}`,
    danger: true,
    act: async () => {
      checkName(name, tube);
      await remove(path('tubes', tube.name) + query({force: force.checked ? 'true' : null}));
      go(href(''));
      refreshNow();
      return `Dropped: tube ${tube.name}.`;
    },
  });
}

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
  };
  const type = el(
    'select',
    {},
    TYPES.map(([value, label]) => el('option', {value}, label)),
  );
  type.value = 'fifottl';
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
  return result;
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
