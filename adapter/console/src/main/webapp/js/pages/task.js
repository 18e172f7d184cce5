// A task: why it waits, its timeline, its facts, its data, its failure, its acts. One that is gone may have a history.

import {canEdit, editLabel, openEdit} from '../acts/edit.js';
import {letGoButton} from '../acts/letgo.js';
import {openPut} from '../acts/put.js';
import {actButtons} from '../acts/taskacts.js';
import {address, get, path} from '../data/api.js';
import {isoDuration, relative} from '../data/format.js';
import * as live from '../data/live.js';
import {taskOf} from '../data/model.js';
import {href, tubeHref} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {words} from '../data/timelines.js';
import {el, icon, replace} from '../ui/html.js';
import {copyButton, empty, failed, loading, panel, stateTag} from '../ui/parts.js';
import {dataView} from '../ui/taskdata.js';
import {withTimes} from '../ui/text.js';
import {orderPanel} from './taskorder.js';
import {factsOf, failurePanel, headersPanel, resultPanel} from './taskparts.js';
import {TaskLog} from './tasklog.js';
import {bar} from './taskrow.js';
import {Timeline} from './timeline.js';

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
    this.timeline = new Timeline(tube, id, this.left.signal);
    this.log = new TaskLog(tube, id, this.left.signal);
    this.head = el('div', {class: 'page-head'}, this.title());
    this.why = el('div', {});
    this.side = el('div', {class: 'stack'});
    this.main = el('div', {class: 'stack'}, el('section', {class: 'panel'}, loading(8)));
    this.element = el(
      'div',
      {class: 'stack'},
      this.head,
      this.why,
      (this.columns = el('div', {class: 'two task-page'}, this.main, this.side)),
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
    if (this.isGone) {
      return;
    }
    try {
      const answer = await get(path('tasks', this.tube, this.id), {signal: this.left.signal});
      this.draw(taskOf(answer), answer);
    } catch (problem) {
      if (problem.name !== 'AbortError' && problem.status !== 401) {
        this.refused(problem);
      }
    }
  }

  async refused(problem) {
    if (problem.status === 404) {
      await this.gone(problem);
    } else if (!this.task) {
      replace(
        this.main,
        failed(problem, () => this.load()),
      );
    }
  }

  /** A task that is gone stays gone: its history is read once. */
  async gone(problem) {
    if (this.isGone) {
      return;
    }
    this.isGone = true;
    this.shown = null;
    this.timeline.show(null);
    const known = await this.timeline.load().catch(() => false);
    replace(this.head, this.title(known && el('span', {class: 'tag'}, 'gone')));
    replace(this.why, known && goneLine(this.timeline));
    replace(this.side);
    this.columns.classList.add('alone');
    replace(this.main, known ? this.timeline.element : this.nothing(problem));
  }

  nothing(problem) {
    const link = el('a', {href: href('tasks', {filter: `tube:${this.tube}`})}, `Tasks of ${this.tube}`);
    return el(
      'section',
      {class: 'panel'},
      this.task
        ? empty('The task is gone', 'It has ended, or it was deleted, since you looked at it.')
        : empty('No such task', problem.message),
      el('p', {class: 'center'}, link),
    );
  }

  /** Draws the data only if it differs, so that a selection of text in it stays. */
  draw(task, answer) {
    this.task = task;
    const key = JSON.stringify({...answer, now: 0, why: 0, progress: answer.progress?.cancelledAt});
    this.drawWhy(task);
    this.timeline.show(task);
    if (key === this.shown) {
      return;
    }
    this.shown = key;
    this.timeline.load().catch(() => {});
    this.columns.classList.remove('alone');
    replace(
      this.head,
      this.title(stateTag(task.state)),
      actButtons([task], () => this.load()),
      canEdit(task) &&
        el(
          'button',
          {
            type: 'button',
            'data-act': 'edit',
            on: {click: () => openEdit(this.task, () => live.refreshNow())},
          },
          icon('edit'),
          `${editLabel(task)}…`,
        ),
      this.putAgain(task),
      copyButton('Copy as JSON', () => JSON.stringify(this.answer, null, 2), {class: ''}),
    );
    this.answer = answer;
    const view = dataView(task.data, address(`${path('tasks', this.tube, this.id)}/data`));
    replace(
      this.main,
      panel(view.title, view.buttons, view.element),
      task.result && resultPanel(task.result),
      task.failure && failurePanel(task),
      this.log.element,
    );
    this.log.follow(task);
    replace(
      this.side,
      this.timeline.element,
      orderPanel(task),
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
      hasRight('OPERATE', this.tube) &&
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
    const heldBy = task.why?.heldBy;
    const key = JSON.stringify([text, heldBy, task.progress]);
    if (key !== this.whyShown) {
      this.whyShown = key;
      replace(
        this.why,
        text &&
          el(
            'p',
            {class: `why ${task.state}`},
            icon(task.state === 'buried' ? 'failures' : 'clock'),
            el('span', {class: 'break'}, withTimes(text)),
            el('span', {class: 'part'}, bar(task.progress)),
            heldBy && letGoButton(task, () => live.refreshNow()),
          ),
      );
    }
  }
}

function goneLine(timeline) {
  const last = timeline.last();
  const retention = timeline.retention();
  const how = last ? `. Last, ${relative(last.at)}: ${words(last)}.` : ': it has ended, or it was deleted.';
  const kept = retention ? ` Its history is kept for ${isoDuration(retention)}.` : '';
  return el(
    'p',
    {class: 'why'},
    icon('info'),
    el('span', {}, `The task is gone${how}${kept}`),
  );
}

/** Returns a sentence of the task's own facts, if the server gives no reason. */
function sentence(task) {
  switch (task.state) {
    case 'delayed':
      return task.event
        ? `The task is delayed. It becomes READY ${relative(task.event)}.`
        : 'The task waits for others.';
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
