// The work of all servers, as the server has measured it with its heartbeats: rates and forecasts come from it.

import {get} from './api.js';
import {duration, isoMillis} from './format.js';

const KEPT = 300_000;
const SHORTEST_STEP = 3_000;
const LEAST_WINDOW = 10_000;
const LEAST_TREND = 30_000;
const LEAST_SILENCE = 7_000;

/** The time between two measures, which the server says. */
let interval = 3_000;

/** The time of the last measure. */
let latest = 0;

/** The server whose numbers these are. Another one counts since another start. */
let server = null;

/** @type {Map<string, {t: number, puts: number, acks: number, ready?: number}[]>} */
const samples = new Map();

/** Reads the last minutes, so that a page that has just been opened shows them. */
export async function readRecent() {
  const work = await get('work');
  setServer(work);
  const sums = new Map((work.tubes || []).map((row) => [row.name, {puts: row.puts, acks: row.ended}]));
  const came = new Map(samples);
  samples.clear();
  // From the present numbers back to those of each time
  [...(work.recent || [])].reverse().forEach(({at, tubes}) => {
    sums.forEach((now, name) => {
      const series = samples.get(name) || [];
      const t = Date.parse(at);
      // Two heartbeats can come in one millisecond, and a clock can be set back
      if (series.length === 0 || t < series[0].t) {
        series.unshift({t, ...now});
      }
      samples.set(name, series);
      const [puts, ended] = tubes[name] || [0, 0];
      sums.set(name, {puts: now.puts - puts, acks: now.acks - ended});
    });
  });
  // An answer that has come meanwhile
  came.forEach((later, name) => {
    const series = samples.get(name) || [];
    const last = series.length > 0 ? series[series.length - 1].t : 0;
    samples.set(name, [...series, ...later.filter(({t}) => t > last)]);
  });
}

function setServer(answer) {
  interval = isoMillis(answer.interval) || interval;
  const name = answer.server || answer.adapter?.server || null;
  if (name !== server) {
    server = name;
    samples.clear();
  }
}

/** At a low rate of measures, a time has few of them. */
const span = () => Math.max(LEAST_WINDOW, 3 * interval);
const step = () => Math.max(SHORTEST_STEP, interval);
const trend = () => Math.max(LEAST_TREND, 6 * interval);

/** The time after which no new numbers mean that nothing has happened. */
const silence = () => Math.max(LEAST_SILENCE, 2.5 * interval);

/** Adds one answer. */
export function addSamples(overview) {
  setServer(overview);
  const now = Date.parse(overview.now);
  const measured = Date.parse(overview.measured || overview.now);
  if (measured < latest - interval) {
    samples.clear(); // The server's clock was set back.
  }
  latest = measured;
  const work = new Map((overview.work || []).map((row) => [row.name, row]));
  overview.tubes.forEach((tube) => {
    const row = work.get(tube.name) || {puts: 0, ended: 0};
    add(tube.name, {t: measured, puts: row.puts, acks: row.ended, ready: tube.ready}, now);
  });
}

function add(name, sample, now) {
  let series = samples.get(name) || quiet(sample, now);
  const last = series[series.length - 1];
  if (last && sample.t <= last.t) {
    if (now - last.t < silence()) {
      last.ready = sample.ready;
      return;
    }
    sample.t = now;
  }
  if (last && (sample.puts < last.puts || sample.acks < last.acks)) {
    series = []; // The server has started again, and counts from 0.
  }
  series.push(sample);
  samples.set(name, series.slice(series.findIndex(({t}) => t >= sample.t - KEPT - 2 * step())));
}

/** Returns the series of a tube that the last minutes do not have, because nothing has happened in it. */
function quiet(sample, now) {
  return sample.t < now ? [{...sample, t: sample.t - span(), ready: undefined}] : [];
}

/** Returns the puts and ends per second over the last ten seconds, or three measures; NaN before the second answer. */
export function rates(name) {
  const [first, last] = ends(name, span());
  const seconds = first ? (last.t - first.t) / 1000 : 0;
  return seconds > 0
    ? {puts: (last.puts - first.puts) / seconds, acks: (last.acks - first.acks) / seconds}
    : {puts: NaN, acks: NaN};
}

