// A line that says what a list does not show yet. Rows never move by themselves: the user asks for the new ones.

import {el, icon, replace} from './html.js';

/**
 * Returns the line, and a function that sets its text; an empty text hides it.
 *
 * @param {() => void} show reads the list anew
 */
export function newsBar(show) {
  const element = el('div', {class: 'news', hidden: true});
  let shown = '';
  const update = (text) => {
    element.hidden = text === '';
    if (text !== shown) {
      shown = text;
      replace(
        element,
        icon('info'),
        el('span', {}, text),
        el('button', {type: 'button', class: 'link', on: {click: show}}, 'Show'),
      );
    }
  };
  return {element, update};
}
