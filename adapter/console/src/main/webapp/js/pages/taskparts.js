// The panels of a task's page.

import {quote} from '../data/filter.js';
import {count, isoDuration, number} from '../data/format.js';
import {simpleName} from '../data/model.js';
import {traceLines} from '../data/trace.js';
import {href, taskHref, tubeHref} from '../data/router.js';
import {el} from '../ui/html.js';
import {copyButton, facts, panel} from '../ui/parts.js';
import {dataView} from '../ui/taskdata.js';
import {visible} from '../ui/text.js';
import {exactTime} from '../ui/time.js';

/** Returns the facts of a task. */
export function factsOf(task) {
  const code = (value) => el('code', {class: 'break'}, value);
  return facts([
    ['Tube', el('a', {href: tubeHref(task.tube)}, task.tube)],
    editedFrom(task.headers),
    ['Put', exactTime(task.created)],
    task.takenAt && ['Held since', exactTime(task.takenAt)],
    task.progress?.cancelledAt && [
      'Cancelled',
      el('span', {class: 'break'}, visible(`by ${task.progress.cancelledBy}: ${task.progress.reason}`)),
    ],
    task.event && ['Next deadline', exactTime(task.event)],
    ['Priority', number(task.pri ?? 0)],
    task.utube && [
      'Sub-queue',
      el(
        'a',
        {href: href('tasks', {filter: `tube:${task.tube} utube:${quote(task.utube)}`})},
        code(task.utube),
      ),
    ],
    task.key && ['Unique key', code(task.key)],
    ['Attempts', number(task.attempts || 0)],
    ['Taken', count(task.taken, 'time')],
    ['Buried', count(task.buried, 'time')],
    ['Time to live', isoDuration(task.ttl)],
    ['Time to run', isoDuration(task.ttr)],
    task.server && ['Server', code(task.server)],
    task.session && ['Session', code(task.session)],
  ]);
}

/** Returns the task that an edit has replaced by this one. The adapter sets the header as tube/id. */
function editedFrom(headers) {
  const match = /^([^/]+)\/(\d+)$/.exec((headers || {})['tasktube.edited-from'] || '');
  return match && ['Edited from', el('a', {href: taskHref(match[1], match[2])}, `${match[1]} / ${match[2]}`)];
}

/** Returns the panel of the headers; false if the task has none. */
export function headersPanel(headers) {
  const names = Object.keys(headers || {});
  return (
    names.length > 0 &&
    panel(
      `Headers`,
      el('span', {class: 'faint'}, number(names.length)),
      facts(names.map((name) => [name, el('code', {class: 'break'}, headers[name])])),
    )
  );
}

/** Returns the panel of a result. */
export function resultPanel(result) {
  const view = dataView(result.data, null);
  return panel(`Result: ${String(result.outcome || '').toLowerCase()}`, view.buttons, view.element);
}

/** Returns the panel of the last failure. */
export function failurePanel(task) {
  const {failure} = task;
  const more = el(
    'a',
    {
      href: href('tasks', {
        filter: failure.fingerprint ? `failure:${failure.fingerprint}` : `error:${quote(failure.type)}`,
      }),
    },
    'Tasks with this failure',
  );
  return panel(
    'Last failure',
    more,
    el(
      'div',
      {class: 'stack tight'},
      el(
        'p',
        {class: 'failure break'},
        el('b', {title: failure.type}, simpleName(failure.type)),
        failure.cause && [
          ', caused by ',
          el('b', {title: failure.cause}, simpleName(failure.cause)),
        ],
        failure.message && `: ${visible(failure.message)}`,
      ),
      failure.at && el('p', {class: 'soft'}, 'Failed ', exactTime(failure.at)),
      failure.trace &&
        el(
          'details',
          {open: true},
          el('summary', {}, 'Trace'),
          el('pre', {class: 'code trace', tabindex: '0', 'aria-label': 'Trace'}, traceOf(failure.trace)),
        ),
      failure.trace && el('div', {}, copyButton('Copy trace', failure.trace)),
    ),
  );
}

/** Returns the lines of a trace, in which the frames of the application are marked. */
export function traceOf(trace) {
  return traceLines(trace).map(({text, kind}) =>
    el('span', {class: kind === 'head' ? '' : kind}, visible(text), '\n'),
  );
}
