// The timeline of a task as a list: its events in their order, touches gathered, idle time between them.

const IDLE = 10_000;
const TOUCHES = new Set(['TOUCH', 'HEARTBEAT']);
const PUTS = new Set(['PUT', 'URGENT', 'PUT_URGENT', 'PUT_DELAYED', 'REPLACE', 'REPLACE_DELAYED']);

/** What the names of events mean, in a few words. */
const WORDS = {
  PUT: 'Put',
  URGENT: 'Put ahead of all',
  PUT_URGENT: 'Put ahead of all',
  PUT_DELAYED: 'Put with a delay',
  REPLACE: 'Replaced by a put with its key',
  REPLACE_DELAYED: 'Replaced by a put with its key',
  TAKE: 'Taken',
  ACK: 'Acknowledged',
  ACK_RESULT: 'Done, with a result',
  DONE: 'Done, with a result',
  RELEASE: 'Released',
  RELEASE_DELAYED: 'Released with a delay',
  RELEASE_ALL: 'Released with all tasks of the tube',
  RETURN_UNSTARTED: 'Returned before its work began',
  REQUEUE: 'Requeued at the end',
  BURY: 'Buried',
  BURY_UNHELD: 'Buried',
  DIG: 'Retried',
  KICK: 'Retried',
  DELETE: 'Deleted',
  CANCEL: 'Cancelled',
  TRUNCATE: 'Deleted by a truncate of the tube',
  DELAY: 'The delay was over',
  DELAY_OVER: 'The delay was over',
  TTR: 'The time to run was over',
  TTR_OVER: 'The time to run was over',
  TTL: 'The time to live was over',
  TTL_OVER: 'The time to live was over',
  RESULT_TTL_OVER: 'The time to live of the result was over',
  SESSION_END: 'The session of the holder ended',
  RELEASED_BY_SESSION: 'The session of the holder ended',
  SERVER_END: 'The server of the holder was gone',
  RELEASED_AT_START: 'The server of the holder was gone',
};
const WAITS = {READY: 'waited', DELAYED: 'delayed', BURIED: 'buried', DONE: 'kept'};

/** Returns an event in words. */
export function words({event, from, to}) {
  const text = WORDS[event] || event.toLowerCase().replace(/_/g, ' ');
  if (to === 'DELAYED' && /^(?:PUT|RELEASE)$/.test(event)) {
    return `${text} with a delay`;
  }
  return from === 'DONE' && event === 'TTL' ? WORDS.RESULT_TTL_OVER : text;
}

/** Returns events of several pages in one list, the oldest first, each once. */
export function merge(known, more) {
  const ordered = more.length > 1 && more[0].at > more[more.length - 1].at ? [...more].reverse() : more;
  const keys = new Set(known.map((event) => JSON.stringify(event)));
  return [...known, ...ordered.filter((event) => !keys.has(JSON.stringify(event)))].sort(
    (a, b) => Date.parse(a.at) - Date.parse(b.at),
  );
}

/**
 * Returns the entries of a timeline.
 *
 * @param {Object[]} events the oldest first
 * @param {{tube: string, id: string, at: string}[]} puts
 * @param {number|null} now the time until which a take that has no end lasts; null if such an end is not known
 * @returns {Object[]} entries of the kinds event, touches, puts and idle
 */
export function entries(events, puts, now) {
  const list = [];
  for (const [i, event] of events.entries()) {
    const last = list[list.length - 1];
    if (TOUCHES.has(event.event) && last && last.kind === 'touches') {
      last.number++;
      last.end = event.at;
      last.until = event.until;
    } else if (TOUCHES.has(event.event)) {
      list.push({kind: 'touches', at: event.at, end: event.at, number: 1, until: event.until});
    } else {
      list.push({kind: 'event', ...event, ...lasting(event, events.slice(i + 1), now)});
    }
  }
  return withIdle(withPuts(list, puts));
}

/** Returns for a take how long it lasted: until the next event that is no touch. */
function lasting(event, later, now) {
  if (event.event !== 'TAKE') {
    return {isPut: PUTS.has(event.event)};
  }
  const end = later.find((other) => !TOUCHES.has(other.event));
  if (!end && now === null) {
    return {};
  }
  return {took: Math.max(0, (end ? Date.parse(end.at) : now) - Date.parse(event.at)), runs: !end};
}

function withPuts(list, puts) {
  const all = [...list, ...(puts || []).map((put) => ({kind: 'puts', at: put.at, tasks: [put]}))];
  all.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return all.reduce((result, entry) => {
    const last = result[result.length - 1];
    if (entry.kind === 'puts' && last && last.kind === 'puts') {
      last.tasks.push(...entry.tasks);
    } else {
      result.push(entry);
    }
    return result;
  }, []);
}

/** Adds the times in which nothing happened, with the word for the state in between. */
function withIdle(list) {
  const result = [];
  let state = null;
  list.forEach((entry, i) => {
    const before = list[i - 1];
    const gap = before ? Date.parse(entry.at) - Date.parse(before.end || before.at) : 0;
    if (gap >= IDLE && state !== 'TAKEN') {
      result.push({kind: 'idle', word: WAITS[state] || 'waited', millis: gap});
    }
    state = entry.kind === 'event' ? entry.to : state;
    result.push(entry);
  });
  return result;
}
