// The row of a kind of failures.

import {canEdit, openEdit} from '../acts/edit.js';
import {operationActs, openOperation} from '../acts/operationstart.js';
import {openMode} from '../acts/tubeacts.js';
import {get, path} from '../data/api.js';
import {number} from '../data/format.js';
import {simpleName, taskOf} from '../data/model.js';
import {theOverview} from '../data/overview.js';
import {href, taskHref, tubeHref} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {openDialog, toast} from '../ui/dialog.js';
import {el, icon, replace} from '../ui/html.js';
import {cell, hourBars, rowHead} from '../ui/parts.js';
import {visible} from '../ui/text.js';
import {age} from '../ui/time.js';

const MOST_TUBES = 4;
const WAITING = ['ready', 'delayed', 'taken'];

/** A kind's row. Only its numbers change. */
export class FailureRow {
  constructor(group, done) {
    this.group = group;
    this.done = done;
    this.tubes = cell('tubes', {class: 'tubescell'});
    this.buried = cell('buried', {class: 'num n-buried'});
    this.waiting = cell('will retry', {class: 'num'});
    this.total = cell('tasks', {class: 'num'});
    this.trend = cell('24 h', {class: 'sparkcell'});
    this.first = cell('first', {class: 'num soft'});
    this.last = cell('last', {class: 'num soft'});
    this.acts = el('div', {class: 'rowacts'});
    this.element = el(
      'tr',
      {role: 'row', tabindex: '-1'},
      rowHead(
        {class: 'name wide'},
        tasksLink(group, '', {class: 'break', title: group.type}, visible(simpleName(group.type))),
        group.cause &&
          el('div', {class: 'soft break', title: group.cause}, 'caused by ', el('b', {}, visible(simpleName(group.cause)))),
        group.message && el('div', {class: 'message'}, visible(group.message)),
        group.frame && el('div', {class: 'faint mono break'}, group.frame),
        this.acts,
      ),
      this.tubes,
      this.buried,
      this.waiting,
      this.total,
      this.trend,
      this.first,
      this.last,
    );
  }

  /** Returns the text by which the row is found. */
  words() {
    const {type, cause, message, frame, tubes} = this.group;
    return `${type} ${cause} ${message} ${frame} ${tubes.join(' ')}`.toLowerCase();
  }

  /** Links keep the focus: a cell is drawn again only if its numbers differ. */
  update(group) {
    this.group = group;
    replace(this.first, age(group.first), ' ago');
    replace(this.last, age(group.last), ' ago');
    const key = JSON.stringify([group.tasks, group.tubes, group.sampleTube, group.sampleTask, group.trend]);
    if (key === this.shown) {
      return;
    }
    this.shown = key;
    const waiting = WAITING.reduce((sum, state) => sum + (group.tasks[state] || 0), 0);
    const buried = group.tasks.buried || 0;
    replace(this.buried, tasksLink(group, 'buried', {class: buried ? '' : 'zero'}, number(buried)));
    replace(
      this.waiting,
      tasksLink(group, WAITING.join(','), {class: waiting ? '' : 'zero'}, number(waiting)),
    );
    replace(this.total, el('b', {}, number(group.total)));
    replace(this.trend, hourBars(group.trend));
    replace(this.tubes, el('div', {class: 'row tight'}, tubeTags(group.tubes)));
    if (!this.acts.contains(document.activeElement)) {
      replace(this.acts, this.buttons(buried));
    }
  }

  buttons(buried) {
    const {group} = this;
    const acts = (state, right) => operationActs(ownFilter(group, state, right));
    const button = (act, label, click, cls = '') =>
      el('button', {type: 'button', class: `small ${cls}`, 'data-act': act, on: {click}}, label);
    const open = group.tubes.filter((tube) => hasRight('OPERATE', tube) && modeOf(tube) === 'OPEN');
    const more = [
      group.sampleTask !== undefined &&
        el(
          'a',
          {class: 'button small', href: taskHref(group.sampleTube, String(group.sampleTask))},
          'Sample',
        ),
      hasRight('OPERATE', group.sampleTube) &&
        group.sampleTask !== undefined &&
        button('edit', 'Edit sample…', () => this.edit()),
      open.length > 0 && button('pause', 'Pause…', () => this.pause(open)),
      acts('', 'ADMIN').includes('DELETE') &&
        button('delete-all', 'Delete all…', () => openOperation(ownFilter(group, '', 'ADMIN'), 'DELETE', simpleName(group.type)), 'danger'),
    ].filter(Boolean);
    const canRetry = acts('buried').includes('RETRY') && buried > 0;
    return [
      canRetry &&
        button('retry-all', 'Retry all…', () => openOperation(ownFilter(group, 'buried'), 'RETRY', simpleName(group.type))),
      more.length < 2
        ? more
        : el('details', {class: 'menu'}, el('summary', {class: 'button small'}, 'More'), el('div', {class: 'row tight'}, more)),
    ];
  }

  /** The sample of a group can be another one by now, or gone. */
  async edit() {
    const {sampleTube, sampleTask} = this.group;
    try {
      const task = taskOf(await get(path('tasks', sampleTube, String(sampleTask))));
      if (canEdit(task)) {
        openEdit(task, this.done);
      } else {
        toast(`Task ${task.id} is ${task.state} now, and cannot be edited.`, 'info');
      }
    } catch (problem) {
      toast(problem.message, 'failures');
    }
  }

  pause(tubes) {
    if (tubes.length === 1) {
      openMode('pause', tubeRow(tubes[0]));
      return;
    }
    const dialog = openDialog({
      title: 'Pause a tube',
      subject: el('p', {}, 'Tasks of these tubes have the failure:'),
      fields: tubes.map((tube) =>
        el(
          'button',
          {
            type: 'button',
            on: {
              click: () => {
                dialog.close();
                openMode('pause', tubeRow(tube));
              },
            },
          },
          icon('pause'),
          `${tube}…`,
        ),
      ),
      verb: null,
    });
  }
}

function tubeRow(name) {
  const tubes = theOverview() ? theOverview().tubes : [];
  return tubes.find((tube) => tube.name === name) || {name, mode: 'OPEN', ready: 0, taken: 0, total: 0};
}

function modeOf(name) {
  return tubeRow(name).mode;
}

function tubeTags(tubes) {
  return [
    tubes.slice(0, MOST_TUBES).map((tube) => el('a', {class: 'tag clip', href: tubeHref(tube)}, tube)),
    tubes.length > MOST_TUBES &&
      el('span', {class: 'tag', title: tubes.join(', ')}, `${number(tubes.length - MOST_TUBES)} more`),
  ];
}

function filterOf(group, states) {
  return [`failure:${group.fingerprint}`, states && `state:${states}`].filter(Boolean).join(' ');
}

/** Returns the filter of those tasks of a group on which the user may act. */
function ownFilter(group, states, right = 'OPERATE') {
  const own = group.tubes.filter((tube) => hasRight(right, tube));
  return hasRight(right) || own.length === 0
    ? filterOf(group, states)
    : `tube:${own.join(',')} ${filterOf(group, states)}`;
}

/** Returns a link to the tasks of a group in some states. */
function tasksLink(group, states, props, text) {
  return el('a', {...props, href: href('tasks', {filter: filterOf(group, states)})}, text);
}
