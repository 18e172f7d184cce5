// Audit: who has done what, with which answer. The whole view is in the address.

import {get, query as queryOf} from '../data/api.js';
import {csv, jsonLines} from '../data/export.js';
import {count, isoOf, localOf, number} from '../data/format.js';
import * as live from '../data/live.js';
import {go, href, taskHref, tubeHref} from '../data/router.js';
import {fileButton} from '../ui/file.js';
import {el, icon, replace} from '../ui/html.js';
import {newsBar} from '../ui/news.js';
import {cell, empty, failed, loading, rowHead, table} from '../ui/parts.js';
import {visible} from '../ui/text.js';
import {age, time} from '../ui/time.js';

const LIMIT = 50;

/** The rows of one call for a file, and the most rows of a file, which the browser holds in its memory. */
const FILE_PAGE = 200;
const FILE_MOST = 50_000;
const FIELDS = [
  ['who', 'User', 'anna'],
  ['act', 'Act', 'kick'],
  ['tube', 'Tube', 'orders'],
  ['task', 'Task', '4711'],
];
/** @type {[string, string][]} */
const TIMES = [
  ['since', 'From'],
  ['until', 'Before'],
];
const COLUMNS = [
  'id',
  'at',
  'who',
  'right',
  'act',
  'tube',
  'task',
  'filter',
  'number',
  'reason',
  'status',
  'server',
  'address',
];
const HEADS = [
  'Act',
  'On',
  'Who',
  'Reason',
  {text: 'Tasks', class: 'num'},
  {text: 'Answer', class: 'num'},
  'Server',
  {text: 'When', class: 'num'},
];

/** Returns the page. */
export function auditPage({query}) {
  const page = new Audit(query);
  page.load();
  const end = live.follow((rows) => page.refresh(rows), {every: 5});
  return {
    title: 'Audit',
    element: page.element,
    leave: () => {
      end();
      page.left.abort();
    },
  };
}

class Audit {
  constructor(query) {
    this.from = query.get('from') || '';
    this.values = Object.fromEntries([...FIELDS, ...TIMES].map(([name]) => [name, query.get(name) || '']));
    this.left = new AbortController();
    this.news = newsBar(() => this.load());
    this.body = el('div', {}, loading(8));
    this.foot = el('div', {class: 'row pager'});
    this.element = el(
      'div',
      {class: 'stack'},
      el(
        'div',
        {class: 'page-head'},
        el('h1', {}, 'Audit'),
        el('span', {class: 'soft grow'}, 'Each act, also a refused one'),
        this.fileButton('CSV', 'audit.csv', 'text/csv', (rows) => csv(COLUMNS, rows)),
        this.fileButton('JSON lines', 'audit.jsonl', 'application/jsonl', jsonLines),
      ),
      this.form(),
      this.news.element,
      el('section', {class: 'panel flush'}, this.body),
      this.foot,
    );
  }

  form() {
    const inputs = FIELDS.map(([name, label, example], i) =>
      el('input', {
        type: 'search',
        name,
        'aria-label': label,
        placeholder: `${label}, such as ${example}`,
        value: this.values[name],
        'data-filter': i === 0,
        'data-focus': `audit-${name}`,
        autocomplete: 'off',
        autocapitalize: 'off',
        spellcheck: 'false',
      }),
    );
    const times = TIMES.map(([name, label]) =>
      el('input', {
        type: 'datetime-local',
        name,
        step: '1',
        value: localOf(this.values[name]),
        'data-focus': `audit-${name}`,
        'aria-label': `${label}, by the time of this browser`,
      }),
    );
    const some = Object.values(this.values).some((value) => value !== '');
    return el(
      'form',
      {
        class: 'auditform',
        role: 'search',
        on: {
          submit: (event) => {
            event.preventDefault();
            this.search(inputs, times);
          },
        },
      },
      inputs,
      TIMES.map(([, label], i) => el('label', {class: 'soft'}, label, ' ', times[i])),
      el('button', {type: 'submit', 'data-focus': 'audit-find'}, icon('search'), 'Find'),
      some && el('a', {class: 'button', href: href('audit')}, 'Clear'),
    );
  }

  search(inputs, times) {
    const values = inputs.map((input) => [input.name, input.value.trim()]);
    const moments = times.map((input) => [input.name, isoOf(input.value)]);
    go(href('audit', Object.fromEntries([...values, ...moments])));
  }

  /** Returns a button that makes a file of all rows of this view, the newest first. */
  fileButton(label, file, type, textOf) {
    return fileButton({
      label,
      title: `All acts of this view as a file, ${count(FILE_MOST, 'act')} at most`,
      file,
      type,
      read: async (progress) => {
        const {rows, isCut} = await this.all((read) => progress(`${number(read)} read`));
        return {
          text: textOf(rows),
          said: isCut
            ? `The file has the newest ${count(rows.length, 'act')} only. Select fewer for the older ones.`
            : `The file has ${count(rows.length, 'act')}.`,
        };
      },
    });
  }

