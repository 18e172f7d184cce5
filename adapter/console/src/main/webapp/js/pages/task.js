// A task: why it waits, its facts, its data, its failure, its acts.

import {address, get, path} from '../api.js';
import {actButtons} from '../acts.js';
import {dataView} from '../data.js';
import {count, isoDuration, number, relative, time} from '../format.js';
import {el, icon, replace} from '../html.js';
import * as live from '../live.js';
import {simpleName, taskOf} from '../model.js';
import {copyButton, empty, facts, failed, loading, panel, stateTag} from '../parts.js';
import {quote} from '../filter.js';
import {href, tubeHref} from '../router.js';
import {hasRight} from '../session.js';
import {openPut} from '../put.js';
import {visible, withTimes} from '../text.js';

/** Returns the page. */
export function taskPage({params}) {
  const page = new TaskView(params.tube, params.id);
  page.load();
  const end = live.follow(() => page.load());
  return {
    title: `Task ${params.id} of ${params.tube}`,
    element: page.element,
    leave: () => {
      end();
      page.left.abort();
    },
  };
}

class TaskView {
  constructor(tube, id) {
    this.tube = tube;
    this.id = id;
    this.left = new AbortController();
    this.head = el('div', {class: 'page-head'}, this.title());
    this.why = el('div', {});
    this.side = el('div', {class: 'stack'});
    this.main = el('div', {class: 'stack'}, el('section', {class: 'panel'}, loading(8)));
    this.element = el(
      'div',
      {class: 'stack'},
      this.head,
      this.why,
      (this.columns = el('div', {class: 'two'}, this.main, this.side)),
    );
  }

  title(tag) {
    return el(
      'h1',
      {class: 'grow title'},
      el('a', {class: 'crumb', href: tubeHref(this.tube)}, this.tube),
      el('span', {class: 'crumb'}, ' / '),
      this.id,
      ' ',
      tag,
    );
  }

  async load() {
    try {
      const answer = await get(path('tasks', this.tube, this.id), {signal: this.left.signal});
      this.draw(taskOf(answer), answer);
    } catch (problem) {
      if (problem.name !== 'AbortError' && problem.status !== 401) {
        this.refused(problem);
      }
    }
  }

  refused(problem) {
    if (problem.status === 404) {
      this.shown = null;
      replace(this.head, this.title());
      replace(this.why);
      replace(this.side);
      this.columns.classList.add('alone');
      replace(
        this.main,
        el(
          'section',
          {class: 'panel'},
          this.task
            ? empty('The task is gone', 'It has ended, or it was deleted, since you looked at it.')
            : empty('No such task', problem.message),
          el(
            'p',
            {class: 'center'},
            el('a', {href: href('tasks', {filter: `tube:${this.tube}`})}, `Tasks of ${this.tube}`),
          ),
        ),
      );
    } else if (!this.task) {
      replace(
        this.main,
        failed(problem, () => this.load()),
      );
    }
  }

  /** Draws the data only if it differs, so that a selection of text in it stays. */
  draw(task, answer) {
    this.task = task;
    const key = JSON.stringify({...answer, now: 0, why: 0});
    this.drawWhy(task);
    if (key === this.shown) {
      replace(this.line, timeline(task));
      return;
    }
    this.shown = key;
    this.columns.classList.remove('alone');
    replace(
      this.head,
      this.title(stateTag(task.state)),
      actButtons([task], () => this.load()),
      this.putAgain(task),
      copyButton('Copy as JSON', () => JSON.stringify(this.answer, null, 2), {class: ''}),
    );
    this.answer = answer;
    const view = dataView(task.data, address(`${path('tasks', this.tube, this.id)}/data`));
    this.line = el('ol', {class: 'timeline'}, timeline(task));
    replace(
      this.main,
      panel(view.title, view.buttons, view.element),
      task.result && resultPanel(task.result),
      task.failure && failurePanel(task),
    );
    replace(
      this.side,
      panel('Times', null, this.line),
      panel('Facts', null, factsOf(task)),
      headersPanel(task.headers),
    );
  }

  putAgain(task) {
    const text =
      task.data && !task.data.truncated && !task.data.masked && typeof task.data.text === 'string'
        ? task.data.text
        : null;
    return (
      text !== null &&
      hasRight('OPERATE') &&
      el(
        'button',
        {
          type: 'button',
          on: {
            click: () =>
              openPut(
                {name: this.tube},
                {
                  data: text,
                  contentType: /json/i.test(task.data.type || task.contentType || '')
                    ? 'application/json'
                    : 'text/plain',
                },
              ),
          },
        },
        'Put a copy…',
      )
    );
  }

  drawWhy(task) {
    const text =
      typeof task.why === 'string'
        ? task.why
        : task.why
          ? task.why.sentence || task.why.text
          : sentence(task);
    if (text !== this.whyText) {
      this.whyText = text;
      replace(
        this.why,
        text &&
          el(
            'p',
            {class: `why ${task.state}`},
            icon(task.state === 'buried' ? 'failures' : 'clock'),
            el('span', {class: 'break'}, withTimes(text)),
          ),
      );
    }
  }
}

/** Returns a sentence of the task's own facts, if the server gives no reason. */
function sentence(task) {
  switch (task.state) {
    case 'delayed':
      return `The task is delayed. It becomes READY ${relative(task.event)}.`;
    case 'taken':
      return `${task.server ? `Server ${task.server}` : 'A session'} has held the task since ${relative(task.takenAt)}.`;
    case 'buried':
      return 'The task is set aside until it is retried.';
    case 'done':
      return 'The task is done, and its result is kept.';
    default:
      return '';
  }
}

function timeline(task) {
  const entries = [{at: task.created, text: 'Put', tone: ''}];
  if (task.takenAt) {
    entries.push({
      at: task.takenAt,
      text: ['Taken', task.server && [' by a session of ', el('b', {}, task.server)]],
      tone: 'now',
    });
  }
  if (task.event) {
    entries.push({at: task.event, text: DEADLINES[task.state] || 'Deadline', tone: 'next'});
  }
  return entries.map(({at, text, tone}) =>
    el(
      'li',
      {class: tone},
      el('div', {class: 'row'}, el('span', {class: 'grow'}, text), time(at)),
      el('span', {class: 'faint'}, relative(at)),
    ),
  );
}

const DEADLINES = {
  delayed: 'The delay is over: READY',
  taken: 'The ttr is over: READY again',
  ready: 'The ttl is over: gone',
  buried: 'The ttl is over: gone',
  done: 'The result’s ttl is over: gone',
};

function factsOf(task) {
  const code = (value) => el('code', {class: 'break'}, value);
  return facts([
    ['Tube', el('a', {href: tubeHref(task.tube)}, task.tube)],
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

function headersPanel(headers) {
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

function resultPanel(result) {
  const view = dataView(result.data, null);
  return panel(`Result: ${String(result.outcome || '').toLowerCase()}`, view.buttons, view.element);
}

function failurePanel(task) {
  const {failure} = task;
  const more = el(
    'a',
    {href: href('tasks', {filter: `error:${quote(failure.type)}`})},
    'Tasks with this exception',
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
        failure.message && `: ${visible(failure.message)}`,
      ),
      failure.trace &&
        el(
          'details',
          {open: true},
          el('summary', {}, 'Trace'),
          el('pre', {class: 'code trace', tabindex: '0', 'aria-label': 'Trace'}, visible(failure.trace)),
        ),
      failure.trace && el('div', {}, copyButton('Copy trace', failure.trace)),
    ),
  );
}
