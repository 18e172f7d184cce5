// The tasks before a task and after it: as a graph of three columns, and as lists of links.

import {number} from '../data/format.js';
import {taskHref} from '../data/router.js';
import {el, svg} from '../ui/html.js';
import {panel, stateTag} from '../ui/parts.js';

/** The most tasks that the server returns of each side, and that the graph has. */
const MOST = 200;
const WIDTH = 300;
const ROWS = 12;
const STEP = 14;
const DOT = 4;

/** Returns the panel of the order of a task; null if no other comes before it or after it. */
export function orderPanel({id, state, event, order}) {
  if (!order) {
    return null;
  }
  const {parents, open, before, after} = order;
  // One that was buried and retried has not waited for the rest
  const isWaiting = state === 'delayed' && !event;
  const waits = isWaiting && (open > 0 ? `waits for ${number(open)} of ${number(parents)}` : 'waits for none');
  return panel(
    'Order',
    waits && el('span', {class: 'faint'}, waits),
    parents <= MOST && graph({id, state}, before, after),
    list('Before it', before, parents),
    list('After it', after, after.length),
  );
}

/** The lists say the same. */
function graph(task, before, after) {
  const rows = Math.max(1, Math.min(ROWS, Math.max(before.length, after.length)));
  const middle = {x: WIDTH / 2, y: (rows * STEP) / 2};
  const left = before.map((each, i) => place(each, i, middle.x - 40, -STEP));
  const right = after.map((each, i) => place(each, i, middle.x + 40, STEP));
  return svg(
    'svg',
    {class: 'order', viewBox: `0 0 ${WIDTH} ${rows * STEP}`, 'aria-hidden': 'true'},
    [...left, ...right].map(({x, y, ended}) =>
      svg('path', {class: ended ? 'edge ended' : 'edge', d: `M${x} ${y}L${middle.x} ${middle.y}`}),
    ),
    [...left, ...right, {...task, ...middle, ended: false}].map(({x, y, state, ended, id: of}) =>
      svg(
        'circle',
        {class: `dot ${ended ? 'done' : String(state || 'gone').toLowerCase()}`, cx: x, cy: y, r: DOT},
        svg('title', {}, of),
      ),
    ),
  );
}

function place(task, index, x, step) {
  return {...task, x: x + Math.floor(index / ROWS) * step, y: ((index % ROWS) + 0.5) * STEP};
}

function list(title, tasks, all) {
  return (
    tasks.length > 0 &&
    el(
      'div',
      {class: 'relatives'},
      el('h3', {}, `${title} (${number(all)})`),
      el(
        'ul',
        {},
        tasks.map((task) => el('li', {}, name(task), ' ', tag(task))),
        all > tasks.length && el('li', {class: 'faint'}, `and ${number(all - tasks.length)} others`),
      ),
    )
  );
}

function name({tube, id}) {
  return tube ? el('a', {href: taskHref(tube, id)}, `${tube} / ${id}`) : el('span', {}, id);
}

function tag({state, ended}) {
  return state && !ended
    ? stateTag(state.toLowerCase())
    : el('span', {class: 'tag'}, ended ? 'ended' : 'gone without an ack');
}
