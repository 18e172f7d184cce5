// The problems at the top of the overview.

import {number} from '../data/format.js';
import {safeHref, tubeHref} from '../data/router.js';
import {el, icon, replace} from '../ui/html.js';
import {note} from '../ui/parts.js';
import {withTimes} from '../ui/text.js';

const MOST = 4;

/** The kinds of which three or more are one banner. */
const KINDS = {
  failing: 'fail',
  idle: 'have ready tasks that nobody takes',
  paused: 'are paused, so no task is taken',
  draining: 'are drained, so they accept no puts',
  buried: 'have buried tasks, which no bean gets before a retry',
};
const FEWEST = 3;

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
    const banners = grouped(sorted);
    const rest = banners.slice(MOST);
    replace(
      this.element,
      banners.slice(0, MOST).map(banner),
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

/** Returns the problems; those of one kind and severity as one if they are many, at the place of the first. */
function grouped(problems) {
  const groups = new Map();
  problems.forEach((problem) => {
    const key = `${problem.kind} ${problem.severity}`;
    groups.set(key, [...(groups.get(key) || []), problem]);
  });
  return [...groups.values()].flatMap((group) =>
    group.length >= FEWEST && KINDS[group[0].kind] ? [{...group[0], group}] : group,
  );
}

function banner(problem) {
  if (problem.group) {
    return note(
      problem.severity === 'bad' ? 'bad' : 'warn',
      el(
        'details',
        {class: 'grow'},
        el('summary', {}, el('b', {}, `${number(problem.group.length)} tubes`), ` ${KINDS[problem.kind]}`),
        el('ul', {class: 'plainlist'}, problem.group.map((one) => el('li', {}, sentence(one), ' ', linkOf(one)))),
      ),
    );
  }
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
