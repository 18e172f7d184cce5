// What was logged during the deliveries of a task, for operators.

import {get, path} from '../data/api.js';
import {hasRight} from '../data/session.js';
import {el, replace} from '../ui/html.js';
import {panel} from '../ui/parts.js';
import {visible} from '../ui/text.js';
import {exactTime} from '../ui/time.js';

/** The server writes the lines soon after a delivery. */
const SOON = 2_000;

/** The panel, which is empty without lines. */
export class TaskLog {
  constructor(tube, id, signal) {
    this.address = `${path('tasks', tube, id)}/log`;
    this.isAllowed = hasRight('OPERATE', tube);
    this.signal = signal;
    this.shown = '';
    this.element = el('div', {});
  }

  /** Reads the lines again if the task has been delivered since. */
  follow({attempts, taken, state}) {
    const now = `${attempts} ${taken} ${state}`;
    if (this.isAllowed && taken > 0 && now !== this.seen) {
      this.seen = now;
      this.read();
      setTimeout(() => this.read(), SOON);
    }
  }

  /** Without the lines, the page has all else. */
  async read() {
    const {deliveries} = await get(this.address, {signal: this.signal}).catch(() => ({deliveries: []}));
    const key = JSON.stringify(deliveries);
    if (deliveries.length > 0 && key !== this.shown) {
      this.shown = key;
      const times = el('span', {class: 'faint'}, 'its lines have the time of the server');
      replace(this.element, panel('Log of its deliveries', times, deliveries.reverse().map(delivery)));
    }
  }
}

function delivery({attempt, server, at, lines}, i) {
  return el(
    'details',
    {open: i === 0},
    el('summary', {}, `Attempt ${attempt} on ${server}, `, exactTime(at)),
    el(
      'pre',
      {class: 'code trace', tabindex: '0', 'aria-label': `Log of attempt ${attempt}`},
      lines.map((line) => `${visible(line)}\n`),
    ),
  );
}
