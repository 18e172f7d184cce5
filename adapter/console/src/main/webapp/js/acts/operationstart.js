// Acts on all tasks that match a filter: what they would do is shown first, then an operation of the server does it.

import {post} from '../data/api.js';
import {tubesNamed} from '../data/filter.js';
import {count, number} from '../data/format.js';
import {failureLine, taskOf} from '../data/model.js';
import {theOverview} from '../data/overview.js';
import {go, href, taskHref} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {field, openDialog, reasonInput, required, select} from '../ui/dialog.js';
import {el, find, icon, replace, setText} from '../ui/html.js';
import {loading, note, stateTag} from '../ui/parts.js';
import {visible} from '../ui/text.js';

/** The acts of operations, in the order of the select. */
export const OPERATION_ACTS = {
  RETRY: {
    label: 'Retry',
    none: 'none of them is buried',
    others: 'those that are not buried',
    text: 'Each BURIED task becomes READY in its old place. Its attempts count from 0 again.',
  },
  BURY: {
    label: 'Bury',
    none: 'none of them is ready or delayed',
    others: 'those in other states',
    text: 'Each READY or DELAYED task is set aside until it is retried.',
  },
  RELEASE: {
    label: 'Release',
    none: 'none of them is taken',
    others: 'those that are not taken',
    text: 'Each TAKEN task becomes READY. If its holder still works on it, the holder’s ack fails.',
  },
  DELETE: {
    label: 'Delete',
    none: 'all of them are taken',
    others: 'those that are taken',
    text: 'Each task is gone for ever, except those that are TAKEN then.',
    danger: true,
    right: 'ADMIN',
  },
};
const MOST_TUBES = 8;

/** Returns the acts that the user may start on all tasks that match a filter. */
export function operationActs(filter) {
  const tubes = tubesNamed(filter);
  return Object.keys(OPERATION_ACTS).filter((act) => hasRight(OPERATION_ACTS[act].right || 'OPERATE', tubes));
}

/** Returns the button for all tasks that match; null without a filter, because it would be on all tasks of all tubes. */
export function operationButton(filter) {
  if (filter.trim() === '' || operationActs(filter).length === 0) {
    return null;
  }
  const act = likely(filter);
  return el(
    'button',
    {type: 'button', 'data-act': `operation-${act.toLowerCase()}`, on: {click: () => openOperation(filter, act)}},
    icon('operations'),
    'Act on all that match…',
  );
}

/** Returns the act that the state of a filter asks for. */
function likely(filter) {
  const state = /(?:^|\s)state:(\w+)(?=\s|$)/i.exec(filter);
  return {ready: 'BURY', delayed: 'BURY', taken: 'RELEASE'}[state && state[1].toLowerCase()] || 'RETRY';
}

/** Opens the dialog for all tasks that match a filter. What they have in common can have a name, for the title. */
export function openOperation(filter, act = 'RETRY', name = '') {
  new MassDialog(filter, act, name).open();
}

class MassDialog {
  constructor(filter, act, name) {
    this.filter = filter;
    this.name = name;
    this.call = 0;
    this.choice = select(
      operationActs(filter).map((name) => [name, OPERATION_ACTS[name].label]),
      act,
    );
    this.choice.addEventListener('change', () => this.preview());
    this.reason = reasonInput();
    this.sure = el('input', {type: 'text', inputmode: 'numeric', autocomplete: 'off', spellcheck: 'false'});
    this.typed = el('div', {hidden: true}, field('Number of the tasks', this.sure, 'Type it to confirm'));
    this.text = el('p', {class: 'soft'});
    this.shown = el('div', {class: 'stack tight', 'aria-live': 'polite'});
  }

  open() {
    const dialog = openDialog({
      title: this.title(''),
      subject: el('p', {}, el('code', {class: 'break filtertext'}, visible(this.filter))),
      fields: [
        el('div', {class: 'stack tight'}, field('Act', this.choice), this.text),
        this.shown,
        this.typed,
        field('Reason', this.reason),
      ],
      verb: 'Start',
      wide: true,
      opened: (confirm) => {
        this.confirm = confirm;
        this.preview();
      },
      closed: () => this.call++,
      act: () => this.start(),
    });
    this.heading = find('h2', dialog);
  }

  /** Returns the title: the act, what it is on, and how many tasks that are. */
  title(tasks) {
    const what = this.name ? visible(this.name) : 'all tasks that match';
    return `${OPERATION_ACTS[this.act].label} ${what}${tasks && `, ${tasks}`}`;
  }

  get act() {
    return this.choice.value;
  }

  /** An answer that another choice has overtaken is not shown. */
  async preview() {
    const call = ++this.call;
    const {label, text, danger} = OPERATION_ACTS[this.act];
    this.found = null;
    setText(this.text, text);
    this.heading && setText(this.heading, this.title(''));
    this.ready(label, false, danger);
    replace(this.shown, loading(4));
    try {
      const found = await post('operations/preview', {act: this.act, filter: this.filter});
      if (call === this.call) {
        this.found = found;
        this.draw(found);
      }
    } catch (problem) {
      if (call === this.call) {
        replace(this.shown, note('bad', el('b', {}, problem.title), ' ', problem.message));
      }
    }
  }