  /** Returns the rows of all pages from this one on. */
  async all(progress) {
    const rows = [];
    let next = this.from;
    do {
      const answer = await this.call(next, FILE_PAGE);
      rows.push(...(answer.entries || []));
      next = answer.next || '';
      progress(rows.length);
    } while (next && rows.length < FILE_MOST);
    return {rows, isCut: next !== ''};
  }

  call(from = this.from, limit = LIMIT) {
    return get(`audit${queryOf({...this.values, from, limit})}`, {signal: this.left.signal});
  }

  async load() {
    try {
      const answer = await this.call();
      this.draw(answer.entries || [], answer.next || null);
    } catch (problem) {
      if (problem.name === 'AbortError' || problem.status === 401) {
        return;
      }
      replace(
        this.body,
        failed(problem, () => this.load()),
      );
    }
  }

  /** New entries are counted only, so that no row moves. */
  async refresh(rows) {
    if (rows || !this.ids) {
      await this.load();
    } else if (!this.from) {
      const answer = await this.call();
      this.drawNews((answer.entries || []).filter((entry) => !this.ids.has(String(entry.id))).length);
    }
  }

  drawNews(added) {
    this.news.update(added > 0 ? `${number(added)}${added === LIMIT ? ' or more' : ''} new` : '');
  }

  draw(entries, next) {
    this.ids = new Set(entries.map((entry) => String(entry.id)));
    this.drawNews(0);
    if (entries.length === 0) {
      const some = this.from || Object.values(this.values).some((value) => value !== '');
      replace(this.body, empty('No acts', some ? 'None matches.' : 'Nobody has changed anything yet.'));
    } else {
      const t = table('Acts, the newest first', HEADS, {class: 'cards audits'});
      t.body.append(...entries.map(row));
      replace(this.body, el('div', {class: 'scroll'}, t.element));
    }
    replace(
      this.foot,
      this.from && el('a', {class: 'button', href: href('audit', this.values)}, icon('back'), 'Newest'),
      el('span', {class: 'faint grow'}, count(entries.length, 'act')),
      next !== null &&
        el(
          'a',
          {class: 'button', href: href('audit', {...this.values, from: next})},
          'Older',
          icon('chevron'),
        ),
    );
  }
}

function row(entry) {
  const link = (field, value) =>
    el('a', {class: 'quiet', href: href('audit', {[field]: value}), title: 'Acts like this'}, visible(value));
  return el(
    'tr',
    {role: 'row', tabindex: '-1'},
    rowHead({class: 'name'}, link('act', entry.act)),
    cell('on', {class: 'oncell'}, objectOf(entry)),
    cell(
      'who',
      {},
      link('who', entry.who || '–'),
      entry.right && el('span', {class: 'faint'}, ` ${entry.right.toLowerCase()}`),
    ),
    cell(
      'reason',
      {class: 'reasoncell break'},
      entry.reason ? visible(entry.reason) : el('span', {class: 'faint'}, '–'),
    ),
    cell('tasks', {class: 'num'}, Number.isFinite(entry.number) ? number(entry.number) : '–'),
    cell('answer', {class: 'num'}, answerOf(entry.status)),
    cell(
      'server',
      {class: 'soft'},
      entry.server || '–',
      entry.address && el('div', {class: 'faint'}, 'from ', visible(entry.address)),
    ),
    cell('when', {class: 'num soft'}, time(entry.at), el('div', {class: 'faint'}, age(entry.at), ' ago')),
  );
}

function objectOf({tube, task, filter}) {
  if (task !== undefined && task !== null && tube) {
    return el('a', {href: taskHref(tube, String(task)), class: 'break'}, `${tube} / ${task}`);
  }
  if (filter || task) {
    const operation = task && href(`operations/${encodeURIComponent(task)}`);
    return [
      task && el('div', {}, el('a', {href: operation, class: 'break'}, `operation ${visible(task)}`)),
      filter &&
        el('div', {}, el('a', {href: href('tasks', {filter}), class: 'mono break'}, visible(filter))),
    ];
  }
  return tube ? el('a', {href: tubeHref(tube), class: 'break'}, tube) : el('span', {class: 'faint'}, '–');
}

function answerOf(status) {
  const good = status < 400;
  return el(
    'span',
    {class: `tag ${good ? 'done' : 'buried'}`, title: good ? 'Done' : 'Refused: nothing was changed'},
    String(status),
  );
}
