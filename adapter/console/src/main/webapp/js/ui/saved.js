// Saved filters of this browser.

import {href} from '../data/router.js';
import {field, openDialog, required} from './dialog.js';
import {el, icon, replace} from './html.js';

const KEY = 'tasktube.filters';
const MOST = 30;

/**
 * Returns the saved filters as links, and the button that saves the present one.
 *
 * @param {string} filter
 * @returns {{list: HTMLElement, button: HTMLElement|null}}
 */
export function savedFilters(filter) {
  const list = el('ul', {class: 'saved', 'aria-label': 'Saved filters'});
  const draw = () => {
    const saved = read();
    list.hidden = saved.length === 0;
    replace(
      list,
      saved.map(({name, text}) =>
        el(
          'li',
          {class: 'pill'},
          el(
            'a',
            {
              class: 'pill-text',
              href: href('tasks', {filter: text}),
              title: text,
              'aria-current': text === filter && 'true',
            },
            name,
          ),
          el(
            'button',
            {
              type: 'button',
              class: 'pill-x',
              'aria-label': `Forget ${name}`,
              on: {click: () => forget(name, draw)},
            },
            icon('close'),
          ),
        ),
      ),
    );
  };
  draw();
  const button =
    filter &&
    el(
      'button',
      {type: 'button', class: 'small', 'data-act': 'save', on: {click: () => openSave(filter, draw)}},
      icon('plus'),
      'Save filter…',
    );
  return {list, button: button || null};
}

function openSave(filter, draw) {
  const name = el('input', {type: 'text', maxlength: '40', autocomplete: 'off', value: filter.slice(0, 40)});
  openDialog({
    title: 'Save this filter',
    subject: el('p', {}, el('code', {class: 'break'}, filter)),
    fields: [field('Name', name, 'This browser keeps it.')],
    verb: 'Save',
    act: async () => {
      const chosen = required(name, 'A filter needs a name.');
      write([...read().filter((saved) => saved.name !== chosen), {name: chosen, text: filter}].slice(-MOST));
      draw();
      return `Saved: ${chosen}.`;
    },
  });
}

function forget(name, draw) {
  write(read().filter((saved) => saved.name !== name));
  draw();
}

/** Storage is free text of the user: all that is not a list of names and texts is left out. */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) || '[]');
    return kept
      .filter((saved) => typeof saved.name === 'string' && typeof saved.text === 'string')
      .slice(0, MOST);
  } catch (e) {
    return [];
  }
}

function write(saved) {
  try {
    localStorage.setItem(KEY, JSON.stringify(saved));
  } catch (e) {
    throw Object.assign(new Error('The browser does not store it.'), {title: 'Not saved.'});
  }
}
