// Calls to the REST API. An answer that is not a success becomes a Problem.

/** The path of the application, with a slash at its end: the name of its adapter. */
export const BASE = (/^\/tasktube[a-z0-9-]*\//.exec(globalThis.location?.pathname || '') || ['/tasktube/'])[0];

const API = `${BASE}api/v1/`;

/**
 * The longest waits for an answer, in milliseconds. A lost connection has none, and would hold up the refresh for ever.
 * The server ends a read earlier.
 */
const READ_LIMIT = 20_000;
const CHANGE_LIMIT = 120_000;

/** A refused or failed call, after application/problem+json. */
export class Problem extends Error {
  /** @param {{status?: number, type?: string, title?: string, detail?: string, position?: number}} body */
  constructor(body, retryAfter = 0) {
    super(body.detail || body.title || 'The call failed.');
    this.status = body.status || 0;
    this.kind = String(body.type || '').replace(/^urn:tasktube:problem:/, '');
    this.title = body.title || '';
    this.position = Number.isInteger(body.position) ? body.position : null;
    this.retryAfter = retryAfter;
  }
}

/** @type {(isChange: boolean) => Promise<boolean>} */
let signIn = async () => false;

/** The number of logins so far on this page. */
let logins = 0;

/**
 * Sets what is done when the session has ended, for a call that changes something or for one that reads. It returns
 * whether there is a session again: then the call that was refused is made once more.
 *
 * @param {(isChange: boolean) => Promise<boolean>} how
 */
export function onSignedOut(how) {
  signIn = how;
}

/** Notes that there is a session again. */
export function signedIn() {
  logins++;
}

/** Returns the answer of a GET. */
export function get(path, options = {}) {
  return call('GET', path, undefined, options);
}

/** Returns the answer of a POST; null if it has no body. */
export function post(path, body = {}) {
  return call('POST', path, body);
}

/** Returns the answer of a PATCH. */
export function patch(path, body) {
  return call('PATCH', path, body);
}

/** Returns the answer of a DELETE; null if it has no body. */
export function remove(path) {
  return call('DELETE', path);
}

/** Returns a path whose parts are encoded. */
export function path(...parts) {
  return parts.map((part) => encodeURIComponent(part)).join('/');
}

/** Returns a query string of the values that are set, with its question mark; an empty text for none. */
export function query(values) {
  const entries = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}

/** Returns the address of a part of the API, for a link. */
export function address(part) {
  return API + part;
}

/**
 * @param {string} method
 * @param {string} part
 * @param {Object} [body]
 * @param {{signal?: AbortSignal, isLast?: boolean}} [options] a last call is not made again after a login
 */
async function call(method, part, body, options = {}) {
  const before = logins;
  try {
    return await callOnce(method, part, body, options);
  } catch (problem) {
    if (problem.status !== 401 || options.isLast) {
      throw problem;
    }
    // A refusal can come after the login that another call has asked for
    if (logins === before && !(await signIn(method !== 'GET'))) {
      throw problem;
    }
    return call(method, part, body, {...options, isLast: true});
  }
}

/**
 * @param {string} method
 * @param {string} part
 * @param {Object|undefined} body
 * @param {{signal?: AbortSignal}} options
 */
async function callOnce(method, part, body, {signal}) {
  const headers = {Accept: 'application/json, application/problem+json'};
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  const patience = new AbortController();
  const late = setTimeout(() => patience.abort(), method === 'GET' ? READ_LIMIT : CHANGE_LIMIT);
  try {
    const response = await fetch(API + part, {
      method,
      headers,
      signal: signal ? AbortSignal.any([signal, patience.signal]) : patience.signal,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return answer(response, await response.text());
  } catch (e) {
    throw e instanceof Problem || (signal && signal.aborted) ? e : unanswered(method, patience.signal.aborted);
  } finally {
    clearTimeout(late);
  }
}

function unanswered(method, late) {
  if (method !== 'GET' && late) {
    const seconds = CHANGE_LIMIT / 1_000;
    return new Problem({
      title: 'No answer',
      detail: `The server has not answered for ${seconds} s. It may have done this: look before you repeat it.`,
    });
  }
  return new Problem(
    {title: 'Unreachable', detail: 'The server does not answer. The page tries again by itself.'},
    2,
  );
}

function answer(response, text) {
  const json = parse(text);
  if (response.ok && (json !== undefined || text === '')) {
    return json === undefined ? null : json;
  }
  if (response.status === 401) {
    throw new Problem({
      status: 401,
      title: 'Signed out',
      detail: 'Your session has ended, and nothing was done. Sign in, and do it again.',
    });
  }
  const retryAfter = Number(response.headers.get('Retry-After')) || 0;
  const known = json !== null && typeof json === 'object' ? json : {title: `Status ${response.status}`};
  throw new Problem({...known, status: response.ok ? 502 : response.status}, retryAfter);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (e) {
    return undefined;
  }
}
