// Dialogs: each names what it acts on, asks for what the call takes, and shows why a call was refused.

import {el, find, findAll, icon, replace, setText} from './html.js';
import {announce, note} from './parts.js';

/** The number of dialogs so far: a login can be over another one, and each has an id of its own. */
let opened = 0;

/**
 * Opens a dialog.
 *
 * @param {Object} options
 * @param {string} options.title
 * @param {(Node|string|Array)} options.subject what the act acts on
 * @param {Node[]} [options.fields]
 * @param {string|null} options.verb the text of the button; null for a dialog without one
 * @param {boolean} [options.danger]
 * @param {boolean} [options.wide]
 * @param {(progress: (text: string, share: number) => void, closed: AbortSignal) => Promise<string|Node|null>}
 *     [options.act] returns what was done; a text is announced and closes the dialog, a node is shown in it. Throws for a
 *     refused call. A dialog with a verb has one. An act of many calls ends at the close of the dialog
 * @param {(confirm: HTMLButtonElement) => void} [options.opened] gets the button, to change its text or to disable it
 * @param {() => void} [options.closed]
 */
export function openDialog(options) {
  const {title, subject, fields = [], verb, danger = false, wide = false, act} = options;
  const heading = `dialog-title-${++opened}`;
  const outcome = el('div', {class: 'outcome', 'aria-live': 'polite'});
  const progress = el('progress', {max: '1', hidden: true, 'aria-label': 'Progress'});
  const confirm = el(
    'button',
    {type: 'submit', class: danger ? 'primary danger' : 'primary', hidden: verb === null},
    verb,
  );
  const cancel = el('button', {type: 'button', on: {click: () => dialog.close()}}, 'Cancel');
  const form = el(
    'form',
    {class: 'dialog-form', novalidate: true},
    el(
      'header',
      {},
      el('h2', {id: heading}, title),
      el(
        'button',
        {type: 'button', class: 'plain square', 'aria-label': 'Close', on: {click: () => dialog.close()}},
        icon('close'),
      ),
    ),
    el('div', {class: 'dialog-body'}, el('div', {class: 'subject'}, subject), fields, outcome, progress),
    el('footer', {}, el('span', {class: 'grow faint dialog-progress'}), cancel, confirm),
  );
  const dialog = el('dialog', {class: wide ? 'wide' : '', 'aria-labelledby': heading}, form);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!confirm.disabled) {
      run({dialog, form, outcome, progress, confirm, cancel, act, closed: closed.signal});
    }
  });
  const closed = new AbortController();
  dialog.addEventListener('close', () => {
    closed.abort();
    dialog.remove();
    options.closed?.();
  });
  keepText(dialog, form, outcome);
  document.body.append(dialog);
  dialog.showModal();
  options.opened?.(confirm);
  (
    find(
      '.dialog-body input, .dialog-body textarea, .dialog-body select, .dialog-body .field button, .dialog-body > button',
      form,
    ) || confirm
  ).focus();
  return dialog;
}

/** One Esc does not throw away what was typed; a second one does. */
function keepText(dialog, form, outcome) {
  form.addEventListener('input', (event) => {
    if (event.target.matches('textarea, input:not([type=checkbox], [type=search])')) {
      form.dataset.typed = 'unsaid';
    }
  });
  dialog.addEventListener('cancel', (event) => {
    if (form.dataset.typed === 'unsaid' && event.target === dialog) {
      form.dataset.typed = 'said';
      event.preventDefault();
      replace(outcome, note('warn', 'Esc again throws away what you have typed.'));
      outcome.firstChild.scrollIntoView({block: 'nearest'});
    }
  });
}

/** Says something in the dialogs that are open, under their fields; not in place of what was done or refused. */
export function sayInDialogs(text) {
  findAll('dialog[open] .outcome')
    .filter((outcome) => !outcome.hasChildNodes())
    .forEach((outcome) => replace(outcome, note('warn', text)));
}

async function run({dialog, form, outcome, progress, confirm, cancel, act, closed}) {
  let isOver = false;
  confirm.disabled = true;
  replace(outcome);
  if (form.dataset.typed) {
    // The warning is gone
    form.dataset.typed = 'unsaid';
  }
  try {
    const done = await act((text, share) => {
      progress.hidden = false;
      progress.value = share;
      setText(form.querySelector('.dialog-progress'), text);
    }, closed);
    if (done instanceof Node && closed.aborted) {
      announce(done.textContent);
      toast(done.textContent, 'info');
    } else if (done instanceof Node) {
      replace(outcome, done);
      delete form.dataset.typed;
      isOver = true;
      confirm.hidden = true;
      setText(cancel, 'Close');
      cancel.focus();
    } else {
      dialog.close();
      announce(done || 'Done.');
      toast(done);
    }
  } catch (problem) {
    replace(outcome, note('bad', el('b', {}, problem.title || 'Refused'), ' ', problem.message));
    outcome.firstChild.scrollIntoView({block: 'nearest'});
  } finally {
    // What was done is not done again by a further Enter
    confirm.disabled = isOver;
    progress.hidden = true;
    setText(form.querySelector('.dialog-progress'), '');
  }
}

/** Shows for some seconds what was done. Screen readers have it from the announcement. */
export function toast(text, mark = 'check') {
  if (!text) {
    return;
  }
  const element = el('div', {class: 'toast', 'aria-hidden': 'true'}, icon(mark), text);
  document.body.append(element);
  setTimeout(() => element.remove(), 4_000);
}

/** Returns a labelled field, and its input. */
export function field(label, input, hint) {
  const id = `f-${label.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  input.id = id;
  if (hint) {
    input.setAttribute('aria-describedby', `${id}-hint`);
  }
  return el(
    'div',
    {class: 'field'},
    el('label', {for: id}, label),
    input,
    hint && el('p', {class: 'faint', id: `${id}-hint`}, hint),
  );
}

/** Returns the input of a reason. */
export function reasonInput() {
  return el('input', {
    type: 'text',
    maxlength: '255',
    placeholder: 'Why? Other operators and the audit log read it',
    autocomplete: 'off',
  });
}

/** Returns a select of values with their labels. */
export function select(options, chosen) {
  const element = el(
    'select',
    {},
    options.map(([value, label]) => el('option', {value}, label)),
  );
  element.value = chosen;
  return element;
}

/** Returns the text of an input; throws if it is blank. */
export function required(input, message) {
  const value = input.value.trim();
  input.setAttribute('aria-invalid', String(value === ''));
  if (value === '') {
    input.focus();
    throw Object.assign(new Error(message), {title: 'Missing.'});
  }
  return value;
}
