// Overview: problems first, then the sums, then each tube.

import {openCreate} from '../acts/tubecreate.js';
import {modesButton} from '../acts/tubemodes.js';
import {onFlow, seriesOf, seriesOfAll} from '../data/flow.js';
import {number} from '../data/format.js';
import {refreshNow} from '../data/live.js';
import {STATES} from '../data/model.js';
import {onOverview} from '../data/overview.js';
import {go, href} from '../data/router.js';
import {history as recent, rates} from '../data/samples.js';
import {hasRight, hasRightSomewhere} from '../data/session.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {choice, empty, failed, loading, stateKey, table} from '../ui/parts.js';
import {Problems} from './problems.js';
import {Stats} from './sums.js';
import {TubeRow} from './tuberow.js';

const FEW = 12;
const DAY = '24h';
/** @type {[string, string][]} */
const SPANS = [
  ['', '5 min'],
  [DAY, '24 h'],
];
const SORTS = {
  name: (a, b) => a.name.localeCompare(b.name, 'en'),
  out: (a, b) => (rates(b.name).acks || 0) - (rates(a.name).acks || 0),
  in: (a, b) => (rates(b.name).puts || 0) - (rates(a.name).puts || 0),
};
STATES.forEach((state) => {
  SORTS[state] = (a, b) => b[state] - a[state];
});

/** Returns the page. */
export function overviewPage({query}) {
  const page = new Overview(query.get('sort') || '', query.get('q') || '', query.get('span') || '');
  const leave = onOverview((overview, problem) => page.update(overview, problem));
  return {
    title: 'Overview',
    element: page.element,
    leave: () => {
      leave();
      page.leaveFlow();
    },
  };
}

class Overview {
  constructor(sort, search, span) {
    this.sort = sort in SORTS ? sort : '';
    this.leaveFlow = () => {};
    this.setSpan(span);
    this.search = search;
    this.rows = new Map();
    this.order = null;
    this.problems = new Problems();
    this.stats = new Stats();
    this.body = el('div', {class: 'stack'}, loading());
    this.element = el(
      'div',
      {class: 'stack'},
      el(
        'div',
        {class: 'page-head'},
        el('h1', {class: 'grow'}, 'Overview'),
        hasRightSomewhere('OPERATE') && modesButton(),
        hasRight('ADMIN') &&
          el(
            'button',
            {type: 'button', 'data-act': 'create', on: {click: openCreate}},
            icon('plus'),
            'New tube…',
          ),
      ),
      this.body,
    );
  }

  /** Without the numbers of 24 hours, the flow is that of the last minutes, as this page has seen it. */
  setSpan(span) {
    this.span = span === DAY ? DAY : '';
    this.flows = null;
    this.leaveFlow();
    this.leaveFlow = () => {};
    if (this.span) {
      this.leaveFlow = onFlow((flows) => {
        this.flows = flows;
      });
    }
    this.spans?.show(this.span);
  }

  chooseSpan(span) {
    this.setSpan(span);
    this.keepAddress();
    refreshNow();
  }

  update(overview, problem) {
    if (!overview) {
      replace(this.body, failed(problem, refreshNow));
      return;
    }
    if (!this.table) {
      this.build();
    }
    this.runs = overview.runs;
    this.problems.update(overview);
    this.stats.element.hidden = !overview.runs && overview.tubes.length === 0;
    this.stats.update(overview, this.flows && seriesOfAll(this.flows));
    this.drawRows(overview.tubes);
  }

  build() {
    this.filter = el('input', {
      type: 'search',
      'data-filter': true,
      placeholder: 'Find a tube',
      'aria-label': 'Find a tube',
      value: this.search,
      on: {input: () => this.find()},
    });
    this.none = el('div', {hidden: true});
    this.spans = choice('Time of the flow', SPANS, this.span, (span) => this.chooseSpan(span));
    this.found = el('span', {class: 'faint'});
    this.table = table('Tubes with their tasks by state, rates and forecast', this.heads(), {
      class: 'cards tubes',
    });
    this.panel = el(
      'section',
      {class: 'panel flush'},
      el(
        'div',
        {class: 'panel-head'},
        el('h2', {}, 'Tubes'),
        this.found,
        el('span', {class: 'grow'}),
        stateKey(),
        this.spans.element,
        el('div', {class: 'find'}, icon('search'), this.filter),
      ),
      el('div', {class: 'scroll'}, this.table.element),
      this.none,
    );
    replace(this.body, this.problems.element, this.stats.element, this.panel);
  }

