// One operation: its progress, its numbers, and its cancel.

import {
  actLabel,
  cancelButton,
  confirmedText,
  hasEnded,
  operationTag,
  progressText,
  shareOf,
} from '../acts/operationparts.js';
import {openOperation, operationActs} from '../acts/operationstart.js';
import {get, path, query} from '../data/api.js';
import {csv} from '../data/export.js';
import {count, duration, now, number, rate} from '../data/format.js';
import * as live from '../data/live.js';
import {href} from '../data/router.js';
import {onEvent} from '../data/stream.js';
import {fileButton} from '../ui/file.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {copyButton, empty, facts, failed, loading, note, panel} from '../ui/parts.js';
import {visible} from '../ui/text.js';
import {time} from '../ui/time.js';

const LEAST = 2_000;
const PARTS = 200;
const NUMBERS = [
  ['expected', 'Confirmed', 'The number that its user saw'],
  ['looked', 'Looked at', 'So far'],
  ['changed', 'Changed', 'The act was done'],
  ['skipped', 'Skipped', 'The act did not fit'],
];

/** Returns the page. */
export function operationPage({params}) {
  const page = new OperationView(params.id);
  page.load();
  const end = live.follow(() => page.refresh());
  const quiet = onEvent('operations', ({operations}) => {
    const row = (operations || []).find((operation) => String(operation.id) === params.id);
    if (row && page.row) {
      // The event hides secrets in the filter for all users
      page.draw({...row, filter: page.row.filter});
    }
  });
  return {
    title: `Operation ${params.id}`,
    element: page.element,
    leave: () => {
      end();
      quiet();
      page.left.abort();
    },
  };
}

class OperationView {
  constructor(id) {
    this.id = id;
    this.left = new AbortController();
    this.head = el('div', {class: 'page-head'}, el('h1', {class: 'grow'}, `Operation ${id}`));
    this.body = el('div', {class: 'stack'}, el('section', {class: 'panel'}, loading(5)));
    this.element = el('div', {class: 'stack'}, this.head, this.body);
  }

  /** An operation that has ended does not change any more. */
  async refresh() {
    if (!this.row || !hasEnded(this.row)) {
      await this.read();
    }
  }

  /** The page itself shows a problem; the refresh has to know it as well. */
  load() {
    return this.read().catch(() => {});
  }

  async read() {
    try {
      this.draw(await get(path('operations', this.id), {signal: this.left.signal}));
    } catch (problem) {
      if (problem.name === 'AbortError' || problem.status === 401) {
        return;
      }
      const link = el('a', {class: 'button', href: href('operations')}, 'To the operations');
      if (problem.status === 404) {
        replace(
          this.body,
          el('section', {class: 'panel'}, empty('No such operation', problem.message, link)),
        );
      } else if (!this.row) {
        replace(
          this.body,
          failed(problem, () => this.load()),
        );
        throw problem;
      }
    }
  }

  draw(row) {
    this.row = row;
    if (!this.bar) {
      this.build(row);
    }
    const shown = `${row.state} ${row.changed > 0}`;
    if (shown !== this.shown) {
      this.shown = shown;
      this.drawHead(row);
    }
    const share = shareOf(row);
    this.bar.value = share;
    this.bar.dataset.state = row.state;
    setText(this.percent, `${Math.floor(share * 100)} %`);
    setText(this.text, sentence(row));
    NUMBERS.forEach(([name]) => setText(this.numbers[name], number(row[name] || 0)));
    setText(this.numbers.expected, confirmedText(row));
    replace(this.facts, factsOf(row));
    replace(this.error, row.error && note('bad', el('b', {}, 'It failed. '), visible(row.error)));
  }

  drawHead(row) {
    const link = el('a', {class: 'crumb', href: href('operations')}, 'Operations');
    replace(
      this.head,
      el(
        'h1',
        {class: 'grow title'},
        link,
        el('span', {class: 'crumb'}, ' / '),
        `${actLabel(row.act)} no. ${this.id} `,
        operationTag(row.state),
      ),
      el(
        'a',
        {class: 'button', href: href('tasks', {filter: row.filter})},
        icon('tasks'),
        'Tasks that match now',
      ),
      row.changed > 0 && changedButton(row, this.left.signal),
      restButton(row),
      cancelButton(row, () => this.load()),
    );
  }

