// Lets a sub-queue go on that a failed task holds.

import {path, post} from '../data/api.js';
import {hasRight} from '../data/session.js';
import {field, openDialog, reasonInput, required} from '../ui/dialog.js';
import {el} from '../ui/html.js';

/** Returns the button on the page of a task whose sub-queue is held; null without the right. */
export function letGoButton(task, done) {
  return (
    hasRight('OPERATE', task.tube) &&
    el(
      'button',
      {type: 'button', 'data-act': 'let-go', on: {click: () => openLetGo(task, done)}},
      'Let go on…',
    )
  );
}

function openLetGo({tube, utube, why}, done) {
  const reason = reasonInput();
  openDialog({
    title: `Let sub-queue ${utube} go on`,
    subject: [
      el(
        'p',
        {},
        `The later tasks of sub-queue ${utube} no longer wait for task ${why.heldBy}, which has failed. That one stays as it is, and loses its place.`,
      ),
    ],
    fields: [field('Reason', reason)],
    verb: 'Let go on',
    act: async () => {
      const {number} = await post(`${path('tubes', tube)}/let-go`, {
        utube,
        reason: required(reason, 'An act needs a reason.'),
      });
      done();
      return number === 0 ? `Nothing holds sub-queue ${utube}.` : `Let go on: sub-queue ${utube}.`;
    },
  });
}