  heads() {
    const head = (text, sort, title, cls = 'num') => ({
      text,
      class: cls,
      title,
      node: el(
        'button',
        {
          type: 'button',
          class: 'sort',
          'data-focus': `sort-${sort}`,
          'aria-pressed': String(this.sort === sort),
          on: {click: () => this.sortBy(sort)},
        },
        text,
        icon(sort === 'name' ? 'up' : 'down'),
      ),
    });
    return [
      head('Tube', 'name', null, ''),
      ...STATES.map((state) => head(state[0].toUpperCase() + state.slice(1), state)),
      {text: 'By state', class: 'wide-only'},
      head('In / s', 'in', 'Tasks that were put per second, on all servers, over the last 10 s'),
      head('Out / s', 'out', 'Tasks that ended per second, on all servers, over the last 10 s'),
      {text: 'Flow', title: 'Puts (line) and ends (area) per second, on all servers'},
      {text: 'Forecast', title: 'Of the ready tasks, at the rate of the last 30 s'},
    ];
  }

  drawRows(tubes) {
    const byName = new Map(tubes.map((tube) => [tube.name, tube]));
    if (this.order === null || this.sorted !== this.sort) {
      this.order = (this.sort ? [...tubes].sort(SORTS[this.sort]) : tubes).map((tube) => tube.name);
      this.sorted = this.sort;
    }
    // Rows keep their places while one looks: new tubes come at the end.
    this.order = this.order.filter((name) => byName.has(name));
    tubes.filter((tube) => !this.order.includes(tube.name)).forEach((tube) => this.order.push(tube.name));
    this.order.forEach((name, i) => this.drawRow(byName.get(name), i));
    [...this.rows]
      .filter(([name]) => !byName.has(name))
      .forEach(([name, row]) => {
        row.element.remove();
        this.rows.delete(name);
      });
    this.find();
  }

  drawRow(tube, index) {
    if (!this.rows.has(tube.name)) {
      this.rows.set(tube.name, new TubeRow(tube.name));
    }
    const row = this.rows.get(tube.name);
    row.update(tube, this.flows ? seriesOf(this.flows.get(tube.name)) : recent(tube.name));
    if (this.table.body.children[index] !== row.element) {
      this.table.body.insertBefore(row.element, this.table.body.children[index] || null);
    }
  }

  find() {
    const text = this.filter.value.trim().toLowerCase();
    let shown = 0;
    for (const [name, row] of this.rows) {
      row.element.hidden = !name.toLowerCase().includes(text);
      shown += row.element.hidden ? 0 : 1;
    }
    setText(this.found, text ? `${number(shown)} of ${number(this.rows.size)}` : number(this.rows.size));
    this.filter.parentElement.hidden = this.rows.size < FEW && !text;
    this.none.hidden = shown > 0;
    this.table.element.hidden = this.rows.size === 0;
    if (shown === 0) {
      replace(
        this.none,
        !this.runs
          ? empty('The adapter is not running', 'Its tubes are not known until then.')
          : this.rows.size === 0
            ? empty(
                'No tubes yet',
                'An application creates a tube by createTubeIfNotExists. An administrator can do it here.',
              )
            : empty('No tube has this in its name', null),
      );
    }
    if (text !== this.search) {
      this.search = text;
      this.keepAddress();
    }
  }

  sortBy(sort) {
    go(href('', {sort: this.sort === sort ? '' : sort, q: this.filter.value.trim(), span: this.span}));
  }

  keepAddress() {
    window.history.replaceState(null, '', href('', {sort: this.sort, q: this.search, span: this.span}));
  }
}
