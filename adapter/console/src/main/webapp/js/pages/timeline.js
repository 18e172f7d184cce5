// The timeline of a task: from its history, and without one from the task's own facts.

import {openChange} from '../acts/tubechange.js';
import {get, path, query} from '../data/api.js';
import {count, duration, now, number, relative} from '../data/format.js';
import {simpleName} from '../data/model.js';
import {href, taskHref} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {entries, merge, words} from '../data/timelines.js';
import {el, icon, replace} from '../ui/html.js';
import {note, panel} from '../ui/parts.js';
import {visible} from '../ui/text.js';
import {time} from '../ui/time.js';
import {traceOf} from './taskparts.js';

const LIMIT = 100;
const MOST_LINKS = 6;
const DEADLINES = {
  delayed: 'The delay is over: READY',
  taken: 'The ttr is over: READY again',
  ready: 'The ttl is over: gone',
  buried: 'The ttl is over: gone',
  done: 'The result’s ttl is over: gone',
};

/** The timeline of a task. */
export class Timeline {
  constructor(tube, id, signal) {
    this.tube = tube;
    this.id = id;
    this.signal = signal;
    this.events = [];
    this.task = null;
    this.extra = el('span', {class: 'faint'});
    this.list = el('ol', {class: 'timeline'});
    this.below = el('div', {class: 'stack tight'});
    this.element = panel('Timeline', this.extra, this.list, this.below);
  }

  /** Reads the history from the last page on. Returns whether there are events; an unknown history has none. */
  async load() {
    try {
      const answer = await this.call(this.from);
      this.answer = {...answer, parent: answer.parent || (this.answer && this.answer.parent)};
      this.next = answer.next || null;
      this.events = merge(this.events, answer.events || []);
      this.lost = null;
    } catch (problem) {
      if (problem.name === 'AbortError') {
        throw problem;
      }
      this.lost = problem.status === 404 ? null : problem;
    }
    this.draw();
    return this.events.length > 0;
  }

  call(from) {
    const address = `${path('tasks', this.tube, this.id)}/history${query({limit: LIMIT, from})}`;
    return get(address, {signal: this.signal});
  }

  /** Returns for how long the tube keeps the history, as ISO-8601; null if that is not known. */
  retention() {
    return (this.answer && this.answer.retention) || null;
  }

  /** Returns the last event; undefined if it is not read yet, or the history does not have the end of the task. */
  last() {
    const last = this.next ? undefined : this.events.at(-1);
    return last && !last.to ? last : undefined;
  }

  /** Sets the task as it is now; null if it is gone. */
  show(task) {
    this.task = task;
    this.draw();
  }

  draw() {
    const {answer, task} = this;
    const key = JSON.stringify([
      this.events,
      this.next,
      task && [task.state, task.event, task.takenAt, task.failure?.at],
      answer?.puts,
      this.lost?.message,
    ]);
    const open =
      this.list.matches(':hover, :focus-within') || this.list.querySelector('details[open]') !== null;
    if (key === this.shown && (open || Date.now() - this.drawn < 1_500)) {
      return;
    }
    this.shown = key;
    this.drawn = Date.now();
    const holds = task && task.state === 'taken' && !this.next;
    const list = entries(this.events, answer && answer.puts, holds ? now() : null);
    const shown = this.events.length === 0 ? this.plain() : list.map((entry) => this.entry(entry));
    replace(this.list, shown, this.coming());
    replace(
      this.extra,
      this.events.length > 0 && count(this.events.length, 'event') + (this.next ? ' so far' : ''),
    );
    replace(
      this.below,
      this.more(),
      this.lost && note('warn', `The history cannot be read: ${this.lost.message}`),
      this.hint(),
      hasRight('OPERATE') &&
        el('p', {}, el('a', {href: href('audit', {task: this.id})}, 'What operators did, and why')),
    );
  }

  /** Returns what the task itself says, for a tube that keeps no history. */
  plain() {
    const {task} = this;
    return (
      task && [
        item('', 'Put', task.created, this.parent()),
        task.failure?.at &&
          item('bad', [el('span', {class: 'bad-text'}, 'Failed'), ' the last time'], task.failure.at),
        task.takenAt &&
          item('now', 'Taken', task.takenAt, task.server && ['on server ', el('b', {}, task.server)]),
      ]
    );
  }

  parent() {
    const parent = this.answer && this.answer.parent;
    return parent && ['by task ', taskLink(parent.tube, parent.id)];
  }

