// Schedules: what puts a task again and again, its next and last fires, and why fires were skipped.

import {runButton, scheduleButtons} from '../acts/scheduleacts.js';
import {get} from '../data/api.js';
import {count, isoDuration, number, relative} from '../data/format.js';
import * as live from '../data/live.js';
import {taskHref, tubeHref} from '../data/router.js';
import {el, replace, setText} from '../ui/html.js';
import {Keyed} from '../ui/keyed.js';
import {cell, empty, failed, loading, rowHead, table} from '../ui/parts.js';
import {visible} from '../ui/text.js';
import {time} from '../ui/time.js';

const HEADS = [
  'Schedule',
  'Fires',
  'Next',
  'Last',
  {text: 'Put', class: 'num', title: 'Fires that put a task'},
  {text: 'Skipped', class: 'num'},
  {text: 'Acts', hidden: true},
];

const SKIPS = {
  LATE: 'it was too late',
  OVERLAP: 'the task before had not ended',
  NO_TUBE: 'the tube was not there',
  DRAINING: 'the tube was draining',
  FULL: 'the tube was full',
  REFUSED: 'the tube refuses its task; the log has the reason',
};

/** Returns the page. */
export function schedulesPage() {
  const page = new Schedules();
  page.load();
  const end = live.follow(() => page.read(), {every: 2});
  return {
    title: 'Schedules',
    element: page.element,
    leave: () => {
      end();
      page.left.abort();
    },
  };
}

class Schedules {
  constructor() {
    this.left = new AbortController();
    this.sum = el('span', {class: 'soft'});
    this.body = el('div', {}, loading(4));
    this.element = el(
      'div',
      {class: 'stack'},
      el('div', {class: 'page-head'}, el('h1', {}, 'Schedules'), el('span', {class: 'grow'}, this.sum)),
      el('section', {class: 'panel flush'}, this.body),
    );
  }

  /** The page itself shows a problem; the refresh has to know it as well. */
  load() {
    return this.read().catch(() => {});
  }

  async read() {
    try {
      this.draw((await get('schedules', {signal: this.left.signal})).schedules);
    } catch (problem) {
      if (problem.name === 'AbortError' || problem.status === 401) {
        return;
      }
      if (!this.rows) {
        replace(
          this.body,
          failed(problem, () => this.load()),
        );
      }
      throw problem;
    }
  }

  draw(schedules) {
    const paused = schedules.filter((schedule) => schedule.pausedSince).length;
    setText(
      this.sum,
      schedules.length === 0
        ? ''
        : `${count(schedules.length, 'schedule')}${paused > 0 ? `, ${paused} paused` : ''}`,
    );
    if (schedules.length === 0) {
      this.rows = null;
      replace(this.body, empty('No schedules', 'An application makes one by connection.schedule(…).'));
      return;
    }
    if (!this.rows) {
      const t = table('Schedules', HEADS, {class: 'cards'});
      this.rows = new Keyed(t.body, (schedule) => new ScheduleRow(schedule));
      replace(this.body, el('div', {class: 'scroll'}, t.element));
    }
    this.rows.update(schedules, (schedule) => schedule.name);
  }
}

class ScheduleRow {
  constructor(schedule) {
    this.element = el(
      'tr',
      {role: 'row', tabindex: '-1'},
      rowHead({class: 'name'}, el('b', {}, schedule.name), (this.tube = el('div', {class: 'soft'}))),
      (this.times = cell('Fires', {})),
      (this.next = cell('Next', {})),
      (this.last = cell('Last', {}, '–')),
      (this.fires = cell('Put', {class: 'num'})),
      (this.skipped = cell('Skipped', {class: 'num'})),
      (this.acts = cell('Acts', {class: 'num'})),
    );
    this.update(schedule);
  }

  /** Redraws what has changed only: a button keeps the focus, and what is unfolded stays so. */
  update(schedule) {
    const before = this.shown || {};
    this.shown = schedule;
    const differs = (...names) =>
      names.some((name) => JSON.stringify(schedule[name]) !== JSON.stringify(before[name]));
    if (differs('tube', 'cron', 'zone', 'period', 'overlap', 'skipIfLateBy')) {
      replace(this.tube, 'into ', el('a', {href: tubeHref(schedule.tube)}, schedule.tube));
      replace(this.times, ...timesOf(schedule));
    }
    if (differs('upcoming', 'zone', 'pausedSince', 'pausedReason')) {
      const open = this.next.querySelector('details')?.open;
      replace(this.next, ...nextOf(schedule));
      const details = this.next.querySelector('details');
      if (details) {
        details.open = Boolean(open);
      }
    }
    const until = this.next.querySelector('.until');
    if (until) {
      setText(until, ` ${relative(schedule.upcoming[0])}`);
    }
    if (differs('last', 'lastTask')) {
      replace(
        this.last,
        schedule.last ? el('a', {href: taskHref(schedule.tube, schedule.lastTask)}, time(schedule.last)) : '–',
      );
    }
    setText(this.fires, number(schedule.fires));
    if (differs('skipped', 'skipReason', 'skipAt')) {
      replace(
        this.skipped,
        number(schedule.skipped),
        schedule.skipReason &&
          el('div', {class: 'soft'}, time(schedule.skipAt), `: ${SKIPS[schedule.skipReason] || schedule.skipReason}`),
      );
    }
    if (differs('name', 'tube', 'pausedSince')) {
      replace(this.acts, runButton(schedule), scheduleButtons(schedule));
    }
  }
}

function timesOf({cron, zone, period, overlap, skipIfLateBy}) {
  const more = [
    overlap && 'also while the task before has not ended',
    skipIfLateBy && `skipped if late by ${isoDuration(skipIfLateBy)}`,
  ].filter(Boolean);
  return [
    cron ? el('code', {}, cron) : `every ${isoDuration(period)}`,
    el('div', {class: 'soft'}, [zone, ...more].filter(Boolean).join(', ')),
  ];
}

/** Returns the next fires by the browser's time, and in the zone of the schedule where that is another. */
function nextOf({upcoming, zone, pausedSince, pausedBy, pausedReason}) {
  if (pausedSince) {
    return [
      el('span', {class: 'tag warn'}, 'Paused'),
      el('div', {class: 'soft'}, time(pausedSince), ` by ${visible(pausedBy)}: ${visible(pausedReason)}`),
    ];
  }
  const [first, ...others] = upcoming;
  return [
    el('div', {}, time(first), el('span', {class: 'faint until'}, ` ${relative(first)}`)),
    zone && el('div', {class: 'soft'}, inZone(first, zone)),
    el(
      'details',
      {},
      el('summary', {}, `${others.length} more`),
      others.map((at) => el('div', {}, time(at), zone && el('span', {class: 'soft'}, ` ${inZone(at, zone)}`))),
    ),
  ];
}

function inZone(iso, zone) {
  try {
    const form = new Intl.DateTimeFormat(undefined, {timeZone: zone, dateStyle: 'medium', timeStyle: 'medium'});
    return `${form.format(Date.parse(iso))} ${zone}`;
  } catch (e) {
    return zone; // The browser does not know it
  }
}
