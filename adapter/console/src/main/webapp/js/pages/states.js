// The states above the list of tasks: each with its number, each a filter.

import {isOneState, namesOf, split} from '../data/filter.js';
import {short} from '../data/format.js';
import {STATES} from '../data/model.js';
import {onOverview} from '../data/overview.js';
import {href} from '../data/router.js';
import {el, setText} from '../ui/html.js';

/**
 * Returns the states as links, for a filter. The numbers are those of the tubes that the filter names, or of all; a filter
 * with other conditions has none.
 *
 * @returns {{element: HTMLElement, leave: () => void}}
 */
export function stateLinks(filter) {
  const conditions = split(filter).map((condition) => condition.text);
  const others = conditions.filter((text) => !/^state:/i.test(text));
  const chosen = conditions.filter((text) => /^state:/i.test(text));
  const numbers = ['all', ...STATES].map(() => el('span', {class: 'faint'}));
  const links = ['all', ...STATES].map((state, i) => {
    const on = state === 'all' ? chosen.length === 0 : chosen.some((text) => isOneState(text, state));
    const target = href('tasks', {
      filter: [...others, state === 'all' ? '' : `state:${state}`].filter(Boolean).join(' '),
    });
    const mark = state === 'all' ? null : el('i', {class: state});
    return el(
      'a',
      {href: target, 'data-focus': `state-${state}`, 'aria-current': on && 'true'},
      mark,
      state[0].toUpperCase() + state.slice(1),
      numbers[i],
    );
  });
  // The numbers are of tubes: with any further condition they would not be those that the filter finds
  const isOfTubes = others.every((text) => /^tube:/i.test(text) && !/[*"]/.test(text));
  const leave = onOverview(
    (overview) => overview && isOfTubes && count(overview, namesOf(others, 'tube'), numbers),
  );
  return {element: el('nav', {class: 'states', 'aria-label': 'States'}, links), leave};
}

/** While the adapter does not run, they are not known. */
function count({runs, tubes}, names, numbers) {
  const chosen = names === null ? tubes : tubes.filter((tube) => names.includes(tube.name));
  const sums = STATES.map((state) => chosen.reduce((sum, tube) => sum + tube[state], 0));
  [sums.reduce((a, b) => a + b, 0), ...sums].forEach((sum, i) => setText(numbers[i], runs ? short(sum) : '–'));
}
