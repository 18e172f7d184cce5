// Servers: heartbeats, sessions, and what each instance of a bean does now.

import {LoginsPanel} from '../acts/logins.js';
import {get, path, remove} from '../data/api.js';
import {count, duration, isoMillis, number} from '../data/format.js';
import * as live from '../data/live.js';
import {taskHref, tubeHref} from '../data/router.js';
import {hasRight} from '../data/session.js';
import {openDialog} from '../ui/dialog.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {Keyed} from '../ui/keyed.js';
import {cell, empty, failed, loading, note, rowHead, table} from '../ui/parts.js';
import {time} from '../ui/time.js';

const TONES = {RUNNING: 'done', SILENT: 'warn', DEAD: 'buried', LEFT: ''};
const TEXTS = {
  RUNNING: 'It writes its heartbeats.',
  SILENT: 'It has missed two heartbeats. It may be alive.',
  DEAD: 'Another server has taken it for dead. Its tasks are released.',
  LEFT: 'It has stopped. Its tasks are released.',
};
const HEADS = [
  'Bean',
  'Tube',
  {text: 'At work', class: 'num', title: 'Deliveries now, of the most at once'},
  {
    text: 'Claimed ahead',
    class: 'num',
    title: 'Tasks that the server holds for the bean, and that it has not begun',
  },
  'Works on',
];
const QUIET = new Set(['BUSY']);
const MOST_DELIVERIES = 12;

/** Returns the page. */
export function serversPage() {
  const page = new Servers();
  page.load();
  const end = live.follow(() => page.read());
  return {
    title: 'Servers',
    element: page.element,
    leave: () => {
      end();
      page.left.abort();
    },
  };
}

class Servers {
  constructor() {
    this.left = new AbortController();
    this.sum = el('span', {class: 'soft grow'});
    this.body = el('div', {class: 'stack'}, el('section', {class: 'panel'}, loading(6)));
    this.logins = hasRight('ADMIN') ? new LoginsPanel() : null;
    this.element = el(
      'div',
      {class: 'stack'},
      el('div', {class: 'page-head'}, el('h1', {}, 'Servers'), this.sum),
      this.body,
      this.logins && this.logins.element,
    );
  }

  /** The page itself shows a problem; the refresh has to know it as well. */
  load() {
    return this.read().catch(() => {});
  }

  async read() {
    try {
      await this.logins?.read(this.left.signal);
      this.draw((await get('servers', {signal: this.left.signal})).servers || []);
    } catch (problem) {
      if (problem.name === 'AbortError' || problem.status === 401) {
        return;
      }
      if (!this.list) {
        replace(
          this.body,
          el(
            'section',
            {class: 'panel'},
            failed(problem, () => this.load()),
          ),
        );
      }
      throw problem;
    }
  }

  draw(servers) {
    const running = servers.filter((server) => server.state === 'RUNNING').length;
    const held = servers.reduce((sum, server) => sum + (server.taken || 0), 0);
    setText(
      this.sum,
      `${number(running)} of ${number(servers.filter(isThere).length)} running, ${count(held, 'task')} taken`,
    );
    if (servers.length === 0) {
      this.list = null;
      replace(this.body, el('section', {class: 'panel'}, empty('No servers', 'No server has a heartbeat.')));
      return;
    }
    if (!this.list) {
      replace(this.body);
      this.list = new Keyed(this.body, (server) => new ServerPanel(server));
    }
    const mine = servers.filter((server) => server.isThis);
    this.list.update(
      [...mine, ...servers.filter((server) => !server.isThis)],
      (s) => `${s.name}/${s.number}`,
    );
  }
}

/** Whether a server is up, or has left something to release. One that is gone is shown for a day. */
function isThere(server) {
  return !server.releasedAt;
}

function openDismiss({name, number}) {
  openDialog({
    title: `Dismiss the death of ${name}`,
    subject: el('p', {}, 'The overview no longer shows it as a problem. This page shows it for a day.'),
    verb: 'Dismiss',
    act: async () => {
      await remove(path('servers', String(number)));
      live.refreshNow();
      return `Dismissed: the death of ${name}.`;
    },
  });
}

