// Operations: acts on all tasks that match a filter, as the servers do them.

import {actLabel, operationTag, progressText, shareOf} from '../acts/operationparts.js';
import {get, query as queryOf} from '../data/api.js';
import {count, number} from '../data/format.js';
import * as live from '../data/live.js';
import {href} from '../data/router.js';
import {hasRightSomewhere} from '../data/session.js';
import {onEvent} from '../data/stream.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {Keyed} from '../ui/keyed.js';
import {newsBar} from '../ui/news.js';
import {cell, empty, failed, loading, rowHead, table} from '../ui/parts.js';
import {visible} from '../ui/text.js';
import {age} from '../ui/time.js';

const LIMIT = 50;
const HEADS = [
  'Operation',
  'State',
  'Progress',
  {text: 'Changed', class: 'num'},
  {text: 'Skipped', class: 'num', title: 'The act did not fit them'},
  'By',
  {text: 'Age', class: 'num'},
];

/** Returns the page. */
export function operationsPage({query}) {
  const page = new Operations(query.get('before') || '');
  page.load();
  const end = live.follow((rows) => page.read(rows), {every: 2});
  const quiet = onEvent('operations', ({operations}) => page.progress(operations || []));
  return {
    title: 'Operations',
    element: page.element,
    leave: () => {
      end();
      quiet();
      page.left.abort();
    },
  };
}

class Operations {
  constructor(before) {
    this.before = before;
    this.left = new AbortController();
    this.news = newsBar(() => this.load(true));
    this.body = el('div', {}, loading(6));
    this.foot = el('div', {class: 'row pager'});
    this.element = el(
      'div',
      {class: 'stack'},
      el(
        'div',
        {class: 'page-head'},
        el('h1', {}, 'Operations'),
        el('span', {class: 'soft grow'}, 'Acts on all tasks that match a filter'),
      ),
      this.news.element,
      el('section', {class: 'panel flush'}, this.body),
      this.foot,
    );
  }

  /** The page itself shows a problem; the refresh has to know it as well. */
  load(anew) {
    return this.read(anew).catch(() => {});
  }

  /** Rows stay where they are: new operations are counted only, until they are asked for. */
  async read(anew = false) {
    try {
      const address = `operations${queryOf({before: this.before, limit: LIMIT})}`;
      const answer = await get(address, {signal: this.left.signal});
      this.draw(answer.operations || [], answer.next || null, anew);
    } catch (problem) {
      if (problem.name === 'AbortError' || problem.status === 401) {
        return;
      }
      if (!this.known) {
        replace(
          this.body,
          failed(problem, () => this.load()),
        );
      }
      throw problem;
    }
  }

  draw(operations, next, anew) {
    if (operations.length === 0) {
      this.known = new Map();
      this.rows = null;
      replace(this.body, empty('No operations', this.before ? 'None is older.' : HINT, this.link()));
      return;
    }
    if (!this.rows || anew) {
      this.rows = this.build();
      this.known = new Map();
    }
    const first = this.known.size === 0;
    const shown = operations.filter((row) => first || this.known.has(String(row.id)));
    shown.forEach((row) => this.known.set(String(row.id), row));
    this.rows.update([...this.known.values()], (row) => String(row.id));
    this.drawNews(operations.length - shown.length);
    this.drawFoot(next);
  }

  build() {
    const t = table('Operations', HEADS, {class: 'cards operations'});
    replace(this.body, el('div', {class: 'scroll'}, t.element));
    return new Keyed(t.body, (row) => new OperationRow(row));
  }

  /** Events bring the rows of the operations that run, with filters in which secrets are hidden for all. */
  progress(running) {
    running
      .map((row) => [this.known?.get(String(row.id)), row])
      .filter(([known]) => known)
      .forEach(([known, row]) => this.known.set(String(row.id), {...row, filter: known.filter}));
    this.rows?.update([...this.known.values()], (row) => String(row.id));
  }

  link() {
    return (
      hasRightSomewhere('OPERATE') && !this.before && el('a', {class: 'button', href: href('tasks')}, 'To the tasks')
    );
  }

  drawNews(added) {
    this.news.update(added > 0 ? `${number(added)} new` : '');
  }

  drawFoot(next) {
    const key = `${next} ${this.known.size}`;
    if (key !== this.shownFoot) {
      this.shownFoot = key;
      replace(
        this.foot,
        this.before && el('a', {class: 'button', href: href('operations')}, icon('back'), 'Newest'),
        el('span', {class: 'faint grow'}, count(this.known.size, 'operation')),
        next !== null &&
          el('a', {class: 'button', href: href('operations', {before: next})}, 'Older', icon('chevron')),
      );
    }
  }
}

const HINT =
  'Filter the tasks, then choose “Act on all that match…”. The operation goes on if its server dies.';

class OperationRow {
  constructor(row) {
    this.state = el('span', {});
    this.bar = el('progress', {max: '1', 'aria-label': `Progress of operation ${row.id}`});
    this.text = el('span', {class: 'faint'});
    this.changed = el('span', {});
    this.skipped = el('span', {});
    this.age = el('span', {class: 'soft'});
    this.element = el(
      'tr',
      {role: 'row', tabindex: '-1'},
      rowHead(
        {class: 'name'},
        el(
          'a',
          {href: href(`operations/${row.id}`)},
          `${actLabel(row.act)} `,
          el('span', {class: 'faint'}, `no. ${row.id}`),
        ),
        el('code', {class: 'clip filtertext', title: row.filter}, visible(row.filter)),
      ),
      cell('state', {class: 'state'}, this.state),
      cell('progress', {class: 'progresscell'}, this.bar, this.text),
      cell('changed', {class: 'num'}, this.changed),
      cell('skipped', {class: 'num'}, this.skipped),
      cell('by', {}, el('span', {class: 'clip', title: row.reason || ''}, visible(row.by || '–'))),
      cell('age', {class: 'num'}, this.age),
    );
  }

  update(row) {
    if (row.state !== this.shown) {
      this.shown = row.state;
      replace(this.state, operationTag(row.state));
    }
    this.bar.value = shareOf(row);
    this.bar.dataset.state = row.state;
    setText(this.text, progressText(row));
    setText(this.changed, number(row.changed || 0));
    setText(this.skipped, number(row.skipped || 0));
    replace(this.age, age(row.created));
  }
}
