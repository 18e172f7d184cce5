// Tasks: a filter, pages by keyset, a selection with its acts. The whole view is in the address.

import {operationButton} from '../acts/operationstart.js';
import {actButtons} from '../acts/taskacts.js';
import {get, query as queryOf} from '../data/api.js';
import {namesOf, split} from '../data/filter.js';
import {count, duration, number} from '../data/format.js';
import * as live from '../data/live.js';
import {taskOf} from '../data/model.js';
import {searchableFields, theOverview, tubeNames} from '../data/overview.js';
import {go, href, taskHref} from '../data/router.js';
import {hasRightSomewhere} from '../data/session.js';
import {words} from '../data/timelines.js';
import {filterBox} from '../ui/filterbox.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {newsBar} from '../ui/news.js';
import {announce, copyButton, empty, failed, loading, panel, table} from '../ui/parts.js';
import {savedFilters} from '../ui/saved.js';
import {visible} from '../ui/text.js';
import {time} from '../ui/time.js';
import {stateLinks} from './states.js';
import {taskFoot} from './taskfoot.js';
import {TaskRow} from './taskrow.js';

const LIMIT = 50;
const MOST_LOOKED = 1_000;
const MOST_LINKS = 8;
const HEADS = [
  'Task',
  'Tube',
  'State',
  'Key or sub-queue',
  'Data',
  {text: 'Attempts', class: 'num'},
  'Last failure',
  {text: 'Age', class: 'num', title: 'The time since the put'},
];

/** Returns the page. */
export function tasksPage({query}) {
  const page = new Tasks(query.get('filter') || '', query.get('from') || '');
  page.load();
  const end = live.follow((rows) => page.refresh(rows));
  return {
    title: 'Tasks',
    element: page.element,
    leave: () => {
      end();
      page.leave();
    },
  };
}

class Tasks {
  constructor(filter, from) {
    this.filter = filter;
    this.from = from;
    this.rows = new Map();
    this.selected = new Set();
    this.left = new AbortController();
    this.box = filterBox({
      text: filter,
      tubes: tubeNames,
      fields: searchableFields,
      changed: (text) => go(href('tasks', {filter: text})),
    });
    this.states = stateLinks(filter);
    this.saved = savedFilters(filter);
    this.news = newsBar(() => this.load());
    this.bar = el('div', {class: 'acts', role: 'region', 'aria-label': 'Selected tasks', hidden: true});
    this.body = el('div', {}, loading(8));
    this.foot = el('div', {class: 'row pager'});
    this.gone = el('div');
    this.progress = {
      bar: el('progress', {max: '1', 'aria-label': 'Search'}),
      text: el('span', {class: 'faint grow'}),
      stop: el(
        'button',
        {
          type: 'button',
          'data-act': 'stop-search',
          on: {
            click: () => {
              this.stopped = true;
            },
          },
        },
        icon('stop'),
        'Stop',
      ),
    };
    this.element = el(
      'div',
      {class: 'stack'},
      el(
        'div',
        {class: 'page-head'},
        el('h1', {class: 'grow'}, 'Tasks'),
        operationButton(this.filter),
        this.saved.button,
        copyButton('Copy link', () => location.href),
      ),
      this.box.element,
      this.saved.list,
      this.states.element,
      this.news.element,
      this.bar,
      el('section', {class: 'panel flush'}, this.body),
      this.foot,
      this.gone,
    );
  }

  leave() {
    this.left.abort();
    this.stopped = true;
    this.states.leave();
    live.hold('selection', false);
  }

  call(from) {
    return get(`tasks${queryOf({filter: this.filter, limit: LIMIT, from})}`, {signal: this.left.signal});
  }

  async load() {
    try {
      const page = await this.call(this.from);
      this.tasks = (page.tasks || []).map(taskOf);
      this.looked = page.looked || 0;
      this.next = page.next || null;
      this.lost = false;
      this.box.fail('', null);
      this.draw();
      this.drawGone(page.gone);
    } catch (problem) {
      this.refused(problem);
    }
  }

  refused(problem) {
    if (problem.name === 'AbortError' || problem.status === 401) {
      return;
    }
    if (problem.status === 400 || problem.status === 403) {
      this.none = '';
      this.box.fail(problem.message, problem.position);
      replace(
        this.body,
        empty(
          'No search was made',
          problem.status === 403
            ? 'You have no right to this filter.'
            : 'The filter has an error. Mend it above.',
        ),
      );
    } else {
      this.lost = true;
      this.none = '';
      replace(
        this.body,
        failed(problem, () => this.load()),
      );
    }
    replace(this.foot);
  }