class ServerPanel {
  constructor(server) {
    this.state = el('span', {});
    this.heart = el('span', {class: 'heart'});
    this.taken = el('span', {class: 'soft'});
    this.sessions = el('span', {class: 'soft'});
    this.body = el('div', {});
    this.element = el(
      'section',
      {class: 'panel flush server'},
      el(
        'div',
        {class: 'panel-head'},
        el(
          'h2',
          {},
          icon('servers'),
          ' ',
          server.name,
          ' ',
          el(
            'span',
            {class: 'faint', title: 'Its number in the database. A restart gives it another one'},
            `no. ${server.number}`,
          ),
        ),
        this.state,
        server.isThis && el('span', {class: 'tag'}, 'answers you'),
        el('span', {class: 'grow'}),
        this.taken,
        this.sessions,
        this.heart,
      ),
      this.body,
    );
  }

  update(server) {
    if (this.shownState !== server.state) {
      this.shownState = server.state;
      replace(
        this.state,
        el(
          'span',
          {class: `tag ${TONES[server.state] || ''}`, title: TEXTS[server.state]},
          String(server.state).toLowerCase(),
        ),
      );
    }
    setText(this.taken, `${count(server.taken, 'task')} taken`);
    setText(this.sessions, count(server.sessions, 'session'));
    const silence = isoMillis(server.silence);
    replace(
      this.heart,
      server.heartbeat
        ? el('span', {class: 'soft', title: 'The last heartbeat'}, icon('heart'), ` ${duration(silence)} ago`)
        : el('span', {class: 'faint'}, 'no heartbeat yet'),
    );
    if (server.releasedAt) {
      this.drawGone(server);
    } else {
      this.drawBeans(server);
    }
  }

  drawGone(server) {
    if (this.kind !== 'gone') {
      this.kind = 'gone';
      replace(
        this.body,
        el(
          'p',
          {class: 'soft padded'},
          `${count(server.released, 'task')} of it released `,
          time(server.releasedAt),
          '. ',
          server.state === 'DEAD' &&
            hasRight('OPERATE') &&
            el('button', {type: 'button', on: {click: () => openDismiss(server)}}, 'Dismiss…'),
        ),
      );
    }
  }

  /** What the beans of another server do, only that server knows. It shows how many are busy. */
  drawBeans({beans, working = []}) {
    const kind = !beans ? `other ${JSON.stringify(working)}` : beans.length === 0 ? 'none' : 'beans';
    if (kind !== this.kind) {
      this.kind = kind;
      this.list = null;
      replace(
        this.body,
        !beans ? othersBeans(working) : kind === 'none' && el('p', {class: 'soft padded'}, NONE),
      );
    }
    if (kind !== 'beans') {
      return;
    }
    if (!this.list) {
      const t = table('Beans of this server', HEADS, {class: 'cards beans'});
      this.list = new Keyed(t.body, (bean) => new BeanRow(bean));
      replace(this.body, el('div', {class: 'scroll'}, t.element));
    }
    this.list.update(beans, (bean) => `${bean.name}/${bean.tube}`);
  }
}

const NONE = 'No bean of this server gets tasks.';

function othersBeans(working) {
  if (working.length === 0) {
    return el('p', {class: 'soft padded'}, NONE);
  }
  const t = table('Beans of this server, by their tubes', ['Tube', 'Beans', {text: 'At work', class: 'num'}], {
    class: 'cards working',
  });
  working.forEach(({tube, beans, instances, busy}) =>
    t.body.append(
      el(
        'tr',
        {role: 'row', tabindex: '-1'},
        rowHead({class: 'name'}, el('a', {href: tubeHref(tube)}, tube)),
        cell('beans', {}, count(beans, 'bean')),
        cell('at work', {class: 'num'}, `${number(busy)} of ${number(instances)}`),
      ),
    ),
  );
  return [
    el('div', {class: 'scroll'}, t.element),
    el('p', {class: 'soft padded'}, 'Open the console of that server to see the tasks that they work on.'),
  ];
}

