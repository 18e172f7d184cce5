// The page of an address. Links inside the application change the address without a new load.

import {BASE} from './api.js';

const ROUTES = [
  {name: 'overview', pattern: /^(?:index\.html|overview\/?|tubes\/?)?$/, params: []},
  {name: 'tasks', pattern: /^tasks\/?$/, params: []},
  {name: 'task', pattern: /^tasks\/([^/]+)\/([^/]+)\/?$/, params: ['tube', 'id']},
  {name: 'failures', pattern: /^failures\/?$/, params: []},
  {name: 'schedules', pattern: /^schedules\/?$/, params: []},
  {name: 'servers', pattern: /^servers\/?$/, params: []},
  {name: 'operations', pattern: /^operations\/?$/, params: []},
  {name: 'operation', pattern: /^operations\/(\d+)\/?$/, params: ['id']},
  {name: 'audit', pattern: /^audit\/?$/, params: []},
  {name: 'tube', pattern: /^tubes\/([^/]+)\/?$/, params: ['tube']},
];

let changed = () => {};

/** Returns the address of a page inside the application. */
export function href(path, values = {}) {
  const set = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const query = set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
  return `${BASE}${path}${query}`;
}

/** Returns the address of a task's page. */
export function taskHref(tube, id) {
  return href(`tasks/${encodeURIComponent(tube)}/${encodeURIComponent(id)}`);
}

/** Returns the address of a tube's page. */
export function tubeHref(tube) {
  return href(`tubes/${encodeURIComponent(tube)}`);
}

/** Returns the route of the present address. */
export function current() {
  const path = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : '';
  for (const route of ROUTES) {
    const match = route.pattern.exec(path);
    if (match) {
      const params = Object.fromEntries(route.params.map((name, i) => [name, decode(match[i + 1])]));
      return {name: route.name, params, query: new URLSearchParams(location.search)};
    }
  }
  return {name: 'missing', params: {}, query: new URLSearchParams()};
}

/** Goes to an address. With `replaced` the present one leaves no entry in the history. */
export function go(address, {replaced = false} = {}) {
  if (address === location.pathname + location.search) {
    return;
  }
  history[replaced ? 'replaceState' : 'pushState'](null, '', address);
  changed();
}

/** Calls a listener at each change of the address. */
export function start(listener) {
  changed = listener;
  addEventListener('popstate', listener);
  document.addEventListener('click', follow);
}

/** Returns the address that a problem's link has, if it is a page of this application; else null. */
export function safeHref(link) {
  const url = new URL(link.replace(/^\/(?!\/)/, ''), `${location.origin}${BASE}`);
  const direct = new URL(link, location.origin);
  const chosen = direct.pathname.startsWith(BASE) ? direct : url;
  const known = ROUTES.some((route) => route.pattern.test(chosen.pathname.slice(BASE.length)));
  return chosen.origin === location.origin && known ? chosen.pathname + chosen.search : null;
}

function follow(event) {
  const link = event.target.closest('a[href]');
  const modified = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (!link || modified || event.defaultPrevented || link.target || link.hasAttribute('download')) {
    return;
  }
  const url = new URL(link.href);
  if (
    url.origin !== location.origin ||
    !url.pathname.startsWith(BASE) ||
    url.pathname.startsWith(`${BASE}api/`) ||
    (url.hash && url.pathname === location.pathname)
  ) {
    return;
  }
  event.preventDefault();
  go(url.pathname + url.search);
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch (e) {
    return text;
  }
}
