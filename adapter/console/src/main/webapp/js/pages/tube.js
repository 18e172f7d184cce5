// A tube: its numbers, its mode, its definition, put by hand.

import {openPut} from '../acts/put.js';
import {adminButtons, modeButtons} from '../acts/tubeacts.js';
import {get, path} from '../data/api.js';
import {onFlow} from '../data/flow.js';
import {count, isoDuration, number, rate} from '../data/format.js';
import * as live from '../data/live.js';
import {STATES, takesOption, tubeOf} from '../data/model.js';
import {onOverview} from '../data/overview.js';
import {href} from '../data/router.js';
import {forecast, history, rates} from '../data/samples.js';
import {hasRight} from '../data/session.js';
import {dayChart} from '../ui/chart.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {empty, facts, failed, loading, modeTag, panel, sparkline, stateBar} from '../ui/parts.js';
import {age} from '../ui/time.js';

/** The members that change seldom: the page is built anew if one of them does. */
const BUILT = [
  ...['type', 'pri', 'ttl', 'ttr', 'delay', 'capacity', 'history', 'historyRetention', 'temporary'],
  ...['searchable', 'indexing', 'strict', 'maxTaken', 'maxRate', 'ratePeriod'],
  ...['mode', 'modeBy', 'modeReason', 'modeSince'],
];
const MODES = {
  OPEN: 'Accepts puts and takes.',
  PAUSED: 'Accepts puts. No task is taken or delivered.',
  DRAINING: 'Tasks are taken and delivered. Each put fails.',
};

/** Returns the page. */
export function tubePage({params}) {
  const page = new TubeView(params.tube);
  page.load();
  const end = live.follow(() => page.load());
  const leave = onOverview((overview) => page.drawFlow(overview));
  const quiet = onFlow((flows, from, problem) => page.day.update(flows.get(params.tube), from, problem));
  return {
    title: `Tube ${params.tube}`,
    element: page.element,
    leave: () => {
      end();
      leave();
      quiet();
      page.left.abort();
    },
  };
}

class TubeView {
  constructor(name) {
    this.name = name;
    this.left = new AbortController();
    this.head = el('div', {class: 'page-head'}, el('h1', {class: 'grow'}, name));
    this.body = el('div', {class: 'stack'}, loading());
    this.element = el('div', {class: 'stack'}, this.head, this.body);
    this.note = el('div', {hidden: true});
    this.bar = stateBar();
    this.numbers = Object.fromEntries(STATES.map((state) => [state, el('div', {class: 'n'})]));
    this.limits = el('b', {});
    this.spark = sparkline(`Puts and acks per second of ${name}`);
    this.day = dayChart(name);
    this.flow = {in: el('b', {}), out: el('b', {}), forecast: el('b', {}), beans: el('b', {})};
  }

  async load() {
    try {
      this.draw(await get(path('tubes', this.name), {signal: this.left.signal}));
    } catch (problem) {
      if (problem.name === 'AbortError' || problem.status === 401) {
        return;
      }
      if (problem.status === 404) {
        this.shown = null;
        this.built = false;
        replace(
          this.body,
          el(
            'section',
            {class: 'panel'},
            empty(
              'No such tube',
              problem.message,
              el('a', {class: 'button', href: href('')}, 'To the overview'),
            ),
          ),
        );
      } else if (!this.built) {
        replace(
          this.body,
          failed(problem, () => this.load()),
        );
      }
    }
  }

  draw(answer) {
    const tube = tubeOf({...answer, ...answer.statistics, name: answer.name || this.name});
    tube.total = Number.isFinite(answer.total)
      ? answer.total
      : STATES.reduce((sum, state) => sum + tube[state], 0);
    const key = JSON.stringify(BUILT.map((name) => answer[name]));
    this.tube = tube;
    if (key !== this.shown || !this.built) {
      this.shown = key;
      this.build(tube);
    }
    replace(this.note, tube.mode !== 'OPEN' && modeNote(tube));
    this.note.hidden = tube.mode === 'OPEN';
    STATES.forEach((state) => setText(this.numbers[state], number(tube[state])));
    setText(this.limits, limitsOf(tube));
    this.bar.update(tube);
    replace(this.events, eventsOf(tube.events));
  }