class BeanRow {
  constructor(bean) {
    this.hindrance = el('div', {});
    this.load = el('span', {});
    this.bar = el('meter', {min: '0', 'aria-label': `Instances of ${bean.name} at work`});
    this.claimed = el('span', {});
    this.works = el('ul', {class: 'deliveries'});
    this.more = el('span', {class: 'faint'});
    this.idle = el('span', {class: 'faint'}, 'waits for a task');
    this.slots = [];
    this.element = el(
      'tr',
      {role: 'row', tabindex: '-1'},
      rowHead({class: 'name'}, el('span', {class: 'break'}, bean.name), this.hindrance),
      cell('tube', {}, bean.tube && el('a', {href: tubeHref(bean.tube)}, bean.tube)),
      cell('at work', {class: 'num'}, this.load, this.bar),
      cell('claimed ahead', {class: 'num'}, this.claimed),
      cell('works on', {class: 'workscell'}, this.works, this.idle, this.more),
    );
  }

  update(bean) {
    const deliveries = bean.deliveries || [];
    const limited = bean.limit < bean.maxSession;
    setText(this.load, `${number(bean.busy)} of ${number(bean.limit)}`);
    this.load.title = limited ? `${number(bean.maxSession)} are configured` : '';
    this.bar.max = Math.max(1, bean.limit);
    this.bar.value = bean.busy;
    setText(this.claimed, number(bean.claimed));
    this.place(deliveries.slice(0, MOST_DELIVERIES));
    this.idle.hidden = this.slots.length > 0;
    setText(
      this.more,
      deliveries.length > MOST_DELIVERIES ? `and ${number(deliveries.length - MOST_DELIVERIES)} more` : '',
    );
    this.drawHindrance(bean.hindrance);
  }

  /** A delivery stays in its line until it ends, and a new one takes a free line: lines do not jump. */
  place(deliveries) {
    const keys = new Set(deliveries.map(keyOf));
    while (this.slots.length < deliveries.length) {
      const slot = new Slot();
      this.slots.push(slot);
      this.works.append(slot.element);
    }
    this.slots.filter((slot) => slot.key && !keys.has(slot.key)).forEach((slot) => slot.show(null));
    for (const delivery of deliveries) {
      const own = this.slots.find((slot) => slot.key === keyOf(delivery));
      (own || this.slots.find((slot) => !slot.key)).show(delivery);
    }
  }

  drawHindrance(hindrance) {
    const key = hindrance ? hindrance.text : '';
    if (key !== this.shown) {
      this.shown = key;
      replace(
        this.hindrance,
        hindrance &&
          (QUIET.has(hindrance.reason)
            ? el('span', {class: 'faint'}, hindrance.text)
            : note('warn', hindrance.text)),
      );
    }
  }
}

function keyOf({tube, task, attempts}) {
  return `${tube}/${task}/${attempts}`;
}

/** The line of one instance of a bean. */
class Slot {
  constructor() {
    this.key = null;
    this.time = el('span', {class: 'soft'});
    this.element = el('li', {}, el('span', {class: 'faint'}, 'free'));
  }

  show(delivery) {
    const key = delivery && keyOf(delivery);
    if (key !== this.key) {
      this.key = key;
      replace(this.element, delivery ? this.parts(delivery) : el('span', {class: 'faint'}, 'free'));
    }
    if (delivery) {
      setText(this.time, `for ${duration(isoMillis(delivery.duration))}`);
    }
  }

  parts({tube, task, attempts}) {
    return [
      el('a', {href: taskHref(tube, String(task)), class: 'mono'}, String(task)),
      this.time,
      attempts > 1 && el('span', {class: 'faint'}, `attempt ${number(attempts)}`),
    ];
  }
}
