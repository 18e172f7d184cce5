// The row of a task in a search.

import {bytes, number} from '../data/format.js';
import {failureLine} from '../data/model.js';
import {href, taskHref} from '../data/router.js';
import {el, replace, setText} from '../ui/html.js';
import {cell, rowHead, stateTag} from '../ui/parts.js';
import {visible} from '../ui/text.js';
import {age} from '../ui/time.js';

/** A task's row. */
export class TaskRow {
  constructor(task, selectable, picked) {
    this.task = task;
    this.state = el('span', {});
    this.attempts = el('span', {});
    this.failure = el('span', {class: 'clip'});
    this.put = el('span', {class: 'soft'});
    this.box =
      selectable &&
      el('input', {
        type: 'checkbox',
        'aria-label': `Select task ${task.id} of ${task.tube}`,
        on: {change: () => picked(this.box.checked)},
      });
    const place = [
      task.key && el('span', {class: 'clip', title: `Unique key ${task.key}`}, task.key),
      task.utube && el('span', {class: 'clip soft', title: `Sub-queue ${task.utube}`}, task.utube),
    ];
    this.element = el(
      'tr',
      {role: 'row', tabindex: '-1'},
      this.box && cell('', {class: 'pick'}, this.box),
      rowHead({class: 'name'}, el('a', {href: taskHref(task.tube, task.id), class: 'mono'}, task.id)),
      cell(
        'tube',
        {class: 'tube'},
        el('a', {href: href('tasks', {filter: `tube:${task.tube}`}), class: 'quiet clip'}, task.tube),
      ),
      cell('state', {class: 'state'}, this.state),
      cell('key', {class: 'mono keycell'}, place[0] || place[1] ? place : el('span', {class: 'faint'}, '–')),
      cell('data', {class: 'soft datacell'}, dataOf(task)),
      cell('attempts', {class: 'num'}, this.attempts),
      cell('failure', {class: 'failcell'}, this.failure),
      cell('age', {class: 'num'}, this.put),
    );
    this.update(task);
  }

  update(task) {
    this.task = task;
    if (this.shown !== task.state) {
      this.shown = task.state;
      replace(this.state, stateTag(task.state), (this.progress = el('span', {class: 'part'})));
    }
    replace(this.progress, bar(task.progress));
    setText(this.attempts, number(task.attempts || 0));
    const {failure} = task;
    setText(
      this.failure,
      failure ? visible(failureLine(failure)) : '–',
    );
    this.failure.title = failure ? `${failure.type}${failure.cause ? ` caused by ${failure.cause}` : ''}: ${failure.message || ''}` : '';
    this.failure.classList.toggle('faint', !failure);
    replace(this.put, age(task.created));
  }

  select(on) {
    if (this.box) {
      this.box.checked = on;
    }
    this.element.classList.toggle('selected', on);
  }

  gone(on) {
    this.element.classList.toggle('gone', on);
    return on;
  }
}

/** Returns the bar of a task's progress; null if its holder has not said how far it is. */
export function bar(progress) {
  if (!progress?.at) {
    return null;
  }
  const {done, total, note} = progress;
  const text = total ? `${number(done)} of ${number(total)}` : number(done);
  return [
    total > 0 && el('progress', {max: total, value: done, 'aria-label': `${text} done`}),
    el('span', {class: 'soft'}, text, note && ` ${visible(note)}`),
  ];
}

function dataOf(task) {
  const type = String(task.contentType || '')
    .replace(/^application\//, '')
    .replace(/;.*$/, '');
  const size = `${bytes(Number(task.size) || 0)}${type ? ` ${type}` : ''}`;
  return task.beginning ? el('code', {class: 'clip', title: size}, visible(task.beginning)) : size;
}