  entry(entry) {
    switch (entry.kind) {
      case 'idle':
        return el('li', {class: 'idle'}, `${entry.word} ${duration(entry.millis)}`);
      case 'touches':
        return item(
          'small',
          entry.number === 1 ? '1 touch' : `${number(entry.number)} touches`,
          entry.at,
          entry.number > 1 && ['the last at ', time(entry.end)],
          entry.until && ['held until ', time(entry.until)],
        );
      case 'puts':
        return item('small', `Put ${count(entry.tasks.length, 'task')}`, entry.at, links(entry.tasks));
      default:
        return this.event(entry);
    }
  }

  event(event) {
    const {failure} = event;
    const title = failure
      ? [el('span', {class: 'bad-text'}, 'Failed'), `, ${words(event).toLowerCase()}`]
      : words(event);
    const tone = failure ? 'bad' : event.runs ? 'now' : TONES[event.event] || '';
    return item(
      tone,
      [
        title,
        event.event === 'TAKE' &&
          event.attempt > 1 &&
          el('span', {class: 'faint'}, ` attempt ${number(event.attempt)}`),
      ],
      event.at,
      event.isPut && this.parent(),
      whoOf(event),
      Number.isFinite(event.took) && [
        event.runs ? 'held for ' : 'worked ',
        el('b', {}, duration(event.took)),
        event.runs && ' so far',
      ],
      event.note,
      failure && failureOf(failure),
    );
  }

  /** Returns the deadline that the task has now. */
  coming() {
    const {task} = this;
    return (
      task &&
      task.event &&
      item('next', DEADLINES[task.state] || 'Deadline', task.event, relative(task.event))
    );
  }

  more() {
    return (
      this.next &&
      el(
        'button',
        {type: 'button', class: 'small', on: {click: (event) => this.readMore(event.currentTarget)}},
        'More events',
      )
    );
  }

  readMore(button) {
    button.disabled = true;
    this.from = this.next;
    this.load().catch(() => {});
  }

  hint() {
    const kept = this.answer && String(this.answer.history || '').toUpperCase();
    if (kept !== 'OFF' && kept !== 'FAILURES') {
      return null;
    }
    const text =
      kept === 'OFF' ? 'The tube keeps no history.' : 'The tube keeps the history of failures only.';
    return el(
      'p',
      {class: 'hint'},
      icon('info'),
      el('span', {class: 'grow'}, text),
      hasRight('ADMIN', this.tube) &&
        el(
          'button',
          {type: 'button', class: 'small', 'data-act': 'keep-history', on: {click: () => this.keep()}},
          'Keep history…',
        ),
    );
  }

  async keep() {
    const tube = await get(path('tubes', this.tube)).catch(() => ({name: this.tube}));
    openChange(tube, {history: 'ALL', done: () => this.load().catch(() => {})});
  }
}

const TONES = {
  ACK: 'good',
  ACK_RESULT: 'good',
  DONE: 'good',
  BURY: 'bad',
  BURY_UNHELD: 'bad',
  TTR: 'bad',
  TTR_OVER: 'bad',
};

function item(tone, title, at, ...details) {
  return el(
    'li',
    {class: tone},
    el('div', {class: 'what'}, el('span', {class: 'grow break'}, title), time(at)),
    details.filter(Boolean).map((detail) => el('div', {class: 'detail break'}, detail)),
  );
}

function whoOf({server, bean, by, event}) {
  const parts = [
    by && ['by ', el('b', {}, visible(by))],
    bean && ['bean ', el('b', {}, visible(bean))],
    server && ['on ', el('b', {}, server)],
  ].filter(Boolean);
  return parts.length > 0 && (event !== 'ACK' || by) && parts.map((part, i) => [i > 0 && ' ', part]);
}

function failureOf({type, message, trace, fingerprint}) {
  const name = el('b', {title: type}, simpleName(type));
  return [
    el(
      'span',
      {class: 'failure'},
      fingerprint
        ? el(
            'a',
            {
              href: href('tasks', {filter: `failure:${fingerprint}`}),
              title: 'Tasks with this kind of failure',
            },
            name,
          )
        : name,
      message && `: ${visible(message)}`,
    ),
    trace &&
      el(
        'details',
        {},
        el('summary', {}, 'Trace'),
        el('pre', {class: 'code trace', tabindex: '0', 'aria-label': 'Trace'}, traceOf(trace)),
      ),
  ];
}

function taskLink(tube, id) {
  return el('a', {href: taskHref(tube, String(id))}, `${tube} / ${id}`);
}

function links(tasks) {
  return [
    tasks.slice(0, MOST_LINKS).map((task, i) => [i > 0 && ', ', taskLink(task.tube, task.id)]),
    tasks.length > MOST_LINKS && ` and ${number(tasks.length - MOST_LINKS)} more`,
  ];
}