  build(tube) {
    this.built = true;
    const latest = (open) => () => open(this.tube);
    replace(
      this.head,
      el('h1', {class: 'grow title'}, this.name, ' ', modeTag(tube)),
      hasRight('OPERATE', this.name) &&
        el(
          'button',
          {
            type: 'button',
            class: tube.mode === 'OPEN' ? 'primary' : '',
            'data-act': 'put',
            on: {click: latest(openPut)},
          },
          icon('plus'),
          'Put a task…',
        ),
      el('a', {class: 'button', href: href('failures', {q: this.name})}, icon('failures'), 'Failures'),
      modeButtons(tube),
      adminButtons(tube),
    );
    this.events = el('div', {});
    const cards = STATES.map((state) =>
      el(
        'a',
        {class: `panel stat s-${state}`, href: href('tasks', {filter: `tube:${this.name} state:${state}`})},
        el('div', {class: 'l'}, state[0].toUpperCase() + state.slice(1)),
        this.numbers[state],
      ),
    );
    replace(
      this.body,
      this.note,
      el('div', {class: 'stats five'}, cards),
      this.bar.element,
      panel(
        'Flow',
        [
          el(
            'span',
            {class: 'faint'},
            'tasks per 5 minutes, all servers: puts as line, ends as area, failures as bars',
          ),
          this.day.spans,
        ],
        this.day.element,
      ),
      el(
        'div',
        {class: 'two even'},
        el(
          'div',
          {class: 'stack'},
          panel(
            'Now',
            el('span', {class: 'faint'}, 'puts as line, ends as area; all servers'),
            el('div', {class: 'bigspark'}, this.spark.element),
            facts([
              ['In per second', this.flow.in],
              ['Out per second', this.flow.out],
              ['Forecast', this.flow.forecast],
              ['Beans', this.flow.beans],
              (tube.maxTaken || tube.maxRate) && ['Limits', this.limits],
            ]),
          ),
          panel('Definition', null, definitionOf(tube)),
        ),
        panel('Events on this server since its start', null, this.events),
      ),
    );
  }

  drawFlow(overview) {
    const tube = overview && overview.tubes.find((t) => t.name === this.name);
    if (tube) {
      const r = rates(this.name);
      setText(this.flow.in, rate(r.puts));
      setText(this.flow.out, rate(r.acks));
      setText(this.flow.forecast, forecast(tube).text);
      setText(this.flow.beans, beansOf((overview.work || []).find((row) => row.name === this.name)));
      this.spark.update(history(this.name));
    }
  }
}

/** Returns what is used of the limits of a tube in words. */
function limitsOf({taken, takes, maxTaken, maxRate, ratePeriod}) {
  return [
    maxTaken && `${number(taken)} of ${number(maxTaken)} TAKEN`,
    maxRate && `${number(takes ?? 0)} of ${number(maxRate)} takes in ${isoDuration(ratePeriod)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Returns the beans of a tube on all servers in words. */
function beansOf(work) {
  return !work || work.beans === 0
    ? 'none listens on any server'
    : `${count(work.beans, 'bean')}, ${number(work.busy)} of ${count(work.instances, 'instance')} busy`;
}

function modeNote(tube) {
  return el(
    'div',
    {class: 'note warn'},
    icon(tube.mode === 'PAUSED' ? 'pause' : 'drain'),
    el(
      'div',
      {class: 'grow break'},
      el(
        'span',
        {class: 'grow'},
        el('b', {}, tube.mode === 'PAUSED' ? 'Paused' : 'Draining'),
        tube.modeBy && [' by ', el('b', {}, tube.modeBy)],
        tube.modeSince && [' ', age(tube.modeSince), ' ago'],
        tube.modeReason && `: ${tube.modeReason}`,
      ),
      el('div', {class: 'soft'}, MODES[tube.mode]),
    ),
  );
}

function definitionOf(tube) {
  return facts([
    ['Type', el('code', {}, tube.type)],
    ['Mode', tube.mode.toLowerCase()],
    takesOption(tube, 'pri') && ['Priority', number(tube.pri ?? 0)],
    takesOption(tube, 'ttl') && ['Time to live', isoDuration(tube.ttl)],
    takesOption(tube, 'ttr') && ['Time to run', isoDuration(tube.ttr, 'the ttl')],
    takesOption(tube, 'delay') && ['Delay', isoDuration(tube.delay, 'none')],
    takesOption(tube, 'capacity') && ['Capacity', tube.capacity ? number(tube.capacity) : 'unlimited'],
    tube.strict && ['Order', 'strict: a failed task holds the later ones of its sub-queue'],
    ['History', historyOf(tube)],
    !tube.temporary && ['Searchable', searchableOf(tube)],
    [
      'Tasks are kept',
      tube.temporary ? 'in the database, without a log' : 'in the database',
    ],
  ]);
}

function historyOf({history, historyRetention}) {
  const kept = String(history || 'OFF').toLowerCase();
  return kept === 'off' ? 'off' : `${kept}, kept for ${isoDuration(historyRetention, '7 d')}`;
}

function searchableOf({searchable, indexing}) {
  const fields = (searchable || []).join(', ');
  return fields === ''
    ? 'no field of the data'
    : [el('code', {}, fields), indexing && el('span', {class: 'soft'}, ', the index lacks tasks yet')];
}

function eventsOf(events) {
  const known = Object.entries(events)
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a);
  return known.length === 0
    ? el('p', {class: 'soft'}, 'None.')
    : facts(known.map(([name, n]) => [el('span', {class: 'mono'}, name.toLowerCase()), number(n)]));
}
