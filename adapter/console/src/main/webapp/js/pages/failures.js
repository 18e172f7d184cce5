// Failures: tasks by the kind of their last failure, with exact counts.

import {get, path, query as queryOf} from '../api.js';
import {quote} from '../filter.js';
import {age, count, number} from '../format.js';
import {el, icon, replace, setText} from '../html.js';
import * as live from '../live.js';
import {simpleName, taskOf} from '../model.js';
import {cell, empty, failed, loading, rowHead, table} from '../parts.js';
import {visible} from '../text.js';
import {go, href, taskHref, tubeHref} from '../router.js';

const LIMIT = 100;
const MOST_TUBES = 4;
const MOST_NAMED = 8;

/** Returns the page. */
export function failuresPage({query}) {
  const page = new Failures(query.get('q') || '');
  page.load();
  const end = live.follow(() => page.load(), {every: 5});
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
      placeholder: 'Find a class, message or tube',
      'aria-label': 'Find a failure',
      value: search,
      on: {input: () => this.find()},
    });
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
      el('section', {class: 'panel flush'}, this.body),
    );
  }

  async load() {
    try {
      const answer = await get(`failures${queryOf({limit: LIMIT})}`, {signal: this.left.signal});
      this.draw((Array.isArray(answer) ? answer : answer.failures || answer.groups || []).map(groupOf));
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

  draw(groups) {
    const key = JSON.stringify([groups, Math.floor(Date.now() / 60_000)]); // Their ages grow as well.
    const focused = this.body.contains(document.activeElement);
    if (key === this.key || (focused && this.groups)) {
      return;
    }
    this.key = key;
    this.groups = groups;
    if (groups.length === 0) {
      setText(this.sum, '');
      replace(this.body, empty('No failures', 'No task has a failed delivery.'));
      return;
    }
    setText(
      this.sum,
      `${count(
        groups.reduce((sum, g) => sum + g.total, 0),
        'task',
      )} in ${count(groups.length, 'kind')}${groups.length === LIMIT ? ', the largest ones' : ''}`,
    );
    const t = table(
      'Failures by kind',
      [
        'Failure',
        'Tubes',
        {text: 'Buried', class: 'num'},
        {text: 'Will retry', class: 'num', title: 'Ready, delayed or taken'},
        {text: 'Tasks', class: 'num'},
        {text: 'First', class: 'num'},
        {text: 'Last', class: 'num'},
        {text: 'Sample', hidden: true},
      ],
      {class: 'cards groups'},
    );
    this.table = t;
    t.body.append(...groups.map(row));
    replace(this.body, el('div', {class: 'scroll'}, t.element));
    this.find(false);
  }

  find(keep = true) {
    const text = this.filter.value.trim().toLowerCase();
    (this.groups || []).forEach((group, i) => {
      if (this.table) {
        this.table.body.children[i].hidden =
          !`${group.type} ${group.message} ${group.frame} ${group.tubes.join(' ')}`
            .toLowerCase()
            .includes(text);
      }
    });
    if (keep) {
      history.replaceState(null, '', href('failures', {q: text}));
    }
  }
}

/** Returns a group in one shape, wherever the answer has its fingerprint. */
function groupOf(group) {
  const print = typeof group.fingerprint === 'object' && group.fingerprint ? group.fingerprint : {};
  const tasks = Object.fromEntries(
    Object.entries(group.tasks || group.states || {}).map(([state, n]) => [
      state.toLowerCase(),
      Number(n) || 0,
    ]),
  );
  const merged = {...print, ...group, tasks, tubes: group.tubes || []};
  return {
    ...merged,
    message: merged.message || '',
    frame: merged.frame || '',
    total: Object.values(tasks).reduce((sum, n) => sum + n, 0),
  };
}

/** Returns the search for tasks of an exception, in the tubes of a group. */
function search(group, type, states) {
  const {tubes} = group;
  const conditions = [
    tubes.length > 0 && tubes.length <= MOST_NAMED && `tube:${tubes.join(',')}`,
    `error:${quote(type)}`,
    states && `state:${states}`,
  ];
  return href('tasks', {filter: conditions.filter(Boolean).join(' ')});
}

/** A group is named by its root cause, and a search finds the exception around it: the sample has that one. */
async function goToTasks(event, group, states) {
  if (
    event.button !== 0 ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    group.sampleTask === undefined
  ) {
    return;
  }
  event.preventDefault();
  const sample = await get(path('tasks', group.sampleTube, String(group.sampleTask))).catch(() => null);
  const failure = sample && taskOf(sample).failure;
  go(search(group, failure ? failure.type : group.type, states));
}

/** Returns a link to the tasks of a group in some states. */
function tasksLink(group, states, props, text) {
  const href = search(group, group.type, states);
  return el('a', {...props, href, on: {click: (event) => goToTasks(event, group, states)}}, text);
}

function row(group) {
  const waiting = (group.tasks.ready || 0) + (group.tasks.delayed || 0) + (group.tasks.taken || 0);
  return el(
    'tr',
    {role: 'row', tabindex: '-1'},
    rowHead(
      {class: 'name wide'},
      tasksLink(
        group,
        '',
        {class: 'break', title: `${group.type}\nTasks with the exception of the sample`},
        simpleName(group.type),
      ),
      group.message && el('div', {class: 'message'}, visible(group.message)),
      group.frame && el('div', {class: 'faint mono break'}, group.frame),
    ),
    cell(
      'tubes',
      {class: 'tubescell'},
      el(
        'div',
        {class: 'row tight'},
        group.tubes
          .slice(0, MOST_TUBES)
          .map((tube) => el('a', {class: 'tag clip', href: tubeHref(tube)}, tube)),
        group.tubes.length > MOST_TUBES &&
          el(
            'span',
            {class: 'tag', title: group.tubes.join(', ')},
            `${number(group.tubes.length - MOST_TUBES)} more`,
          ),
      ),
    ),
    cell(
      'buried',
      {class: 'num n-buried'},
      tasksLink(group, 'buried', {class: group.tasks.buried ? '' : 'zero'}, number(group.tasks.buried || 0)),
    ),
    cell(
      'will retry',
      {class: 'num'},
      tasksLink(group, 'ready,delayed,taken', {class: waiting ? '' : 'zero'}, number(waiting)),
    ),
    cell('tasks', {class: 'num'}, el('b', {}, number(group.total))),
    cell('first', {class: 'num soft'}, age(group.first), ' ago'),
    cell('last', {class: 'num soft'}, age(group.last), ' ago'),
    cell(
      '',
      {class: 'num samplecell'},
      group.sampleTask !== undefined &&
        el(
          'a',
          {
            class: 'button small',
            href: taskHref(group.sampleTube || group.tubes[0], String(group.sampleTask)),
          },
          'Sample',
        ),
    ),
  );
}