  draw() {
    this.news.update('');
    this.rows.clear();
    this.select([]);
    const isEmpty = this.tasks.length === 0 && this.next === null;
    // The names of the tubes may come later
    const none = isEmpty ? unknownTube(this.filter) || `Looked at ${count(this.looked, 'task')}.` : '';
    if (isEmpty && none === this.none) {
      return;
    }
    this.none = none;
    if (isEmpty) {
      replace(
        this.body,
        this.filter || this.from
          ? empty(
              'No task fits',
              none,
              el(
                'div',
                {class: 'row tight'},
                this.goneLink(),
                this.filter && el('a', {class: 'button', href: href('tasks')}, 'Show all tasks'),
              ),
            )
          : empty('No tasks', 'All tubes are empty.'),
      );
      this.drawFoot();
      return;
    }
    this.all = hasRightSomewhere('OPERATE')
      ? el('input', {
          type: 'checkbox',
          'aria-label': 'Select all tasks on this page',
          on: {change: () => this.selectAll()},
        })
      : null;
    const heads = this.all ? [{text: 'Select', class: 'pick', node: this.all}, ...HEADS] : HEADS;
    this.table = table('Tasks that fit the filter', heads, {class: 'cards tasks'});
    this.append(this.tasks);
    replace(this.body, el('div', {class: 'scroll'}, this.table.element));
    this.drawFoot();
  }

  /** A task that is gone may have a history: with its id and its tube, the timeline is known. */
  goneLink() {
    const match = /(?:^|\s)id:(\d+)(?=\s|$)/i.exec(this.filter);
    const named = namesOf(split(this.filter).map((condition) => condition.text), 'tube') || tubeNames();
    return (
      match &&
      named.length > 0 &&
      named.length <= MOST_LINKS &&
      named.map((tube) =>
        el('a', {class: 'button', href: taskHref(tube, match[1])}, `History of ${tube} / ${match[1]}`),
      )
    );
  }

  append(tasks) {
    for (const task of tasks) {
      const row = new TaskRow(task, this.all !== null, (on) => this.pick(task, on));
      this.rows.set(keyOf(task), row);
      this.table.body.append(row.element);
    }
  }

  drawFoot() {
    replace(
      this.foot,
      taskFoot({
        filter: this.filter,
        from: this.from,
        next: this.next,
        found: this.tasks.length,
        isFull: this.tasks.length > 0 && this.tasks.length % LIMIT === 0,
        looked: this.looked,
        isLarge: this.looked > MOST_LOOKED,
        goOn: () => this.goOn(),
      }),
    );
  }

  /**
   * A search that could not use an index ends after a bound. This goes on until something is found, to the end, or until
   * it is stopped. What it finds comes below.
   */
  async goOn() {
    const began = Date.now();
    const before = {looked: this.looked, found: this.tasks.length};
    this.stopped = false;
    try {
      while (this.next !== null && this.tasks.length === before.found && !this.stopped) {
        const page = await this.call(this.next);
        const more = (page.tasks || []).map(taskOf);
        this.tasks.push(...more);
        this.looked += page.looked || 0;
        this.next = page.next || null;
        this.drawProgress(began, before.looked);
      }
      const added = this.tasks.slice(before.found);
      announce(`${count(added.length, 'task')} more, ${number(this.looked)} looked at.`);
      before.found === 0 ? this.draw() : (this.append(added), this.drawFoot());
    } catch (problem) {
      this.refused(problem);
    }
  }

  /** Shows how far a search is. The button stays where it is, with its focus. */
  drawProgress(began, before) {
    const perSecond = ((this.looked - before) / Math.max(1, Date.now() - began)) * 1_000;
    const total = this.mostToLookAt();
    const left = total > this.looked && perSecond > 0 ? (total - this.looked) / perSecond : NaN;
    if (!this.foot.contains(this.progress.bar)) {
      replace(this.foot, this.progress.bar, this.progress.text, this.progress.stop);
      this.progress.stop.focus();
    }
    this.progress.bar.value = total > 0 ? Math.min(1, this.looked / total) : 0;
    const time = Number.isFinite(left) ? `, at most ${duration(left * 1_000)} left` : '';
    setText(
      this.progress.text,
      `${number(this.looked)} of about ${number(total)} looked at, ${number(Math.round(perSecond))} per second${time}`,
    );
  }

