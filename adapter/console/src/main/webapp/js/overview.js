// The overview's answer, read at each refresh on every page: rates need samples, and the navigation shows problems.

import {get} from './api.js';
import {setServerTime} from './format.js';
import {follow} from './live.js';
import {tubeOf} from './model.js';
import {addSamples} from './samples.js';

let latest = null;
let lost = null;
const listeners = new Set();

/** Returns the last answer; null before the first. */
export function theOverview() {
  return latest;
}

/** Returns the names of the tubes that are known. */
export function tubeNames() {
  return latest ? latest.tubes.map((tube) => tube.name) : [];
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
  follow(read, {always: true});
  return read().catch(() => {});
}

async function read() {
  try {
    const answer = await get('overview');
    setServerTime(answer.now);
    const runs = !answer.adapter || answer.adapter.state === 'RUNNING';
    // An adapter that waits knows no tubes: those of before stay to be seen.
    const tubes = runs || !latest ? (answer.tubes || []).map(tubeOf) : latest.tubes;
    latest = {
      ...answer,
      runs,
      totals: runs || !latest ? answer.totals : latest.totals,
      problems: answer.problems || [],
      tubes,
    };
    lost = null;
    if (runs) {
      addSamples(latest);
    }
  } catch (problem) {
    lost = problem;
    throw problem;
  } finally {
    listeners.forEach((listener) => listener(latest, lost));
  }
}
