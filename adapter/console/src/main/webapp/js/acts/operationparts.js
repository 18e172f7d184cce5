// What the list of operations and the page of one share.

import {get, path, post} from '../data/api.js';
import {tubesNamed} from '../data/filter.js';
import {count, number} from '../data/format.js';
import {refreshNow} from '../data/live.js';
import {hasRight} from '../data/session.js';
import {field, openDialog, reasonInput, required} from '../ui/dialog.js';
import {el, icon, setText} from '../ui/html.js';
import {visible} from '../ui/text.js';
import {OPERATION_ACTS} from './operationstart.js';

const TONES = {WAITING: 'delayed', RUNNING: 'ready', DONE: 'done', CANCELLED: '', STOPPED: 'taken', FAILED: 'buried'};
const ENDED = new Set(['DONE', 'CANCELLED', 'STOPPED', 'FAILED']);

/** Returns an act's name in words. */
export function actLabel(act) {
  return OPERATION_ACTS[act] ? OPERATION_ACTS[act].label : String(act).toLowerCase();
}

/** Returns the tag of an operation's state. */
export function operationTag(state) {
  return el('span', {class: `tag ${TONES[state] || ''}`}, String(state).toLowerCase());
}

/** Returns whether an operation has ended. */
export function hasEnded(operation) {
  return ENDED.has(operation.state);
}

/** Returns the share of an operation that is done, from 0 to 1. */
export function shareOf(operation) {
  if (operation.state === 'DONE' || operation.state === 'STOPPED') {
    return 1;
  }
  return operation.expected > 0 ? Math.min(1, (operation.looked || 0) / operation.expected) : 0;
}

/** Returns the progress of an operation in words. */
export function progressText(operation) {
  const looked = number(operation.looked || 0);
  return operation.state === 'DONE' ? `${looked} looked at` : `${looked} of ${confirmedText(operation)}`;
}

/** Returns the number that the user has confirmed, in words. */
export function confirmedText({expected, isLeast}) {
  return `${isLeast ? 'at least ' : ''}${number(expected)}`;
}

/** Returns the button that cancels an operation; null if it has ended, or without the right. */
export function cancelButton(operation, done = refreshNow) {
  return hasRight('OPERATE', tubesNamed(operation.filter)) && !hasEnded(operation)
    ? el(
        'button',
        {
          type: 'button',
          class: 'danger',
          'data-act': 'cancel',
          on: {click: () => openCancel(operation, done)},
        },
        icon('stop'),
        'Cancel…',
      )
    : null;
}

function openCancel(operation, done) {
  const reason = reasonInput();
  const changed = el('b', {'aria-live': 'polite'}, 'tasks');
  get(path('operations', String(operation.id))).then(
    (now) => setText(changed, count(now.changed || 0, 'task')),
    () => {},
  );
  openDialog({
    title: `Cancel operation ${operation.id}`,
    subject: [
      el('p', {}, `${actLabel(operation.act)}: `, el('code', {class: 'break'}, visible(operation.filter))),
      el(
        'p',
        {},
        'It ends after the batch that is at work. The ',
        changed,
        ' that it has changed stay changed.',
      ),
    ],
    fields: [field('Reason', reason)],
    verb: 'Cancel the operation',
    danger: true,
    act: async () => {
      await post(`${path('operations', String(operation.id))}/cancel`, {
        reason: required(reason, 'A cancel needs a reason.'),
      });
      done();
      return `Cancelled: operation ${operation.id}.`;
    },
  });
}
