// Who is signed in, and with which rights. The server checks each call by itself.

import {get} from './api.js';

let session = {user: '', rights: []};

/** Reads the session. */
export async function loadSession() {
  session = await get('session', {isLast: true});
  return session;
}

/** Returns whether the user has a right: VIEW, OPERATE or ADMIN. */
export function hasRight(right) {
  return session.rights.includes(right);
}

/** Returns the session as last read. */
export function theSession() {
  return session;
}
