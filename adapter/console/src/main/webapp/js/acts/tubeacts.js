// The acts on a tube: pause, drain, resume, truncate, drop, and a new tube.

import {path, post, query, remove} from '../data/api.js';
import {count, number} from '../data/format.js';
import {refreshNow} from '../data/live.js';
import {STATES} from '../data/model.js';
import {go, href} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {field, openDialog, reasonInput, required} from '../ui/dialog.js';
import {el, icon} from '../ui/html.js';
import {note} from '../ui/parts.js';
import {openChange} from './tubechange.js';

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
  if (!hasRight('OPERATE', tube.name)) {
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
          on: {click: () => openMode(name, tube)},
        },
        icon(mode.icon),
        `${mode.label}…`,
      ),
    );
}

/** Opens the dialog that pauses, drains or resumes a tube. */
export function openMode(name, tube) {
  const mode = MODES[name];
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
  const states = STATES.filter((state) => tube[state] > 0).map((state) => `${number(tube[state])} ${state}`);
  return el(
    'p',
    {},
    'Tube ',
    el('b', {}, tube.name),
    ` has ${count(tube.total ?? 0, 'task')}${states.length > 0 ? `: ${states.join(', ')}` : ''}.`,
  );
}

/** Returns the buttons of an administrator. */
export function adminButtons(tube) {
  if (!hasRight('ADMIN', tube.name)) {
    return [];
  }
  return [
    el(
      'button',
      {type: 'button', 'data-act': 'change', on: {click: () => openChange(tube)}},
      icon('edit'),
      'Change…',
    ),
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
      field('Name of the tube', name, 'Type it to confirm'),
      el('div', {class: 'row'}, force, el('label', {for: 'f-force'}, 'Force: drop it with its TAKEN tasks')),
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
