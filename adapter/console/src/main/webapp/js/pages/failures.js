// Failures: tasks by the kind of their last failure, with exact counts, and acts on all tasks of a kind.

import {get, query as queryOf} from '../data/api.js';
import {count} from '../data/format.js';
import * as live from '../data/live.js';
import {href} from '../data/router.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {Keyed} from '../ui/keyed.js';
import {empty, failed, loading, table} from '../ui/parts.js';
import {FailureRow} from './failurerow.js';

const LIMIT = 100;
const HEADS = [
  'Failure',
  'Tubes',
  {text: 'Buried', class: 'num'},
  {text: 'Will retry', class: 'num', title: 'Ready, delayed or taken'},
  {text: 'Tasks', class: 'num'},
  {text: '24 h', title: 'The tasks by the hour of their failure'},
  {text: 'First', class: 'num'},
  {text: 'Last', class: 'num'},
];

/** Returns the page. */
export function failuresPage({query}) {
  const page = new Failures(query.get('q') || '');
  page.load();
  const end = live.follow((rows) => page.read(rows), {every: 5});
  return {
    title: 'Failures',
    element: page.element,
    leave: () => {
      end();
      page.left.abort();
    },
  };
}

class Failures {
  constructor(search) {
    this.left = new AbortController();
    this.sum = el('span', {class: 'soft'});
    this.filter = el('input', {
      type: 'search',
      'data-filter': true,
      placeholder: 'Find a class, cause, message or tube',
      'aria-label': 'Find a failure',
      value: search,
      on: {input: () => this.find()},
    });
    this.none = el('p', {class: 'soft', role: 'status', hidden: true});
    this.body = el('div', {}, loading(8));
    this.element = el(
      'div',
      {class: 'stack'},
      el(
        'div',
        {class: 'page-head'},
        el('h1', {}, 'Failures'),
        el('span', {class: 'grow'}, this.sum),
        el('div', {class: 'find'}, icon('search'), this.filter),
      ),
      this.none,
      el('section', {class: 'panel flush'}, this.body),
    );
  }

  /** The page itself shows a problem; the refresh has to know it as well. */
  load(anew) {
    return this.read(anew).catch(() => {});
  }

  /** Kinds keep their places, unless the list is to be read anew. */
  async read(anew = false) {
    try {
      const answer = await get(`failures${queryOf({limit: LIMIT})}`, {signal: this.left.signal});
      this.draw((Array.isArray(answer) ? answer : answer.failures || answer.groups || []).map(groupOf), anew);
    } catch (problem) {
      if (problem.name === 'AbortError' || problem.status === 401) {
        return;
      }
      if (!this.groups) {
        replace(
          this.body,
          failed(problem, () => this.load()),
        );
      }
      throw problem;
    }
  }

  draw(groups, anew) {
    this.groups = groups;
    this.none.hidden = true;
    if (groups.length === 0) {
      this.rows = null;
      setText(this.sum, '');
      replace(this.body, empty('No failures', 'No task has a failed delivery.'));
      return;
    }
    const tasks = groups.reduce((sum, group) => sum + group.total, 0);
    const most = groups.length === LIMIT ? ', the largest ones' : '';
    setText(this.sum, `${count(tasks, 'task')} in ${count(groups.length, 'kind')}${most}`);
    if (!this.rows) {
      const t = table('Failures by kind', HEADS, {class: 'cards groups'});
      this.rows = new Keyed(t.body, (group) => new FailureRow(group, () => live.refreshNow()));
      replace(this.body, el('div', {class: 'scroll'}, t.element));
    } else if (anew) {
      this.rows.clear();
    }
    this.rows.update(groups, (group) => group.fingerprint);
    this.find(false);
  }

  find(keep = true) {
    const text = this.filter.value.trim();
    const wanted = text.toLowerCase();
    let found = 0;
    this.rows?.rows.forEach((row) => {
      row.element.hidden = !row.words().includes(wanted);
      found += row.element.hidden ? 0 : 1;
    });
    this.none.hidden = !this.rows || found > 0;
    setText(this.none, `No kind of failures has “${text}” in its classes, message, frame or tubes.`);
    if (keep) {
      history.replaceState(null, '', href('failures', {q: text}));
    }
  }
}

/** Returns a group with all numbers set. */
function groupOf(group) {
  const tasks = Object.fromEntries(
    Object.entries(group.states || {}).map(([state, n]) => [state.toLowerCase(), Number(n) || 0]),
  );
  return {
    ...group,
    tasks,
    tubes: group.tubes || [],
    cause: group.cause || '',
    message: group.message || '',
    frame: group.frame || '',
    trend: group.trend || [],
    total: Object.values(tasks).reduce((sum, n) => sum + n, 0),
  };
}