  build(row) {
    this.bar = el('progress', {class: 'large', max: '1', 'aria-label': 'Progress of the operation'});
    this.percent = el('b', {});
    this.text = el('span', {class: 'soft grow'});
    this.facts = el('div', {});
    this.error = el('div', {});
    this.numbers = Object.fromEntries(NUMBERS.map(([name]) => [name, el('div', {class: 'n'})]));
    replace(
      this.body,
      this.error,
      panel('Progress', this.percent, el('div', {class: 'stack tight'}, this.bar, this.text)),
      el(
        'div',
        {class: 'stats four'},
        NUMBERS.map(([name, label, hint]) =>
          el(
            'div',
            {class: 'panel stat'},
            el('div', {class: 'l'}, label),
            this.numbers[name],
            el('div', {class: 'd'}, hint),
          ),
        ),
      ),
      el(
        'div',
        {class: 'two even'},
        panel(
          'Filter',
          copyButton('Copy', row.filter),
          el('pre', {class: 'code wrap', tabindex: '0', 'aria-label': 'Filter'}, visible(row.filter)),
        ),
        panel('Facts', null, this.facts),
      ),
    );
  }
}

/** Returns the state in one sentence, with a forecast while the operation runs. */
function sentence(row) {
  const pace = speed(row);
  switch (row.state) {
    case 'WAITING':
      return 'Waits for a server. One operation runs at a time.';
    case 'RUNNING': {
      const rest = pace > 0 ? duration(((row.expected - row.looked) / pace) * 1000) : null;
      return `${progressText(row)}${pace > 0 ? `, ${rate(pace)} per second` : ''}${rest && row.expected > row.looked ? `, about ${rest} left` : ''}`;
    }
    case 'DONE':
      return `Done: ${count(row.changed || 0, 'task')} changed in ${duration(took(row))}.`;
    case 'STOPPED':
      return `Stopped: ${count(row.changed || 0, 'task')} changed, as many as were confirmed. More fit, and are left as they are.`;
    case 'CANCELLED':
      return `Cancelled after ${count(row.changed || 0, 'task')}. They stay changed.`;
    default:
      return `Ended after ${count(row.changed || 0, 'task')}. They stay changed.`;
  }
}

/** Returns the button that makes a file of the tasks that an operation has changed. */
function changedButton({id}, signal) {
  return fileButton({
    label: 'Changed tasks',
    title: 'The tubes and ids of all tasks that it has changed, as CSV',
    file: `operation-${id}.csv`,
    type: 'text/csv',
    read: async (progress) => {
      const rows = [];
      let from = '';
      do {
        const answer = await get(`${path('operations', String(id), 'tasks')}${query({from, limit: PARTS})}`, {signal});
        (answer.parts || []).forEach(({tube, ids}) => ids.forEach((task) => rows.push({tube, id: task})));
        progress(`${number(rows.length)} read`);
        from = answer.next || '';
      } while (from);
      return {text: csv(['tube', 'id'], rows), said: `The file has ${count(rows.length, 'task')}.`};
    },
  });
}

/** Returns the button that asks about the tasks that an operation has left; null if it has left none. */
function restButton(row) {
  return (
    row.state === 'STOPPED' &&
    operationActs(row.filter).includes(row.act) &&
    el(
      'button',
      {type: 'button', 'data-act': 'rest', on: {click: () => openOperation(row.filter, row.act)}},
      icon('operations'),
      `${actLabel(row.act)} the rest…`,
    )
  );
}

function took(row) {
  return Math.max(0, (row.ended ? Date.parse(row.ended) : now()) - Date.parse(row.started || row.created));
}

function speed(row) {
  const millis = took(row);
  return row.started && millis >= LEAST ? (row.looked / millis) * 1000 : 0;
}

function factsOf(row) {
  return facts([
    ['Act', actLabel(row.act)],
    ['By', el('b', {}, visible(row.by || '–'))],
    ['Reason', visible(row.reason || '–')],
    row.cancelledBy && ['Cancelled by', el('b', {}, visible(row.cancelledBy))],
    row.cancelReason && ['Reason of that', visible(row.cancelReason)],
    ['Server', row.server ? el('code', {}, row.server) : null],
    ['Asked for', time(row.created)],
    ['Started', time(row.started, 'not yet')],
    ['Ended', time(row.ended, 'not yet')],
  ]);
}
