// The foot of the list of tasks: how many, and how to come to further ones.

import {split} from '../data/filter.js';
import {count, number} from '../data/format.js';
import {href} from '../data/router.js';
import {el, icon} from '../ui/html.js';

/**
 * Returns the parts of the foot.
 *
 * @param {{filter: string, from: string, next: string|null, found: number, isFull: boolean, looked: number,
 *     isLarge: boolean, goOn: () => void}} page `isFull` if the page has all rows that it can
 *     have; `isLarge` if its search is not repeated by itself
 */
export function taskFoot(page) {
  const full = page.next !== null && page.isFull;
  const searching = page.next !== null && !full;
  const found = searching ? ` found so far, ${number(page.looked)} looked at` : '';
  const large = page.isLarge ? '. This search is too large to be repeated by itself' : '';
  return [
    page.from &&
      el('a', {class: 'button', href: href('tasks', {filter: page.filter})}, icon('back'), 'First page'),
    el('span', {class: 'faint grow'}, `${count(page.found, 'task')}${orderOf(page)}${found}${large}`),
    searching &&
      el(
        'button',
        {
          type: 'button',
          class: 'primary',
          'data-act': 'go-on',
          on: {click: page.goOn},
        },
        'Search on',
      ),
    full &&
      el(
        'a',
        {class: 'button', href: href('tasks', {filter: page.filter, from: page.next})},
        isByAge(page.filter) ? 'Older' : 'Next',
        icon('chevron'),
      ),
  ];
}

/** Tasks of tubes and states come as they are taken, which looks like no order at all. */
function orderOf({filter, found}) {
  if (found < 2) {
    return '';
  }
  const fields = split(filter).map(({text}) => /^-?[a-z]+[:.<>]/i.exec(text)?.[0].toLowerCase());
  return isByAge(filter) && !fields.includes('error:')
    ? ', the newest first'
    : fields.every((field) => !['id:', 'key:', 'failure:', 'error:', 'data.'].includes(field))
      ? ', in the order of take'
      : '';
}

/** A search without these fields reads the newest tasks first; any other has another order. */
function isByAge(filter) {
  return !split(filter).some(({text}) => /^(?:(?:tube|state|id|key|failure):|data\.)/i.test(text));
}