  /** Returns the number of the tasks of all tubes that the filter names, or of all tubes. */
  mostToLookAt() {
    const names = namesOf(
      split(this.filter).map((condition) => condition.text),
      'tube',
    );
    return (theOverview()?.tubes || [])
      .filter((tube) => !names || names.includes(tube.name))
      .reduce((sum, tube) => sum + tube.total, 0);
  }

  /** A search that reads many tasks is made when asked only. Rows stay where they are: those still there get their new values, and new ones are only counted. */
  async refresh(rows) {
    if (this.left.signal.aborted || this.selected.size > 0) {
      return;
    }
    if (rows || this.lost || (this.tasks && this.tasks.length === 0 && this.looked <= MOST_LOOKED)) {
      await this.load();
    } else if (this.table && this.looked <= MOST_LOOKED) {
      await this.compare();
    }
  }

  async compare() {
    const page = await this.call(this.from).catch((problem) => {
      if (problem.name === 'AbortError' || problem.status === 400) {
        return null;
      }
      throw problem;
    });
    if (!page || this.selected.size > 0) {
      return;
    }
    this.drawGone(page.gone);
    const fresh = (page.tasks || []).map(taskOf);
    const keys = new Set(fresh.map(keyOf));
    fresh.forEach((task) => this.rows.get(keyOf(task))?.update(task));
    const added = fresh.filter((task) => !this.rows.has(keyOf(task))).length;
    const gone = page.next ? 0 : [...this.rows].filter(([key, row]) => row.gone(!keys.has(key))).length;
    this.drawNews(added, gone);
  }

  /** Only if they differ, so that a focus in them stays. */
  drawGone(gone) {
    const key = JSON.stringify(gone);
    if (key !== this.shownGone) {
      this.shownGone = key;
      replace(this.gone, goneTasks(gone));
    }
  }

  drawNews(added, gone) {
    const text = [
      added > 0 && `${number(added)}${added === LIMIT ? ' or more' : ''} new`,
      gone > 0 && `${number(gone)} no longer fit`,
    ];
    this.news.update(text.filter(Boolean).join(', '));
  }

  pick(task, on) {
    this.select([...this.selected].filter((key) => key !== keyOf(task)).concat(on ? [keyOf(task)] : []));
  }

  selectAll() {
    this.select(this.all.checked ? [...this.rows.keys()] : []);
  }

  select(keys) {
    this.selected = new Set(keys);
    live.hold('selection', this.selected.size > 0);
    this.rows.forEach((row, key) => row.select(this.selected.has(key)));
    if (this.all) {
      this.all.checked = this.selected.size > 0 && this.selected.size === this.rows.size;
      this.all.indeterminate = this.selected.size > 0 && this.selected.size < this.rows.size;
    }
    this.bar.hidden = this.selected.size === 0;
    const chosen = [...this.selected].map((key) => this.rows.get(key).task);
    replace(
      this.bar,
      el('b', {}, `${number(chosen.length)} selected`),
      actButtons(chosen, () => this.load()),
      el('span', {class: 'grow'}),
      this.selected.size === this.rows.size && this.next !== null && operationButton(this.filter),
      el('button', {type: 'button', class: 'plain', on: {click: () => this.select([])}}, 'Clear'),
    );
  }
}

/** Returns the panel of the tasks of a key that are gone; null if there are none. */
function goneTasks(gone) {
  return (
    gone &&
    panel(
      'Gone',
      null,
      el(
        'ul',
        {class: 'gone'},
        gone.map((task) =>
          el(
            'li',
            {},
            el('a', {href: taskHref(task.tube, task.id)}, `${task.tube} / ${task.id}`),
            ` ${words(task)}, `,
            time(task.at),
          ),
        ),
      ),
    )
  );
}

function keyOf(task) {
  return `${task.tube}/${task.id}`;
}

/** Returns that a tube of the filter does not exist; null if all do, or if that is not known. */
function unknownTube(filter) {
  const there = tubeNames();
  const named = namesOf(split(filter).map((condition) => condition.text), 'tube') || [];
  const unknown = there.length === 0 ? [] : named.filter((name) => name !== '' && !there.includes(name));
  return unknown.length === 0 ? null : `There is no tube ${unknown.map(visible).join(', ')}.`;
}
