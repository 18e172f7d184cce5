// The chart of the last hours: puts as a line, ends as an area, failures as bars; the same as a table for those who cannot see it.

import {sum} from '../data/flow.js';
import {number, short} from '../data/format.js';
import {el, replace, svg} from './html.js';
import {cell, choice, rowHead, table} from './parts.js';

const WIDTH = 720;
const HEIGHT = 150;
const BUCKET = 300_000;
const HOUR = 3_600_000;
const DELAY = 'Each server adds its numbers every 5 minutes.';
const LABELS_EVERY = 4;
const CLOCK = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', hourCycle: 'h23'});

/** @type {[string, string][]} */
const SPANS = [
  ['1', '1 h'],
  ['6', '6 h'],
  ['24', '24 h'],
];

/** Returns the chart of a tube, and the choice of its time. */
export function dayChart(name) {
  const element = el('div', {class: 'day'}, el('p', {class: 'soft'}, 'Loading'));
  let hoursShown = 24;
  let latest = null;
  let shown = '';
  const redraw = () => {
    const {flow, from, problem} = latest;
    const key = JSON.stringify([flow, from, problem && problem.message, hoursShown]);
    if (key !== shown) {
      shown = key;
      replace(
        element,
        problem && !flow ? el('p', {class: 'soft'}, problem.message) : draw(name, flow, from, hoursShown),
      );
    }
  };
  const spans = choice('Time of the chart', SPANS, '24', (span) => {
    hoursShown = Number(span);
    spans.show(span);
    latest && redraw();
  });
  const update = (flow, from, problem) => {
    latest = {flow, from, problem};
    redraw();
  };
  return {element, spans: spans.element, update};
}

function draw(name, flow, start, hoursShown) {
  const buckets = (hoursShown * HOUR) / BUCKET;
  const last = (values = []) => values.slice(-buckets);
  const series = {in: last(flow?.in), out: last(flow?.out), failed: last(flow?.failed)};
  const from = start + Math.max(0, (flow?.in || []).length - buckets) * BUCKET;
  const time = hoursShown === 1 ? 'the last hour' : `the last ${hoursShown} hours`;
  const length = Math.max(...Object.values(series).map((values) => values.length));
  const total = Object.fromEntries(Object.entries(series).map(([kind, values]) => [kind, sum(values)]));
  if (length === 0 || total.in + total.out + total.failed === 0) {
    return el('p', {class: 'soft'}, `No numbers of ${time} yet. ${DELAY}`);
  }
  const top = nice(Math.max(...series.in, ...series.out, ...series.failed, 1));
  const numbers = `${number(total.in)} in, ${number(total.out)} out, ${number(total.failed)} failed.`;
  const text = `In ${time} ${numbers} ${DELAY}`;
  return [
    el(
      'div',
      {class: 'plot'},
      el('div', {class: 'ytop faint'}, short(top)),
      picture(series, length, top, from, `${name}: ${text} The table below has the hours.`),
      el('div', {class: 'xaxis faint', 'aria-hidden': 'true'}, ticks(from, length)),
    ),
    el('p', {class: 'soft'}, text),
    hours(name, series, length, from),
  ];
}

function picture(series, length, top, from, label) {
  const x = (i) => ((i + 0.5) / length) * WIDTH;
  const y = (v) => HEIGHT - (v / top) * (HEIGHT - 4);
  const points = (values) => values.map((v, i) => `${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join('L');
  const wide = WIDTH / length;
  return svg(
    'svg',
    {
      class: 'chart',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': label,
    },
    [0.25, 0.5, 0.75, 1].map((share) => svg('path', {class: 'grid', d: `M0 ${y(top * share)}H${WIDTH}`})),
    series.out.length > 0 &&
      svg('path', {
        class: 'area',
        d: `M${x(0)} ${HEIGHT}L${points(series.out)}L${x(series.out.length - 1)} ${HEIGHT}Z`,
      }),
    series.in.length > 0 && svg('path', {class: 'line', d: `M${points(series.in)}`}),
    series.failed.map(
      (v, i) =>
        v > 0 &&
        svg('path', {
          class: 'failed',
          d: `M${x(i).toFixed(1)} ${HEIGHT}V${Math.min(HEIGHT - 3, y(v)).toFixed(1)}`,
        }),
    ),
    Array.from({length}, (_, i) => hover(series, i, wide, from)),
  );
}

/** The pointer over a bucket shows its numbers. */
function hover(series, i, wide, from) {
  const at = (kind) => number(series[kind][i] || 0);
  return svg(
    'rect',
    {class: 'hit', x: i * wide, y: 0, width: wide, height: HEIGHT},
    svg(
      'title',
      {},
      `${CLOCK.format(from + i * BUCKET)} to ${CLOCK.format(from + (i + 1) * BUCKET)}\n${at('in')} in, ${at('out')} out, ${at('failed')} failed`,
    ),
  );
}

function ticks(from, length) {
  const to = from + length * BUCKET;
  const first = new Date(from);
  first.setMinutes(0, 0, 0);
  const marks = [];
  for (let at = first.getTime() + HOUR; at < to; at += HOUR) {
    if (new Date(at).getHours() % (length * BUCKET > 12 * HOUR ? LABELS_EVERY : 1) === 0) {
      marks.push(el('span', {vars: {'--x': String((at - from) / (to - from))}}, CLOCK.format(at)));
    }
  }
  return marks;
}

function hours(name, series, length, from) {
  const per = HOUR / BUCKET;
  const t = table(
    `${name} per hour`,
    ['Hour', ...['In', 'Out', 'Failed'].map((text) => ({text, class: 'num'}))],
    {
      class: 'hours',
    },
  );
  for (let i = Math.floor((length - 1) / per) * per; i >= 0; i -= per) {
    const at = (kind) => number(sum(series[kind].slice(i, i + per)));
    t.body.append(
      el(
        'tr',
        {role: 'row'},
        rowHead({}, CLOCK.format(from + i * BUCKET)),
        cell('in', {class: 'num'}, at('in')),
        cell('out', {class: 'num'}, at('out')),
        cell('failed', {class: 'num'}, at('failed')),
      ),
    );
  }
  return el(
    'details',
    {},
    el('summary', {}, 'As a table, per hour'),
    el(
      'div',
      {class: 'hourscroll', tabindex: '0', role: 'region', 'aria-label': 'Numbers per hour'},
      t.element,
    ),
  );
}

/** Returns the next round number: 1, 2 or 5 times a power of ten. */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}
