// The numbers of the last 24 hours, of all servers. They are read while a page shows them, once per minute.

import {get} from './api.js';
import * as live from './live.js';

const EVERY = 30;
const HALF = 2;
const NONE = [];

/** Buckets as sparklines take them: a page asks for them at each refresh, and they change once per minute. */
const known = new WeakMap();

let answer = null;
const listeners = new Set();
let end = null;

/**
 * Calls a listener with the numbers per tube, now and at each new answer.
 *
 * @param {(flow: Map<string, Object>, from: number, problem: Error|null) => void} listener
 * @returns {() => void} ends it
 */
export function onFlow(listener) {
  listeners.add(listener);
  if (answer) {
    listener(answer.tubes, answer.from, null);
  }
  if (!end) {
    end = live.follow(read, {every: EVERY, always: true});
    read().catch(() => {});
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && end) {
      end();
      end = null;
    }
  };
}

async function read() {
  try {
    const flow = await get('flow?back=PT24H');
    answer = {
      from: Date.parse(flow.from),
      tubes: new Map((flow.tubes || []).map((tube) => [tube.name, tube])),
    };
    listeners.forEach((listener) => listener(answer.tubes, answer.from, null));
  } catch (problem) {
    listeners.forEach((listener) =>
      listener(answer ? answer.tubes : new Map(), answer ? answer.from : NaN, problem),
    );
    if (problem.status >= 500) {
      throw problem;
    }
  }
}

/** Returns buckets as a sparkline takes them: per second, two buckets in one. */
export function seriesOf(flow) {
  if (!flow) {
    return NONE;
  }
  if (!known.has(flow)) {
    known.set(flow, seriesFrom(flow));
  }
  return known.get(flow);
}

function seriesFrom(flow) {
  const puts = flow.in || [];
  const acks = flow.out || [];
  const seconds = 300 * HALF;
  return Array.from({length: Math.ceil(Math.max(puts.length, acks.length) / HALF)}, (_, i) => ({
    puts: sum(puts.slice(i * HALF, (i + 1) * HALF)) / seconds,
    acks: sum(acks.slice(i * HALF, (i + 1) * HALF)) / seconds,
  }));
}

/** Returns the sums of all tubes as a sparkline takes them. */
export function seriesOfAll(flows) {
  if (!known.has(flows)) {
    known.set(flows, seriesFromAll(flows));
  }
  return known.get(flows);
}

function seriesFromAll(flows) {
  return [...flows.values()].map(seriesOf).reduce((total, series) => {
    series.forEach((s, i) => {
      const before = total[i] || {puts: 0, acks: 0};
      total[i] = {puts: before.puts + s.puts, acks: before.acks + s.acks};
    });
    return total;
  }, []);
}

/** Returns the sum of numbers. */
export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
