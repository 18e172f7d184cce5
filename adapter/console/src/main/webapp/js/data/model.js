// The answers of the API in one shape: members that an answer leaves out have a value here.

export const STATES = ['ready', 'delayed', 'taken', 'buried', 'done'];

/** Returns a tube with all numbers set. */
export function tubeOf(row) {
  const numbers = Object.fromEntries(STATES.map((state) => [state, Number(row[state]) || 0]));
  return {...row, ...numbers, events: row.events || {}, mode: String(row.mode || 'OPEN').toUpperCase()};
}

/** The options that TaskTube's own types of tubes take. Only the server knows those of a type by a driver. */
const OPTIONS = {
  fifo: [],
  fifottl: ['pri', 'ttl', 'ttr', 'delay'],
  limfifottl: ['pri', 'ttl', 'ttr', 'delay', 'capacity'],
  utube: ['utube'],
  utubettl: ['pri', 'ttl', 'ttr', 'delay', 'utube'],
};

/** Returns whether tubes of a type can take an option. */
export function takesOption({type}, option) {
  return !OPTIONS[type] || OPTIONS[type].includes(option);
}

/** Returns a task as one flat record. */
export function taskOf(row) {
  const {meta, ...rest} = row;
  const task = {...meta, ...rest};
  return {
    ...task,
    id: String(task.id),
    state: String(task.state || '').toLowerCase(),
    key: task.key ?? task.uniqueKey ?? null,
    failure: task.failure ?? task.lastFailure ?? null,
    taken: task.taken ?? task.takenCount ?? 0,
    buried: task.buried ?? task.buriedCount ?? 0,
  };
}

/** Returns the name of a class without its package. */
export function simpleName(type) {
  return String(type || '').replace(/^.*[.$](?=[^.$])/, '');
}

/** Returns a failure in one line: its class, the class of its root cause, and its message. */
export function failureLine({type, cause, message}) {
  return `${simpleName(type)}${cause ? ` ← ${simpleName(cause)}` : ''}${message ? `: ${message}` : ''}`;
}
