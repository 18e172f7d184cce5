// The login over an open dialog: what was typed there stays, and the act goes on.

import {BASE, signedIn} from '../data/api.js';
import {loadSession, theSession} from '../data/session.js';
import {field, openDialog, required} from '../ui/dialog.js';
import {el} from '../ui/html.js';

const TOO_MANY = 429;
const PATIENCE = 20_000;

/** Asks for the login. Returns whether the same user has a session again. */
export function signInAgain() {
  return theSession().byProvider ? atProvider() : byPassword();
}

/** A window of the provider's keeps this page, which then looks whether there is a session. */
function atProvider() {
  const before = theSession().user;
  let isBack = false;
  return new Promise((resolve) => {
    openDialog({
      title: 'Your session has ended',
      subject: el('p', {}, 'Sign in again: what you have typed stays, and what you have started goes on.'),
      fields: [el('a', {class: 'button', href: `${BASE}login`, target: '_blank', rel: 'noopener'}, 'Sign in…')],
      verb: 'Go on',
      act: async () => {
        await loadSession().catch((problem) => {
          throw problem.status === 401 ? refused('Not yet.', 'Sign in first, in the other window.') : problem;
        });
        signedIn();
        isBack = theSession().user === before;
        if (!isBack) {
          location.reload();
        }
        return `Signed in as ${theSession().user}.`;
      },
      closed: () => resolve(isBack),
    });
  });
}

function byPassword() {
  const before = theSession().user;
  const user = el('input', {type: 'text', autocomplete: 'username', spellcheck: 'false'});
  user.value = before;
  const password = el('input', {type: 'password', autocomplete: 'current-password'});
  let login = Promise.resolve(false);
  return new Promise((resolve) => {
    openDialog({
      title: 'Your session has ended',
      subject: el('p', {}, 'Sign in again: what you have typed stays, and what you have started goes on.'),
      fields: [field('User', user), field('Password', password)],
      verb: 'Sign in',
      opened: () => setTimeout(() => password.focus()),
      act: async () => {
        login = signIn(required(user, 'Type your name.'), required(password, 'Type your password.'));
        await login;
        signedIn();
        if (theSession().user !== before) {
          // The page has the rights and the act of another user
          location.reload();
        }
        return `Signed in as ${theSession().user}.`;
      },
      // A login that is under way counts, also if the dialog is closed before its answer
      closed: () =>
        login.then(
          (done) => resolve(done && theSession().user === before),
          () => resolve(false),
        ),
    });
  });
}

/**
 * Returns true; throws if there is no session. The server answers a wrong password with the page of the login, so the
 * session says whether there is one.
 */
async function signIn(user, password) {
  const answer = await fetch(`${BASE}login`, {
    method: 'POST',
    body: new URLSearchParams({user, password}),
    credentials: 'same-origin',
    signal: AbortSignal.timeout(PATIENCE),
  }).catch(() => {
    throw refused('Unreachable', 'The server does not answer. Try again.');
  });
  if (answer.status === TOO_MANY) {
    throw refused('Too many.', 'This server has as many sessions as it can have. Try again later.');
  }
  if (answer.status >= 500) {
    throw refused(`Status ${answer.status}`, 'The server could not look at the password. Its log says why.');
  }
  try {
    await loadSession();
  } catch (problem) {
    throw problem.status === 401
      ? refused(
          'Refused.',
          'The user name or the password is wrong, or the user has no role of TaskTube, or is locked.',
        )
      : problem;
  }
  return true;
}

function refused(title, text) {
  return Object.assign(new Error(text), {title});
}
