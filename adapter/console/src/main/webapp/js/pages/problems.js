// The problems at the top of the overview.

import {number} from '../data/format.js';
import {safeHref, tubeHref} from '../data/router.js';
import {el, icon, replace} from '../ui/html.js';
import {note} from '../ui/parts.js';
import {withTimes} from '../ui/text.js';

const MOST = 4;

/** The problems. They are drawn again only if they differ: a screen reader and a pointer stay where they are. */
export class Problems {
  constructor() {
    this.element = el('div', {class: 'problems'});
    this.shown = null;
  }

  update({problems, runs}) {
    const key = JSON.stringify(problems);
    if (key === this.shown) {
      return;
    }
    this.shown = key;
    const sorted = [...problems].sort(
      (a, b) => (a.severity === 'bad' ? 0 : 1) - (b.severity === 'bad' ? 0 : 1),
    );
    const rest = sorted.slice(MOST);
    replace(
      this.element,
      sorted.slice(0, MOST).map(banner),
      rest.length > 0 &&
        el(
          'details',
          {},
          el('summary', {}, `${number(rest.length)} more`),
          el('div', {class: 'problems'}, rest.map(banner)),
        ),
      sorted.length === 0 && runs && note('good', 'No problems.'),
    );
  }
}

function banner(problem) {
  return note(
    problem.severity === 'bad' ? 'bad' : 'warn',
    el('span', {class: 'grow'}, sentence(problem)),
    linkOf(problem),
  );
}

function sentence(problem) {
  const {text = '', tube} = problem;
  const at = tube ? ` ${text} `.search(new RegExp(`[^\\w-]${tube}[^\\w-]`)) : -1;
  return at < 0
    ? withTimes(text)
    : [withTimes(text.slice(0, at)), el('b', {}, tube), withTimes(text.slice(at + tube.length))];
}

function linkOf(problem) {
  const target = problem.link ? safeHref(problem.link) : problem.tube ? tubeHref(problem.tube) : null;
  return target && el('a', {href: target}, 'Look', icon('chevron'));
}