/** Returns the rates of the last five minutes in steps, oldest first. */
export function history(name) {
  return steps([name]);
}

/** Returns the sum of all tubes: rates, the rates of the last five minutes in steps, and the most puts of these. */
export function sums(names) {
  const known = names.map(rates).filter((r) => Number.isFinite(r.puts));
  const total = (kind) => (known.length === 0 ? NaN : known.reduce((sum, r) => sum + r[kind], 0));
  const series = steps(names);
  // The step that has begun is not one of them yet
  const most = Math.max(total('puts') || 0, ...series.map(({puts}) => puts));
  return {puts: total('puts'), acks: total('acks'), most, series};
}

/** The steps have fixed bounds, whatever the times of the measures are, so that each keeps its rate. */
function steps(names) {
  const all = names.map((name) => samples.get(name) || []).filter((series) => series.length > 1);
  const length = step();
  const end = Math.floor(Math.max(...all.map((series) => series[series.length - 1].t)) / length);
  const begin = Math.ceil(Math.min(...all.map((series) => series[0].t)) / length);
  const number = Math.min(Math.max(1, Math.floor(KEPT / length)), end - begin);
  if (!(number >= 1)) {
    return [];
  }
  const bounds = Array.from({length: number + 1}, (_, i) => (end - number + i) * length);
  const counted = all.map((series) => counts(series, bounds));
  const rate = (kind, i) =>
    counted.reduce((sum, of) => sum + of[i + 1][kind] - of[i][kind], 0) / (length / 1_000);
  return bounds.slice(1).map((_, i) => ({puts: rate('puts', i), acks: rate('acks', i)}));
}

/** Returns the counts of a tube at each of the times. */
function counts(series, times) {
  let i = 0;
  return times.map((t) => {
    while (i < series.length - 1 && series[i + 1].t <= t) {
      i++;
    }
    const from = series[i];
    const to = series[i + 1] || from;
    const share = t > from.t && to.t > from.t ? (t - from.t) / (to.t - from.t) : 0;
    return {
      puts: from.puts + share * (to.puts - from.puts),
      acks: from.acks + share * (to.acks - from.acks),
    };
  });
}

/** Returns a forecast of the READY tasks in a few words, and whether it is bad. */
export function forecast(tube) {
  if (tube.mode === 'PAUSED') {
    return {text: tube.ready > 0 ? 'waits for resume' : 'paused', tone: 'warn'};
  }
  if (tube.ready === 0) {
    return {text: 'empty', tone: 'none'};
  }
  const [first, last] = readyEnds(tube.name);
  const seconds = first ? (last.t - first.t) / 1000 : 0;
  if (seconds < 4) {
    return {text: '…', tone: 'none'};
  }
  const slope = (last.ready - first.ready) / seconds;
  if (slope < -0.01) {
    return {
      text: `empty in ${duration((last.ready / -slope) * 1000)}`,
      tone: 'none',
      title: 'At the rate of the last 30 s',
    };
  }
  return slope > 0.05
    ? {text: `grows by ${per(slope)}`, tone: 'warn'}
    : {text: still(last, first), tone: still(last, first) === 'steady' ? 'none' : 'bad'};
}

function still(last, first) {
  return last.acks > first.acks || last.puts > first.puts ? 'steady' : 'stands still';
}

function per(slope) {
  return slope >= 1 ? `${Math.round(slope)}/s` : `${Math.max(1, Math.round(slope * 60))}/min`;
}

/** The last minutes of the server have no numbers of READY tasks. */
function readyEnds(name) {
  const series = (samples.get(name) || []).filter(({ready}) => Number.isFinite(ready));
  const last = series[series.length - 1];
  return last ? [series.find((sample) => sample.t >= last.t - trend()), last] : [null, null];
}

function ends(name, window) {
  const series = samples.get(name) || [];
  const last = series[series.length - 1];
  return last ? [series.find((sample) => sample.t >= last.t - window), last] : [null, null];
}
