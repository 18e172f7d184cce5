// The acts on a schedule: run now, pause, resume, remove.

import {path, post, remove} from '../data/api.js';
import {refreshNow} from '../data/live.js';
import {taskHref} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {field, openDialog, reasonInput, required} from '../ui/dialog.js';
import {el} from '../ui/html.js';

/** Returns the button that puts a task of the schedule now. */
export function runButton(schedule) {
  return (
    hasRight('OPERATE') &&
    el(
      'button',
      {type: 'button', 'data-act': 'run', on: {click: () => openRun(schedule)}},
      'Run now…',
    )
  );
}

/** Returns the buttons that pause, resume and remove a schedule, as far as the user may. */
export function scheduleButtons(schedule) {
  return [
    hasRight('OPERATE') &&
      (schedule.pausedSince
        ? el('button', {type: 'button', 'data-act': 'resume', on: {click: () => openResume(schedule)}}, 'Resume…')
        : el('button', {type: 'button', 'data-act': 'pause', on: {click: () => openPause(schedule)}}, 'Pause…')),
    hasRight('ADMIN') &&
      el('button', {type: 'button', 'data-act': 'remove', on: {click: () => openRemove(schedule)}}, 'Remove…'),
  ];
}

function openRun({name, tube}) {
  openDialog({
    title: `Run ${name} now`,
    subject: el('p', {}, `Puts one task into tube ${tube}. The next fire stays as it is.`),
    verb: 'Run now',
    act: async () => {
      const {id} = await post(`${path('schedules', name)}/run`);
      refreshNow();
      return el('span', {}, 'Put: task ', el('a', {href: taskHref(tube, id)}, id), '.');
    },
  });
}

function openPause({name}) {
  const reason = reasonInput();
  openDialog({
    title: `Pause ${name}`,
    subject: el('p', {}, 'Its fires put no task until it is resumed, also after a deployment.'),
    fields: [field('Reason', reason)],
    verb: 'Pause',
    act: async () => {
      await post(`${path('schedules', name)}/pause`, {reason: required(reason, 'A pause needs a reason.')});
      refreshNow();
      return `Paused: ${name}.`;
    },
  });
}

function openResume({name}) {
  openDialog({
    title: `Resume ${name}`,
    subject: el('p', {}, 'It goes on with its next fire. The fires during the pause put nothing.'),
    verb: 'Resume',
    act: async () => {
      await post(`${path('schedules', name)}/resume`);
      refreshNow();
      return `Resumed: ${name}.`;
    },
  });
}

function openRemove({name}) {
  openDialog({
    title: `Remove ${name}`,
    subject: el('p', {}, 'The tasks that it has put stay. The next deployment of its application makes it again.'),
    verb: 'Remove',
    danger: true,
    act: async () => {
      await remove(path('schedules', name));
      refreshNow();
      return `Removed: ${name}.`;
    },
  });
}