  ready(verb, enabled, danger) {
    setText(this.confirm, verb);
    this.confirm.disabled = !enabled;
    this.confirm.classList.toggle('danger', Boolean(danger));
    this.typed.hidden = !(danger && enabled);
  }

  draw(found) {
    const {label, danger} = OPERATION_ACTS[this.act];
    const {fits} = found;
    setText(this.heading, this.title(fitsText(found)));
    const some = fits > 0 || found.isLeast;
    this.ready(some ? `${label} ${fitsText(found)}` : label, some, danger);
    replace(
      this.shown,
      note(!some ? 'info' : danger ? 'bad' : 'warn', sentence(found, this.act)),
      tubesOf(found),
      closedTubes(found),
      samplesOf(found),
    );
  }

  async start() {
    if (!this.found) {
      throw Object.assign(new Error('The preview is not there yet.'), {title: 'Wait.'});
    }
    const reason = required(this.reason, 'An act needs a reason.');
    const {fits, isLeast, upTo} = this.found;
    if (OPERATION_ACTS[this.act].danger && this.sure.value.replace(/[\s,.’']/g, '') !== String(fits)) {
      this.sure.setAttribute('aria-invalid', 'true');
      this.sure.focus();
      throw Object.assign(new Error(`The number of the tasks is ${number(fits)}.`), {
        title: 'Another number.',
      });
    }
    const operation = await post('operations', {
      act: this.act,
      filter: this.filter,
      reason,
      count: fits,
      isLeast,
      upTo,
    });
    go(href(`operations/${operation.id}`));
    return `Operation ${operation.id} has started.`;
  }
}

/** Returns what the act would do, in a few words. */
function sentence(found, act) {
  const {label, none, others} = OPERATION_ACTS[act];
  const matching = `${found.isMore ? 'at least ' : ''}${count(found.count, 'task')} ${found.count === 1 ? 'matches' : 'match'}`;
  if (found.fits === 0 && found.isLeast) {
    return 'The look at the tasks has ended at its bound without one. The act looks at all of them.';
  }
  if (found.count === 0) {
    return 'No task matches the filter.';
  }
  if (found.fits === 0) {
    return `${capital(matching)}; ${none}.`;
  }
  return [
    el('b', {}, `${label} ${fitsText(found)}.`),
    found.isMore || found.fits < found.count
      ? ` ${capital(matching)}; ${others} are left as they are.`
      : '',
    found.isLeast
      ? ' The look is bounded, the act is not: it changes all that it finds.'
      : ' If more fit by then, it stops after this number and asks.',
  ];
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function fitsText({fits, isLeast}) {
  return `${isLeast ? 'at least ' : ''}${count(fits, 'task')}`;
}

/** Returns a note on those of the tubes that give out no tasks now. */
function closedTubes({tubes = []}) {
  const modes = new Map((theOverview()?.tubes || []).map((tube) => [tube.name, tube.mode]));
  const paused = tubes.map(({tube}) => tube).filter((tube) => modes.get(tube) === 'PAUSED');
  return (
    paused.length > 0 &&
    note(
      'info',
      `${paused.slice(0, MOST_TUBES).join(', ')} ${paused.length === 1 ? 'is' : 'are'} PAUSED: nothing is taken there until a resume.`,
    )
  );
}

function tubesOf({tubes = []}) {
  return (
    tubes.length > 0 &&
    el(
      'ul',
      {class: 'chips', 'aria-label': 'Tubes'},
      tubes
        .slice(0, MOST_TUBES)
        .map((row) =>
          el('li', {class: 'chip'}, icon('tube'), ' ', row.tube, ' ', el('b', {}, number(row.count))),
        ),
      tubes.length > MOST_TUBES &&
        el('li', {class: 'chip soft'}, `and ${count(tubes.length - MOST_TUBES, 'tube')} more`),
    )
  );
}

function samplesOf({samples = []}) {
  const tasks = samples.map(taskOf);
  return (
    tasks.length > 0 &&
    el(
      'details',
      {open: true},
      el('summary', {}, tasks.length === 1 ? 'The task' : `${count(tasks.length, 'sample')}`),
      el(
        'ul',
        {class: 'samples'},
        tasks.map((task) =>
          el(
            'li',
            {},
            el(
              'a',
              {href: taskHref(task.tube, task.id), target: '_blank', class: 'mono'},
              `${task.tube} / ${task.id}`,
            ),
            stateTag(task.state),
            el(
              'span',
              {class: 'clip soft'},
              task.failure ? visible(failureLine(task.failure)) : '',
            ),
          ),
        ),
      ),
    )
  );
}
