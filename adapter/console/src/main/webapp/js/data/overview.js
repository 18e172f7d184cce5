// The overview's answer on every page: rates need samples, and the navigation shows problems. It comes by the events of
// the server; without them it is read at each refresh.

import {get} from './api.js';
import {now, setServerTime} from './format.js';
import {PERIOD, follow, lackDatabase} from './live.js';
import {tubeOf} from './model.js';
import {addSamples, readRecent} from './samples.js';
import {isStreaming, onEvent} from './stream.js';

const READ_ANYHOW = 15;
const FEW = 40;

let latest = null;
let lost = null;
let came = 0;
let skipped = 0;
let event = null;
const rows = new Map();
const listeners = new Set();

/** Returns the last answer; null before the first. */
export function theOverview() {
  return latest;
}

/** Returns the names of the tubes that are known. */
export function tubeNames() {
  return latest ? latest.tubes.map((tube) => tube.name) : [];
}

/** Returns the fields of the data that searches find by an index, of all tubes. */
export function searchableFields() {
  return latest ? [...new Set(latest.tubes.flatMap((tube) => tube.searchable || []))].sort() : [];
}

/** Calls a listener with the last answer, and the problem if the last call failed, now and at each refresh. */
export function onOverview(listener) {
  listeners.add(listener);
  if (latest || lost) {
    listener(latest, lost);
  }
  return () => listeners.delete(listener);
}

/** Begins to read it. */
export function start() {
  follow(refresh, {always: true});
  onEvent('overview', (data) => {
    event = {...data.overview, tubes: merged(data)};
    if (Date.now() - came >= PERIOD || event.tubes.length <= FEW) {
      take();
    }
  });
  // Without the last minutes, the curves begin now
  return Promise.allSettled([readRecent(), read()]);
}

/** Returns all rows, of which an event has those that have changed since the event before. */
function merged({tubes = [], gone = [], whole = true}) {
  if (whole) {
    rows.clear();
  }
  gone.forEach((name) => rows.delete(name));
  tubes.forEach((row) => rows.set(row.name, row));
  return [...rows.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Shows the last event. To draw many tubes takes time, so that not each of their events is shown. */
function take() {
  accept(event);
  announce();
}

/** While events come, the answer is read from time to time only, in case that an event was lost. */
async function refresh(_rows, asked) {
  if (asked || !isStreaming() || !latest || ++skipped >= READ_ANYHOW) {
    skipped = 0;
    await read();
  } else if (event) {
    take();
  } else if (Date.now() - came >= PERIOD) {
    // No event means that no number has changed, so that the rates go down, and the ages grow.
    accept({...latest, now: new Date(now()).toISOString()});
    announce();
  }
}

async function read() {
  try {
    accept(await get('overview'));
  } catch (problem) {
    lost = problem;
    throw problem;
  } finally {
    announce();
  }
}

function announce() {
  listeners.forEach((listener) => listener(latest, lost));
}

function accept(answer) {
  came = Date.now();
  event = null;
  setServerTime(answer.now);
  const runs = !answer.adapter || answer.adapter.state === 'RUNNING';
  // An adapter that waits knows no tubes: those of before stay to be seen.
  const tubes = runs || !latest ? (answer.tubes || []).map(tubeOf) : latest.tubes;
  const known = runs ? answer.now : latest && latest.known;
  latest = {...answer, runs, known, problems: answer.problems || [], tubes};
  lost = null;
  lackDatabase(!runs);
  if (runs) {
    addSamples(latest);
  }
}
