// The refresh: every two seconds, not while the page is hidden, paused, or held by a selection.

/** The time between two refreshes, in milliseconds. */
export const PERIOD = 2_000;

const LONGEST = 30_000;

const followers = new Set();
const watchers = new Set();
const holds = new Set();

let paused = false;
let failures = 0;
let lacksDatabase = false;
let wait = 0;
let timer = 0;
let running = null;

/**
 * Calls a function at each refresh, after one that ended.
 *
 * @param {(rows: boolean, asked: boolean) => Promise<void>} refresh `rows` if lists are to be read anew; `asked` if the
 *     user wants it, and not the timer
 * @param {{every?: number, always?: boolean}} [options] `every` n-th refresh; `always` also while rows are selected
 * @returns {() => void} ends it
 */
export function follow(refresh, {every = 1, always = false} = {}) {
  const follower = {refresh, every, always, turn: 0};
  followers.add(follower);
  return () => followers.delete(follower);
}

/** Calls a function at each change of the state. Returns a function that ends it. */
export function watch(listener) {
  watchers.add(listener);
  listener(state());
  return () => watchers.delete(listener);
}

/** Returns live, paused, held or away. */
export function state() {
  return failures > 0 || lacksDatabase ? 'away' : paused ? 'paused' : holds.size > 0 ? 'held' : 'live';
}

/** Holds the refresh of pages for a reason, such as selected rows, or ends the hold. */
export function hold(reason, on) {
  const before = holds.has(reason);
  if (on !== before) {
    holds[on ? 'add' : 'delete'](reason);
    announceState();
  }
}

/** Sets whether the server answers without its database, so that its numbers are those of before. */
export function lackDatabase(on) {
  if (on !== lacksDatabase) {
    lacksDatabase = on;
    announceState();
  }
}

/** Pauses the refresh, or goes on. */
export function pause(on) {
  paused = on;
  announceState();
  if (!on) {
    refreshNow();
  }
}

/** Refreshes everything at once, also while paused. With `rows` the lists are read anew, and their rows may move. */
export function refreshNow({rows = false} = {}) {
  clearTimeout(timer);
  return tick({rows});
}

/** Begins. */
export function start() {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !paused) {
      refreshNow();
    }
  });
  timer = setTimeout(() => tick(), PERIOD);
}

/** @param {{rows: boolean} | null} [asked] null for the timer */
async function tick(asked = null) {
  if (running) {
    await running;
  }
  clearTimeout(timer);
  if (asked || !(paused || document.hidden)) {
    running = round(asked);
    await running;
    running = null;
  }
  clearTimeout(timer);
  timer = setTimeout(() => tick(), Math.max(wait, Math.min(LONGEST, PERIOD * 2 ** Math.min(failures, 4))));
}

async function round(asked) {
  const due = [...followers].filter(
    (f) => asked || ((f.always || holds.size === 0) && f.turn++ % f.every === 0),
  );
  const results = await Promise.allSettled(
    due.map((follower) => follower.refresh(Boolean(asked && asked.rows), asked !== null)),
  );
  const lost = results
    .map((r) => r.status === 'rejected' && r.reason)
    .filter((reason) => reason && (!reason.status || reason.status >= 500));
  failures = lost.length > 0 ? failures + 1 : 0;
  wait = Math.max(0, ...lost.map((reason) => (reason.retryAfter || 0) * 1000));
  announceState();
}

function announceState() {
  watchers.forEach((listener) => listener(state()));
}
