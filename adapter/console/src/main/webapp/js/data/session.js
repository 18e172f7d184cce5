// Who is signed in, and with which rights. The server checks each call by itself.

import {get} from './api.js';

let session = {user: '', rights: [], tubes: {}};

/** Reads the session. */
export async function loadSession() {
  session = await get('session', {isLast: true});
  return session;
}

/**
 * Returns whether the user has a right.
 *
 * @param {string} right VIEW, OPERATE or ADMIN
 * @param {string | string[] | null} [tubes] the tubes on which the right is enough; all tubes without them
 */
export function hasRight(right, tubes = null) {
  const named = typeof tubes === 'string' ? [tubes] : tubes || [];
  return (
    session.rights.includes(right) ||
    (named.length > 0 && named.every((tube) => (session.tubes?.[tube] || []).includes(right)))
  );
}

/** Returns whether the user has a right on any tube. */
export function hasRightSomewhere(right) {
  return hasRight(right) || Object.values(session.tubes || {}).some((rights) => rights.includes(right));
}

/** Returns the session as last read. */
export function theSession() {
  return session;
}
